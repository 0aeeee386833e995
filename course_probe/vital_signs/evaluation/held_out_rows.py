"""Rows that a script evaluates on, by where they come from, and whether they were trained on.

Only rows count that no chance makes equal to others, and that are all that the network is given.
"""

import sys
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from course_probe.vital_signs.data.examples import fingerprints

FEWEST = 20
"""Rows of an evaluation that count."""
FEWEST_COLUMNS = 3
"""Columns of numbers with a fraction that make it no chance that two rows are equal."""
FEWEST_IDS = 8
"""The same of whole numbers, such as token ids."""
DISTINCT = 0.98
"""The share of the rows that have to differ from each other."""
MOSTLY = 0.9
"""A share of rows above this is that of nearly all."""
BATCHES = 50
"""Batches of the training that are looked at for their size, the last ones."""
COLUMNS = 32
"""Numbers of a row that are of the inputs themselves."""
OTHER = "loader "
"""How the names of data begin that a loader gives, and none that the training was given."""
MOST_TIMES = 10
"""Different rows trained on for one that is evaluated, if these are whole numbers: where chance
makes hardly any two rows equal, this many can't hold nearly all there are."""


def is_telling(batches: list[Any], trained: set[int]) -> bool:
    """Whether rows that are equal to rows of the training can't be so by chance."""
    rows = batches[0]
    different = {each for batch in batches for each in fingerprints(batch, None).tolist()}
    count = sum(map(len, batches))
    if count < FEWEST or len(different) < DISTINCT * count:
        return False
    if _has_fractions(rows):
        return bool(rows.shape[1] >= FEWEST_COLUMNS)
    return rows.shape[1] >= FEWEST_IDS and len(trained) <= MOST_TIMES * len(different)


def _has_fractions(rows: Any) -> bool:
    """Whether rows are mostly numbers with a fraction, of which no two are equal by chance."""
    torch = sys.modules["torch"]
    if rows.dtype != torch.int32:
        return False
    return float((rows.view(torch.float32).frac() == 0).float().mean()) <= 0.5


class HeldOutRows:
    """The rows of the evaluations by their sources, with what was trained on before."""

    def __init__(self) -> None:
        self._shares: dict[str, list[float]] = defaultdict(list)
        self._evaluated: set[int] = set()
        self._folds = 0
        self._sizes: list[float] = []
        self._parts: dict[str, list[float]] = defaultdict(list)

    def add(
        self,
        sources: Mapping[str, list[Any]],
        trained: set[int],
        learned: set[int],
        *,
        is_cut: bool,
    ) -> None:
        """Take in one evaluation: batches of rows by source, and prints of the training's rows.

        Args:
            sources: the batches of each source.
            trained: rows of the training that is under way.
            learned: those of trainings before it, which the network went on from.
            is_cut: whether only the first rows are known: that one is missing says nothing.

        """
        for source, batches in sources.items():
            prints = [p for batch in batches for p in fingerprints(batch, None).tolist()]
            if trained and is_telling(batches, trained):
                share = _share(prints, trained)
                if share > MOSTLY or not is_cut:
                    self._shares[source].append(share)
                if _has_fractions(batches[0]):
                    # Of a training that is cut it is this much at the least.
                    self._parts[source].append(share)
            is_new = _share(prints, self._evaluated) < 1 - MOSTLY
            if self._evaluated and is_new and is_telling(batches, learned):
                # Another part of the data is kept out, as in a cross-validation.
                self._folds += (
                    _share(prints, learned) > MOSTLY and _share(prints, trained) < 1 - MOSTLY
                )
            self._evaluated.update(prints)

    def add_sizes(self, sources: Mapping[str, list[Any]], trained: list[Any]) -> None:
        """Take in how large the numbers are, beside those of the batches trained on."""
        usual = _size(trained[-BATCHES:])
        for batches in sources.values():
            size = _size(batches)
            if usual and size and batches[0].shape[1] == trained[-1].shape[1]:
                self._sizes.append(max(size / usual, usual / size))

    def figures(self) -> dict[str, float]:
        """The share of the rows that were trained on, of the source with the fewest of them.

        Whoever evaluates on other rows, too, knows what a network does with these; and of a source
        the evaluation with the least counts: it may be trained on in the end. It is told where one
        of the sources at least is apart from what the training is given. Of rows with fractions,
        whose equals are no chance, any share tells. Of folds it is counted how many the network had
        been trained on before, while others were kept out. How many times as large, or as small,
        the numbers are that were evaluated on, is of the rows that differ least.
        """
        found: dict[str, float] = {}
        if self._folds:
            found["folds_learned"] = self._folds
        if _is_apart(self._shares):
            found["held_out_seen"] = min(min(shares) for shares in self._shares.values())
        if self._sizes:
            found["held_out_times"] = min(self._sizes)
        if _is_apart(self._parts):
            found["held_out_overlap"] = min(min(shares) for shares in self._parts.values())
        return found


def _is_apart(sources: Mapping[str, list[float]]) -> bool:
    return any(source.startswith(OTHER) for source in sources)


def _size(batches: list[Any]) -> float | None:
    """The mean size of the numbers of some rows; None where they are whole, or none are finite."""
    torch = sys.modules["torch"]
    if sum(map(len, batches)) < FEWEST or any(rows.dtype != torch.int32 for rows in batches):
        return None
    sizes = torch.cat([rows[:, :COLUMNS].view(torch.float32).abs().flatten() for rows in batches])
    mean = float(sizes.double().mean())
    return mean if 0 < mean < float("inf") else None


def _share(prints: list[int], among: set[int]) -> float:
    return sum(each in among for each in prints) / len(prints)
