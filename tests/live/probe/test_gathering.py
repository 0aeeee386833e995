"""What several processes gather is an evaluation, where no metric is given it."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from course_probe.hooks.evaluation.gathering import GatheringHooks
from course_probe.hooks.evaluation.writer import EvaluationWriter

GUESSES, LABELS = torch.tensor([0, 1, 1, 0, 1]), torch.tensor([0, 1, 0, 0, 1])


def together(own: Any) -> Any:
    """Gather this process's numbers and the other's: 3 right of 5, and 3 of 4."""
    table = {3.0: 6.0, 5.0: 9.0, 0.6: 0.6 + 0.75, 1.0: 2.0, 2.0: 4.0, 4.0: 7.0}
    return torch.tensor([table.get(round(float(n), 1), 99.0) for n in own.flatten()])


class Accelerator:
    def gather(self, found: Any) -> Any:
        return found

    def gather_for_metrics(self, found: Any) -> Any:
        return self.gather(found)

    def reduce(self, tensor: Any, reduction: str = "sum", scale: float = 1.0) -> Any:
        """Answer as the other process: as many right, and one example fewer."""
        return together(tensor) / (2 if reduction == "mean" else 1) * scale


class Heard:
    def __init__(self, processes: int = 2) -> None:
        self.events: list[Any] = []
        self.figures: dict[str, float] = {}
        log: Any = SimpleNamespace(
            looking=False, write=self.events.append, write_figures=self.figures.update
        )
        distributed: Any = SimpleNamespace(
            processes=processes,
            at_step=[],
            at_end=[],
            figures=lambda: {"gathers": 2.0},
            count_gather=lambda: None,
        )
        self.hooks = GatheringHooks(
            log,
            SimpleNamespace(is_active=False),  # type: ignore[arg-type]
            SimpleNamespace(reference=lambda: [None] * 10),  # type: ignore[arg-type]
            distributed,
            SimpleNamespace(count_answers=lambda: (3, 5)),  # type: ignore[arg-type]
            EvaluationWriter(log, distributed, SimpleNamespace(steps=7)),  # type: ignore[arg-type]
        )
        kind = type("Own", (Accelerator,), {})
        self.hooks.hook(SimpleNamespace(Accelerator=kind))  # type: ignore[arg-type]
        self.accelerator = kind()
        self.distributed = distributed


@pytest.mark.parametrize(
    "gather",
    [
        lambda a: a.gather_for_metrics((GUESSES, LABELS)),
        lambda a: a.gather({"guesses": GUESSES, "labels": LABELS}),
        lambda a: (a.gather_for_metrics(GUESSES), a.gather_for_metrics(LABELS)),
        lambda a: a.gather_for_metrics((torch.nn.functional.one_hot(GUESSES) * 1.5, LABELS)),
    ],
)
def test_answers_and_labels_are_an_evaluation(gather: Callable[[Any], object]) -> None:
    heard = Heard()
    for _ in range(2):
        gather(heard.accelerator)
    for call in heard.distributed.at_end:
        call()
    (event,) = heard.events
    assert (event["values"], event["examples"]) == ({"eval_accuracy": 0.8}, 10)
    assert event["labels"] == {"0": 6, "1": 4}
    assert heard.figures == {"evaluated_share": 1.0, "gathers": 2.0}
    heard.hooks.end()
    assert len(heard.events) == 1


def test_losses_are_none_and_what_a_metric_is_given_it_tells_itself() -> None:
    heard = Heard()
    heard.accelerator.gather(torch.tensor([0.3, 0.4]))
    heard.hooks.end()
    heard.accelerator.gather_for_metrics((GUESSES, LABELS))
    heard.hooks.forget()
    heard.hooks.end()
    assert heard.events == []
    alone = Heard(processes=1)
    alone.accelerator.gather_for_metrics((GUESSES, LABELS))
    alone.hooks.end()
    assert alone.events == []


def numbers(*found: float) -> Any:
    return torch.tensor(found)


@pytest.mark.parametrize(
    ("calls", "accuracy", "rows"),
    [
        ([(numbers(3, 5), "sum")], 6 / 9, 9),
        ([(numbers(0.4, 3, 5), "sum")], 6 / 9, 9),
        ([(numbers(3), "sum"), (numbers(5), "sum")], 6 / 9, 9),
        # In each batch, of which there are two.
        ([(numbers(1, 1), "sum"), (numbers(2, 4), "sum")], 6 / 9, 9),
        # How many there are the script may take from the data.
        ([(numbers(3), "sum")], 6 / 10, 10),
        ([(numbers(3, 5), "mean")], 6 / 9, 9),
        ([(numbers(0.6), "mean")], (0.6 + 0.75) / 2, 10),
    ],
)
def test_counts_that_are_put_together_are_an_evaluation(
    calls: list[tuple[Any, str]], accuracy: float, rows: int
) -> None:
    heard = Heard()
    for tensor, reduction in calls:
        heard.accelerator.reduce(tensor, reduction=reduction)
    heard.hooks.end()
    (event,) = heard.events
    assert event["values"]["eval_accuracy"] == pytest.approx(accuracy)
    assert event["examples"] == rows
    assert heard.figures["evaluated_share"] == rows / 10
    heard.hooks.end()
    assert len(heard.events) == 1


def test_numbers_that_are_not_what_the_model_has_answered_are_none() -> None:
    for given in (numbers(5, 5), numbers(0.9), numbers(2), torch.zeros(20)):
        heard = Heard()
        heard.accelerator.reduce(given)
        heard.hooks.end()
        assert heard.events == []
    alone = Heard(processes=1)
    alone.accelerator.reduce(numbers(3, 5))
    alone.hooks.end()
    assert alone.events == []


@pytest.mark.parametrize(
    ("answers", "labels", "match"),
    [
        (GUESSES, LABELS, 1.0),
        (GUESSES, LABELS[:3], 1.0),
        (GUESSES, 1 - LABELS, 1 / 5),
        # What was wrong is right now, and what was right is wrong.
        (LABELS, LABELS, 0.0),
        (1 - LABELS, LABELS, 1 / 5),
    ],
)
def test_a_metric_is_given_what_was_gathered(answers: Any, labels: Any, match: float) -> None:
    heard = Heard()
    heard.accelerator.gather_for_metrics((GUESSES, LABELS))
    heard.hooks.compare(labels.tolist(), answers.tolist())
    assert heard.distributed.gathered_match == match
