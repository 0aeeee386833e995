"""What the passes of a script's networks, and its answers, show."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from course_probe.hooks.torch.losses import _is_of_two_classes
from course_probe.hooks.torch.passes import PassHooks
from course_probe.vital_signs.data.examples import LabelOrder
from course_probe.vital_signs.evaluation.answers_taken import AnswersTaken
from course_probe.vital_signs.evaluation.evaluations import Evaluations, Stretch
from course_probe.vital_signs.kept_graphs import KeptGraphs
from course_probe.vital_signs.plain_model import PlainModel

ROWS = torch.arange(320).reshape(40, 8)


def stretch(rows: torch.Tensor, *, training: bool = False, graph: bool = False) -> Stretch:
    return Stretch(training, graph, passes=2, dropouts=2, rows=[rows], kept=len(rows))


def test_an_evaluation_counts_with_what_was_trained_on_before_it() -> None:
    evaluations = Evaluations()
    evaluations.add(stretch(ROWS, training=True), by_loader=True)
    evaluations.add_training(stretch(ROWS, training=True, graph=True))
    assert evaluations.figures(1) == {
        "evaluation_passes": 2,
        "evaluation_graphs": 0,
        "evaluation_overlap": 0.0,
        "evaluation_repeats": 1.0,
        "evaluation_shared": 0.0,
        "held_out_unused": 1,
        "dropout_alone": 0.0,
        "evaluation_in_training_mode": 1.0,
        "evaluation_dropout": 1.0,
        "evaluation_dropout_always": 0.0,
        "evaluation_batch_norm": 0.0,
    }


def test_how_a_network_is_set_up_counts_only_for_rows_that_are_new_to_it() -> None:
    evaluations = Evaluations()
    evaluations.add_training(stretch(ROWS, training=True, graph=True))
    evaluations.add(stretch(ROWS, training=True), by_loader=True)
    found = evaluations.figures(1)
    assert (found["evaluation_overlap"], found["held_out_unused"]) == (1.0, 1)
    assert "evaluation_dropout" not in found
    evaluations.add(stretch(ROWS + 1000), by_loader=False)
    found = evaluations.figures(1)
    assert (found["evaluation_overlap"], found["held_out_unused"]) == (0.0, 0)
    assert found["evaluation_dropout"] == 0.0


def test_an_evaluation_that_is_just_over_tells_how_it_was_set_up() -> None:
    evaluations = Evaluations()
    assert evaluations.latest_figures() == {"evaluation_passes": 0, "evaluation_graphs": 0}
    evaluations.add_training(stretch(ROWS, training=True, graph=True))
    evaluations.add(stretch(ROWS + 1000, training=True), by_loader=True)
    found = evaluations.latest_figures()
    assert (found["evaluation_dropout"], found["evaluation_in_training_mode"]) == (1.0, 1.0)
    assert (found["evaluation_overlap"], found["evaluation_repeats"]) == (0.0, 1.0)
    # A second one on other rows, in order: of the first one nothing is said any more.
    evaluations.add_training(stretch(ROWS, training=True, graph=True))
    evaluations.add(stretch(ROWS + 1000), by_loader=True)
    assert "evaluation_dropout" not in evaluations.latest_figures()
    # Of rows that were trained on, either way may be wanted.
    evaluations.add_training(stretch(ROWS, training=True, graph=True))
    evaluations.add(stretch(ROWS, training=True), by_loader=True)
    assert "evaluation_dropout" not in evaluations.latest_figures()


def test_several_answers_to_each_row_are_told_with_the_evaluation() -> None:
    evaluations = Evaluations()
    evaluations.add_training(stretch(ROWS, training=True, graph=True))
    evaluations.add(stretch(torch.cat([ROWS + 1000] * 3), training=True), by_loader=True)
    assert evaluations.latest_figures()["evaluation_repeats"] == 3.0


def figures_of_a_last_pass(patch: pytest.MonkeyPatch, rows: int) -> dict[str, float]:
    """What is known of a training in batches of 32, and one pass in training mode behind it."""
    written: dict[str, float] = {}
    log: Any = SimpleNamespace(looking=False, write_figures=written.update)
    forward: Any = SimpleNamespace(is_observing=False, in_trainer=False)
    hooks = PassHooks(log, forward, PlainModel())
    for name in ("__call__", "load_state_dict"):
        patch.setattr(torch.nn.Module, name, getattr(torch.nn.Module, name))
    hooks.hook_modules(torch)
    net, data = torch.nn.Sequential(torch.nn.Linear(8, 2)), torch.rand(480, 8)
    for batch in data[:320].split(32):
        loss = net(batch).sum()
        hooks.note_backward(loss)
    net(data[320 : 320 + rows])
    hooks.finish()
    hooks.tape.close()
    return written


def test_a_last_pass_of_many_rows_evaluates(monkeypatch: pytest.MonkeyPatch) -> None:
    assert figures_of_a_last_pass(monkeypatch, 160)["evaluation_in_training_mode"] == 1.0
    monkeypatch.undo()
    # A batch that was begun, and left off, is as large as the others.
    assert "evaluation_passes" not in figures_of_a_last_pass(monkeypatch, 32)


@pytest.mark.parametrize(("before", "share"), [(True, 1.0), (False, 0.0)])
def test_a_scaler_that_saw_the_held_out_rows_is_told(before: bool, share: float) -> None:
    data = torch.randn(400, 6, generator=torch.Generator().manual_seed(0)) * 3 + 5
    of = data if before else data[:300]
    scaled = ((data - of.mean(0)) / of.std(0)).view(torch.int32)
    evaluations = Evaluations()
    for batch in scaled[:300].split(30):
        evaluations.add_training(stretch(batch, training=True, graph=True))
    evaluations.add(stretch(scaled[300:]), by_loader=False)
    assert evaluations.figures(0)["scaled_together"] == share


@pytest.mark.parametrize(("before", "share"), [(True, 1.0), (False, 0.0)])
def test_folds_that_were_scaled_with_all_rows_are_told(before: bool, share: float) -> None:
    data = torch.randn(300, 6, generator=torch.Generator().manual_seed(0)) * 3 + 5
    evaluations = Evaluations()
    for fold in range(3):
        held = torch.arange(300) % 3 == fold
        of = data if before else data[~held]
        scaled = ((data - of.mean(0)) / of.std(0)).view(torch.int32)
        evaluations.begin_training(goes_on=False)
        evaluations.add_training(stretch(scaled[~held], training=True, graph=True))
        evaluations.add(stretch(scaled[held]), by_loader=True)
    assert evaluations.figures(0)["scaled_together"] == share


def test_training_rows_that_are_looked_at_early_are_scaled_by_themselves() -> None:
    data = torch.randn(400, 6, generator=torch.Generator().manual_seed(0)) * 3 + 5
    of = data[:300]
    scaled = ((data - of.mean(0)) / of.std(0)).view(torch.int32)
    evaluations = Evaluations()
    evaluations.add_training(stretch(scaled[:60], training=True, graph=True))
    # All of the training set is evaluated, when only a part has been trained on.
    evaluations.add(stretch(scaled[:300]), by_loader=True)
    evaluations.add_training(stretch(scaled[60:300], training=True, graph=True))
    evaluations.add(stretch(scaled[300:]), by_loader=True)
    assert evaluations.figures(0)["scaled_together"] == 0.0


def test_token_ids_are_not_scaled() -> None:
    evaluations = Evaluations()
    evaluations.add_training(stretch(ROWS, training=True, graph=True))
    evaluations.add(stretch(ROWS + 1000), by_loader=False)
    assert "scaled_together" not in evaluations.figures(0)


def test_squares_of_yes_and_no_are_told_from_other_numbers() -> None:
    answers, labels = torch.rand(8), torch.tensor([0.0, 1.0] * 4)
    assert _is_of_two_classes(answers, labels)
    assert _is_of_two_classes(answers[:, None], labels[:, None])
    assert not _is_of_two_classes(answers, torch.rand(8))
    assert not _is_of_two_classes(answers, torch.ones(8))
    assert not _is_of_two_classes(torch.rand(8, 4), torch.ones(8, 4).triu())


def test_answers_are_judged_by_the_axis_of_the_loss() -> None:
    taken = AnswersTaken()
    outputs = torch.tensor([[0.1, 0.7, 0.2]]).repeat(8, 1)
    taken.note_outputs(outputs)
    taken.note_loss(outputs, torch.ones(8, dtype=torch.long), inside=False)
    taken.note("argmax", (outputs, 0), {})
    assert taken.wrong_axis
    taken.note("argmin", (outputs,), {"dim": -1})
    assert not taken.wrong_axis
    taken.note("argmin", (torch.rand(8, 3) + 5, 1), {})  # Distances, say.
    taken.note("max", (torch.rand(4, 4), 0), {})
    found = taken.figures()
    assert found["answers_taken"] == 3
    assert (round(found["wrong_axis_taken"], 2), round(found["lowest_taken"], 2)) == (0.33, 0.33)


def test_axes_of_the_same_length_are_told_apart_by_the_loss() -> None:
    labels = torch.zeros(6, dtype=torch.long)

    def is_wrong(outputs: torch.Tensor, given: torch.Tensor, axis: int) -> bool:
        taken = AnswersTaken()
        taken.note_outputs(outputs)
        taken.note_loss(given, labels, inside=True)
        taken.note("argmax", (outputs, axis), {})
        return taken.wrong_axis

    square, cube = torch.rand(6, 6), torch.rand(6, 4, 6)
    assert is_wrong(square, square, 0)
    assert not is_wrong(square, square, 1)
    assert is_wrong(cube, cube.reshape(-1, 6), 0)
    assert not is_wrong(cube, cube.reshape(-1, 6), -1)
    # Transposed, so that the classes come second: by their length they can't be told apart.
    assert not is_wrong(torch.rand(3, 6, 6), torch.rand(3, 6, 6).transpose(1, 2), -1)


def test_pairs_that_are_alike_are_looked_for_by_the_highest() -> None:
    one = torch.nn.functional.normalize(torch.randn(32, 16), dim=1)
    alike, apart = one @ one.T, torch.cdist(one, one)
    for table, name, lowest in (
        (alike, "argmin", 1.0),
        (alike, "argmax", 0.0),
        (apart, "argmin", 0.0),
        (torch.randn(32, 32), "argmin", 0.0),
    ):
        taken = AnswersTaken()
        taken.note_outputs(one[:8])
        taken.note_loss(alike[:8, :8], torch.arange(8), inside=False)
        # What is mined for the loss, and what is counted, are no answers.
        taken.note(name, (table.clone().requires_grad_(),), {"dim": 1})
        taken.note(name, (table > 0,), {"dim": 1})
        taken.note(name, (table,), {"dim": 1})
        found = taken.figures()
        assert (found["answers_taken"], found["lowest_taken"]) == (1.0, lowest)


def test_sorted_labels_hardly_change() -> None:
    for shuffled, expected in ((False, 0.0), (True, 1.0)):
        order = LabelOrder()
        labels = torch.arange(4).repeat_interleave(80)
        if shuffled:
            labels = labels[torch.randperm(320, generator=torch.Generator().manual_seed(0))]
        for batch in labels.split(32):
            assert order.wants_more
            order.add(batch)
        assert abs(order.figures()["label_order"] - expected) < 0.15


def test_a_loss_that_is_summed_up_is_kept() -> None:
    weight = torch.ones(3, requires_grad=True)
    for keeps in (False, True):
        graphs, total = KeptGraphs(), torch.zeros(())
        for _step in range(30):
            loss = (weight * 2).sum()
            graphs.note(loss)
            loss.backward()
            total = total + (loss if keeps else loss.item())
        assert graphs.share() == float(keeps)


def test_a_sum_that_begins_anew_with_each_pass_is_kept_as_long() -> None:
    weight = torch.ones(3, requires_grad=True)
    graphs, total = KeptGraphs(), torch.zeros(())
    for step in range(60):
        total = torch.zeros(()) if step % 50 == 0 else total
        loss = (weight * 2).sum()
        graphs.note(loss)
        loss.backward()
        total = total + loss
    assert graphs.share() == 1.0
