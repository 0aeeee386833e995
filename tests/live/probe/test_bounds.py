"""What the probe keeps of a training has a bound, whatever the rows are like."""

import gc
from typing import Any

import pytest
import torch

from course_probe.vital_signs.data.examples import RowCount
from course_probe.vital_signs.data.loaded_labels import MOST_LABELS, LoadedLabels
from course_probe.vital_signs.graphs import is_plainly_saved, nodes


def bytes_behind(value: Any) -> int:
    """The room of all tensors that can be reached from something, and of its lists of numbers."""
    seen, waiting, found = {id(value)}, [vars(value)], 0
    for each in waiting:
        if isinstance(each, torch.Tensor):
            found += each.untyped_storage().nbytes()
            continue
        is_own = type(each).__module__.startswith("course_probe")
        if isinstance(each, dict | list | tuple | set) or is_own:
            inner = [v for v in gc.get_referents(each) if id(v) not in seen]
            found += 8 * len(inner)
            seen.update(map(id, inner))
            waiting += [v for v in inner if not isinstance(v, type)]
    return found


@pytest.mark.parametrize("kind", [torch.long, torch.float32])
def test_of_a_long_row_hardly_more_than_a_number_is_kept(kind: torch.dtype) -> None:
    count, rows = RowCount(), 0
    kept = []
    for _batch in range(300):
        ids = torch.randint(0, 64, (8, 512))
        count.add(ids, torch.ones_like(ids), ids.to(kind), None)
        rows += len(ids)
        if rows in (240, 2400):
            kept.append(bytes_behind(count))
    assert (kept[1] - kept[0]) / (2400 - 240) < 64


def test_of_targets_that_number_rows_so_many_are_kept() -> None:
    labels = LoadedLabels()
    for first in range(0, 4 * MOST_LABELS, 512):
        labels.note_target(None, torch.arange(first, first + 512))
    labels.note_target(None, torch.arange(10**6))
    assert bytes_behind(labels) < 16 * 2 * MOST_LABELS


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


def test_what_a_hook_of_the_script_has_packed_is_not_asked_for() -> None:
    asked = []
    weight = torch.ones(3, requires_grad=True)
    plain = (weight**2).grad_fn
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: asked.append(1) or t):
        packed = (weight**2).grad_fn
    assert is_plainly_saved(plain, "self")
    assert not is_plainly_saved(packed, "self")
    assert not is_plainly_saved(plain, "other")
    assert not is_plainly_saved((weight + 1).sum().grad_fn, "self")
    assert asked == []
