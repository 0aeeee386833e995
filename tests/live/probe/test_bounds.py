"""What the probe keeps of a training has a bound, whatever the rows are like."""

import gc
from typing import Any

import numpy
import pytest
import torch

from course_probe.replay.nodes import nodes
from course_probe.vital_signs.examples import RowCount


def bytes_behind(value: Any) -> int:
    """Measure all arrays that can be reached from something, and its lists of numbers."""
    seen, waiting, found = {id(value)}, [vars(value)], 0
    for each in waiting:
        if isinstance(each, numpy.ndarray):
            found += each.nbytes
            continue
        is_own = type(each).__module__.startswith("course_probe")
        if isinstance(each, dict | list | tuple | set) or is_own:
            inner = [v for v in gc.get_referents(each) if id(v) not in seen]
            found += 8 * len(inner)
            seen.update(map(id, inner))
            waiting += [v for v in inner if not isinstance(v, type)]
    return found


@pytest.mark.parametrize("kind", ["int64", "float32"])
def test_of_a_long_row_hardly_more_than_a_number_is_kept(kind: str) -> None:
    count, rows = RowCount(), 0
    kept = []
    for _batch in range(300):
        ids = numpy.random.randint(0, 64, (8, 512))
        count.add(ids, numpy.ones_like(ids), ids.astype(kind), None)
        rows += len(ids)
        if rows in (240, 2400):
            kept.append(bytes_behind(count))
    assert (kept[1] - kept[0]) / (2400 - 240) < 64


def test_the_nodes_behind_losses_each_once_and_no_more_than_wanted() -> None:
    weight = torch.ones(3, requires_grad=True)
    shared = weight * 2
    one, other = shared.sum(), (shared**2).sum()
    found = list(nodes([one, other], 100))
    assert [type(each).__name__ for each in found[:2]] == ["SumBackward0", "SumBackward0"]
    assert len(found) == len(set(found))
    assert [type(each).__name__ for each in found].count("MulBackward0") == 1
    assert list(nodes([one, other], 2)) == found[:2]
    deep = weight
    for _step in range(50):
        deep = deep + 1
    assert len(list(nodes(deep.sum(), 10))) == 10


@pytest.mark.parametrize("loss", [None, torch.ones(2), "loss", [], [torch.ones(())]])
def test_what_has_no_graph_has_no_nodes(loss: Any) -> None:
    assert list(nodes(loss, 10)) == []
