"""What several processes gather is an evaluation, where no metric is given it."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from course_probe.hooks.evaluation.gathering import GatheringHooks
from course_probe.hooks.evaluation.writer import EvaluationWriter

GUESSES, LABELS = torch.tensor([0, 1, 1, 0, 1]), torch.tensor([0, 1, 0, 0, 1])


class Accelerator:
    def gather(self, found: Any) -> Any:
        return found

    def gather_for_metrics(self, found: Any) -> Any:
        return self.gather(found)


class Heard:
    def __init__(self, processes: int = 2) -> None:
        self.events: list[Any] = []
        self.figures: dict[str, float] = {}
        log: Any = SimpleNamespace(
            looking=False, write=self.events.append, write_figures=self.figures.update
        )
        distributed: Any = SimpleNamespace(
            processes=processes, at_step=[], at_end=[], figures=lambda: {"gathers": 2.0}
        )
        loader = SimpleNamespace(dataset=[None] * 10)
        self.hooks = GatheringHooks(
            log,
            SimpleNamespace(is_active=False),  # type: ignore[arg-type]
            SimpleNamespace(current=loader),  # type: ignore[arg-type]
            distributed,
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
