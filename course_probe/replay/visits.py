"""Rows of a dataset that change each time they are read, found out by reading one several times.

All of it is done in a child of the process. What a dataset keeps of a row, and gives, is compared:
one that keeps a copy, or draws by chance of its own, is as it was.
"""

import gc
import math
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from course_probe.forked import found_aside
from course_probe.replay.whatif import RandomState

SECONDS = 3.0
DATASETS = 8
"""Datasets that are read."""
VISITS = 6
"""How often a row is read, each time by other chance."""
MOST = 4096
"""Numbers of a row that are compared."""


def changed_by_visits() -> list[list[Any]]:
    """Return the classes of datasets that change what they keep, where, and how many rows it has.

    Each further visit does so, and what is given by the same chance is not the same any more.
    """
    return found_aside(lambda: [*_changed()], SECONDS) or []


def _changed() -> Iterator[list[Any]]:
    data = sys.modules["torch"].utils.data
    everything = gc.get_objects()
    loaders = [each for each in everything if issubclass(type(each), data.DataLoader)]
    if any(each.num_workers for each in loaders):
        # What a worker changes is gone with it.
        return
    datasets = [each for each in everything if issubclass(type(each), data.Dataset)]
    datasets += [each.dataset for each in loaders]
    for each in [*{id(one): one for one in datasets}.values()][:DATASETS]:
        try:
            count = len(each)
            names = [name for name, one in vars(each).items() if _has_rows(one, count)]
            found = [[type(each).__name__, name, count] for name in names if _visit(each, name)]
        except Exception:  # noqa: BLE001 (whatever a script's dataset raises)
            continue
        yield from found


def _has_rows(value: Any, count: int) -> bool:
    return (isinstance(value, list) or hasattr(value, "tolist")) and len(value) == count > 0


def _visit(dataset: Any, name: str) -> bool:
    """Return whether a row is changed by each visit, in what is kept under a name."""
    chance, kept = RandomState(), getattr(dataset, name)
    given, rows = [], []
    for seed in (1, *range(2, VISITS), 1):
        chance.set(seed)
        given.append([*_numbers(dataset[0])])
        rows.append([*_numbers(kept[0])])
    changes = sum(_differ(*pair) for pair in pairwise(rows))
    return 2 * changes >= VISITS and _differ(given[0], given[-1])


def _differ(one: Sequence[float], other: Sequence[float]) -> bool:
    """Return whether two rows are not the same, but for rounding."""
    pairs = zip(one, other, strict=False)
    is_same = all(math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-5) for a, b in pairs)
    return len(one) != len(other) or not is_same


def _numbers(value: Any) -> Iterator[float]:
    """Yield the numbers of a row, whatever it is made of."""
    if hasattr(value, "tolist"):
        value = value.reshape(-1)[:MOST].tolist()
    if isinstance(value, dict):
        value = [*value.values()]
    if isinstance(value, list | tuple):
        for each in value:
            yield from _numbers(each)
    elif isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, str):
        yield float(hash(value))
