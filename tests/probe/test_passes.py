"""What the passes of a script's networks, and its answers, show."""

import torch

from course_probe.vital_signs.answers_taken import AnswersTaken
from course_probe.vital_signs.evaluations import Evaluations, Stretch
from course_probe.vital_signs.examples import LabelOrder
from course_probe.vital_signs.kept_graphs import KeptGraphs

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
        "held_out_unused": 1,
        "evaluation_in_training_mode": 1.0,
        "evaluation_dropout": 1.0,
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


def test_answers_are_judged_by_the_axis_of_the_loss() -> None:
    taken = AnswersTaken()
    outputs = torch.tensor([[0.1, 0.7, 0.2]]).repeat(8, 1)
    taken.note_outputs(outputs)
    taken.note_loss(outputs, inside=False)
    taken.note("argmax", (outputs, 0), {})
    assert taken.wrong_axis
    taken.note("argmin", (outputs,), {"dim": -1})
    assert not taken.wrong_axis
    taken.note("argmin", (torch.rand(8, 3) + 5, 1), {})  # Distances, say.
    taken.note("max", (torch.rand(4, 4), 0), {})
    found = taken.figures()
    assert found["answers_taken"] == 3
    assert (round(found["wrong_axis_taken"], 2), round(found["lowest_taken"], 2)) == (0.33, 0.33)


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
