"""Rows that a script evaluates on and that the training had before, by where they come from."""

import pytest
import torch

from course_probe.vital_signs.evaluation.evaluations import Evaluations, Stretch


def add(
    evaluations: Evaluations, rows: torch.Tensor, name: str | None = None, networks: int = 1
) -> None:
    """Train on rows, or evaluate on them as those of a source."""
    batch = rows if rows.dtype == torch.int64 else rows.view(torch.int32)
    graph = name is None
    sources = {} if name is None else {name: [batch]}
    called = set(range(networks))
    stretch = Stretch(
        graph, graph, 1, rows=[batch], kept=len(rows), sources=sources, networks=called
    )
    if graph:
        evaluations.add_training(stretch)
    else:
        evaluations.add(stretch, by_loader=True)


def seen(trained: torch.Tensor, evaluated: torch.Tensor) -> float | None:
    evaluations = Evaluations()
    add(evaluations, trained)
    add(evaluations, evaluated, "loader 0")
    return evaluations.figures(0).get("held_out_seen")


def test_rows_that_were_trained_on_are_told_once_no_other_evaluation_can_follow() -> None:
    data, evaluations = torch.randn(300, 4), Evaluations()
    add(evaluations, data[:200])
    add(evaluations, data[150:250], "loader 0")
    found = evaluations.figures(0)
    assert (found["held_out_seen"], found["held_out_overlap"]) == (0.5, 0.5)
    assert found["held_out_times"] == pytest.approx(1.0, abs=0.5)
    assert "held_out_seen" not in evaluations.latest_figures()


def test_rows_that_are_scaled_with_others_are_told_with_the_first_evaluation() -> None:
    data = torch.randn(300, 4).double()
    data[200:] += 3
    scaled = ((data - data.mean(0)) / data.std(0)).float()
    alone = ((data - data[:200].mean(0)) / data[:200].std(0)).float()
    for rows, share in ((scaled, 1.0), (alone, 0.0)):
        evaluations = Evaluations()
        add(evaluations, rows[:200])
        evaluations.add(
            Stretch(False, False, 1, rows=[rows[200:].view(torch.int32)], kept=100), by_loader=True
        )
        assert evaluations.latest_figures().get("scaled_together", 0.0) == share


def test_rows_that_were_trained_on_before() -> None:
    data = torch.randn(300, 4)
    assert seen(data[:200], data[100:200]) == 1.0
    assert seen(data[:200], data[200:]) == 0.0
    # Rows that come again by chance: few columns, few numbers, the same ones over and over.
    assert seen(data[:200, :2].contiguous(), data[100:200, :2].contiguous()) is None
    assert seen(data[:200].round(), data[100:200].round()) is None
    assert seen(data[:200], data[100:130].repeat(3, 1)) is None
    ids = torch.randint(0, 1000, (300, 12))
    assert seen(ids[:200], ids[100:200]) == 1.0
    assert seen(ids, ids[:25]) is None
    assert seen(ids[:200, :2], ids[100:200, :2]) is None


def test_an_evaluation_of_several_networks_is_of_parts_of_the_rows() -> None:
    data, evaluations = torch.randn(100, 4), Evaluations()
    add(evaluations, data)
    add(evaluations, data, "loader 0", networks=2)
    assert "held_out_seen" not in evaluations.figures(0)


def test_only_the_training_under_way_counts_and_the_least_of_all_evaluations() -> None:
    data, evaluations = torch.randn(300, 4), Evaluations()
    add(evaluations, data)
    evaluations.begin_training(goes_on=True)
    # Pretrained on all there is, without labels maybe, and then trained on a part.
    add(evaluations, data[:200])
    add(evaluations, data[200:], "loader 0")
    assert evaluations.figures(0)["held_out_seen"] == 0.0
    # In the end it is trained on all.
    add(evaluations, data)
    add(evaluations, data[200:], "loader 0")
    assert evaluations.figures(0)["held_out_seen"] == 0.0


@pytest.mark.parametrize(("goes_on", "folds"), [(True, 2.0), (False, None)])
def test_one_network_for_all_folds(goes_on: bool, folds: float | None) -> None:
    data, evaluations = torch.randn(300, 4), Evaluations()
    parts = data.split(100)
    for number, part in enumerate(parts):
        evaluations.begin_training(goes_on=goes_on and number > 0)
        add(evaluations, torch.cat([each for each in parts if each is not part]))
        add(evaluations, part, "loader 0")
    found = evaluations.figures(0)
    assert found.get("folds_learned", 0.0) == (folds or 0.0)
    assert found["held_out_seen"] == 0.0


def test_who_evaluates_on_other_rows_too_is_told_nothing() -> None:
    data, evaluations = torch.randn(300, 4), Evaluations()
    add(evaluations, data[:200])
    add(evaluations, data[:100], "loader 0")
    assert evaluations.figures(0)["held_out_seen"] == 1.0
    add(evaluations, data[200:], "rows")
    assert evaluations.figures(0)["held_out_seen"] == 0.0


def test_what_the_training_is_given_is_no_source_apart() -> None:
    data, evaluations = torch.randn(300, 4), Evaluations()
    add(evaluations, data[:200])
    add(evaluations, data[:100], "rows")
    assert "held_out_seen" not in evaluations.figures(0)


@pytest.mark.parametrize(("given", "share"), [({1}, 0.4), ({1, 3}, 0.0)])
def test_a_network_with_a_state_may_be_given_what_came_before(
    given: set[int], share: float
) -> None:
    rows = torch.randn(100, 4)
    evaluations = Evaluations()
    add(evaluations, rows[:60])
    batch = rows[40:90].view(torch.int32)
    evaluations.add(Stretch(False, False, 2, rows=[batch], kept=50, given=given), by_loader=False)
    assert evaluations.figures(0)["evaluation_shared"] == pytest.approx(share)
