"""What a script's own losses, masks and answers show of the shapes and numbers in them."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch.nn import functional

from course_probe.hooks.torch.losses import _last_node, _reach
from course_probe.hooks.torch.sequences import SequenceHooks
from course_probe.reading.held_out_values import floats_at_hand
from course_probe.vital_signs.evaluation.answers_taken import AnswersTaken
from course_probe.vital_signs.evaluation.evaluations import Evaluations, Stretch
from course_probe.vital_signs.evaluation.loops import EvaluationLoops
from course_probe.vital_signs.optimization.broadcasts import PairDifferences
from course_probe.vital_signs.sequences.padded_labels import PaddedLabels

ROWS = torch.rand(16, 3)
LAYER = torch.nn.Linear(3, 1)


def pairs(loss: torch.Tensor, *columns: torch.Tensor) -> float:
    found = PairDifferences()
    for _time in range(5):
        found.note(loss, columns)
    return found.figures()["difference_of_pairs"]


def test_a_difference_of_all_pairs_of_outputs_and_targets() -> None:
    flat, column = torch.rand(16), torch.rand(16, 1)
    assert pairs(((LAYER(ROWS) - flat) ** 2).mean(), ROWS, flat) == 1.0
    assert pairs((flat - LAYER(ROWS)).abs().mean(), ROWS, flat) == 1.0
    assert pairs((column - LAYER(ROWS).squeeze(-1)).abs().mean(), ROWS, column) == 1.0
    assert pairs(((LAYER(ROWS) - column) ** 2).mean(), ROWS, column) == 0.0
    assert pairs(((LAYER(ROWS).squeeze(-1) - flat) ** 2).mean(), ROWS, flat) == 0.0
    # All pairs are wanted: of the outputs among each other, of outputs and rows of another shape.
    outputs = LAYER(ROWS)
    assert pairs((outputs - outputs.T).abs().mean(), ROWS, flat) == 0.0
    assert pairs((outputs - column.T).abs().mean(), column) == 0.0


def test_a_difference_of_all_pairs_in_batches_made_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    flat = torch.rand(16)
    script = SimpleNamespace(rows=ROWS, batch=flat, numbers=torch.arange(16))
    monkeypatch.setitem(sys.modules, "__main__", script)  # type: ignore[arg-type]
    labels = floats_at_hand()
    assert len(labels) == 2
    found = PairDifferences()
    for _time in range(5):
        found.note(((LAYER(ROWS) - flat) ** 2).mean(), None, labels)
    assert found.figures() == {"difference_of_pairs": 1.0}


def test_what_two_activations_can_give_together() -> None:
    outputs = LAYER(ROWS)
    reaches = {
        (0.5, 1.0): torch.sigmoid(torch.relu(outputs)),
        (0.0, 1.0): torch.tanh(outputs.relu()).squeeze(-1),
        (-1.0, 1.0): torch.tanh(outputs),
        (float("-inf"), float("inf")): outputs,
    }
    for reach, given in reaches.items():
        assert _reach(_last_node(given.grad_fn)) == reach


IDS = torch.tensor([[3, 4, 5, 0], [6, 3, 0, 0], [5, 6, 4, 3]])


def padded(labels: torch.Tensor, ids: torch.Tensor = IDS, **named: Any) -> float | None:
    found = PaddedLabels()
    for _time in range(3):
        found.note(labels.reshape(-1), ids, named)
    return found.figures().get("padding_as_class")


def test_padding_that_is_taught_as_a_class_of_words() -> None:
    labels = torch.tensor([[1, 0, 2, 0], [0, 1, 0, 0], [2, 1, 0, 1]])
    assert padded(labels) == 1.0
    hidden = labels.masked_fill(IDS == 0, -100)
    assert padded(hidden) == 0.0
    # A label of its own, one that is left out, and a sum that the script makes itself.
    assert padded(labels.masked_fill(IDS == 0, 7)) == 0.0
    assert padded(labels, ignore_index=0) == 0.0
    assert padded(labels, reduction="none") is None
    # The next word is wanted, and the padding is what comes after the last one.
    following = torch.cat([IDS[:, 1:], torch.zeros(3, 1, dtype=torch.int64)], 1)
    assert padded(following) is None
    # What stands within texts is a word, and rows of one length have no padding.
    assert padded(labels, torch.tensor([[3, 0, 5, 0], [6, 3, 0, 0], [5, 6, 4, 3]])) is None
    assert padded(labels, torch.tensor([[3, 4, 5, 0], [6, 3, 7, 0], [5, 6, 4, 0]])) is None


@pytest.mark.parametrize(("value", "share"), [(1e-9, 1.0), (0.0, 1.0), (-1e9, 0.0)])
def test_scores_of_padding_that_are_not_hidden(value: float, share: float) -> None:
    log: Any = SimpleNamespace(looking=False)
    nothing: Any = SimpleNamespace(current=None)
    hooks = SequenceHooks(log, nothing, nothing)

    def fill(*arguments: Any) -> torch.Tensor:
        filled = torch.masked_fill(*arguments)
        hooks.note_filled(arguments, {}, filled)
        return filled

    for _time in range(3):
        hooks.note_inputs((IDS,), {})
        filled = fill(torch.rand(3, 4), IDS == 0, value)
        hooks.note_softmax(filled)
    assert hooks._masks.figures()["masks_too_weak"] == share
    # Numbers that no softmax is taken of may be anything.
    fill(torch.rand(3, 4), IDS == 0, 1e-9)
    hooks.note_softmax(torch.rand(3, 4))
    assert hooks._masks.figures()["masks_too_weak"] == share


def test_a_softmax_of_outputs_over_one_place() -> None:
    taken, outputs = AnswersTaken(), torch.rand(4, 1, 6)
    taken.note_outputs(outputs)
    taken.note_softmax((torch.rand(4, 1),), {"dim": 1})
    assert not taken.figures()
    taken.note_softmax((outputs,), {"dim": 1})
    assert taken.figures() == {"outputs_softmax_of_one": 1.0}
    taken.note_softmax((outputs, -1), {})
    assert taken.figures() == {"outputs_softmax_of_one": 0.5}


def dropout_alone(*evaluated: tuple[torch.Tensor, bool]) -> float:
    evaluations = Evaluations()
    trained = torch.randn(100, 4).view(torch.int32)
    evaluations.add_training(Stretch(True, True, 1, rows=[trained], kept=100))
    for rows, training in evaluated:
        kept = [rows.view(torch.int32)]
        stretch = Stretch(training, False, 1, int(training), rows=kept, kept=len(rows))
        evaluations.add(stretch, by_loader=False)
    return evaluations.figures(0)["dropout_alone"]


def test_an_evaluation_with_dropout_after_many_without() -> None:
    validated, tested = torch.randn(40, 4), torch.randn(40, 4)
    many = [(validated, False)] * 20
    assert dropout_alone(*many, (tested, True)) == 1.0
    assert dropout_alone(*many, (tested, False)) == 0.0
    # Several answers to each, or one more to rows that were answered without dropout.
    assert dropout_alone(*many, (tested.repeat(4, 1), True)) == 0.0
    assert dropout_alone(*many, (validated, True)) == 0.0


def test_loops_without_gradients_are_told_by_their_batches() -> None:
    loops = EvaluationLoops()
    loops._line = 7
    for batch in ([1], [1], [2]):
        loops.note_pass(lambda given=batch: given, evaluates=True)
    loops.end()
    assert (loops.several, loops.asked, loops.unasked) == ({7}, {7}, set())
    # One batch that two networks are given is no other, and none leaves the network unasked.
    loops._line, loops._batches, one = 8, 0, [1]
    for _network in range(2):
        loops.note_pass(lambda: one, evaluates=True)
    loops.end()
    loops._line, loops._batches, loops._evaluates = 9, 0, True
    loops.end()
    assert (loops.several, loops.unasked) == ({7}, {9})


def test_a_loop_may_do_without_gradients_within() -> None:
    loops = EvaluationLoops()
    # It trains, or only looks at what the loader gives.
    for passes in (3, 0):
        loops._line, loops._batches, loops._evaluates = 7, 0, False
        for batch in range(passes):
            loops.note_pass(lambda given=batch: int(given), evaluates=False)
        loops.end()
    assert (loops.several, loops.asked, loops.unasked) == (set(), set(), set())
    loops._line, loops._batches = 8, 0
    for batch in range(3):
        loops.note_pass(lambda given=batch: int(given), evaluates=True)
    loops.end()
    assert (loops.several, loops.unasked) == ({8}, set())


def test_a_loss_of_pairs_by_the_library_is_told_elsewhere() -> None:
    loss = functional.mse_loss(LAYER(ROWS).squeeze(-1), torch.rand(16))
    assert pairs(loss, ROWS, torch.rand(16)) == 0.0
