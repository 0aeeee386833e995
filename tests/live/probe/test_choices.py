"""The accuracies that may be counted of the answers of an evaluation."""

from types import SimpleNamespace
from typing import Any

import torch

from course_probe.ledger.choices import AnswerCount, KnownScore, note_said

LABELS = torch.tensor([[1, 2, -100], [0, 1, 1]])
ANSWERS = torch.tensor([[1, 0, 0], [1, 1, 2]])


def said(figures: dict[str, Any], *, processes: int = 1, **named: Any) -> dict[str, KnownScore]:
    count, found = AnswerCount(), dict[str, KnownScore]()
    logits = torch.nn.functional.one_hot(ANSWERS, 3).float()
    count.add(named, {"logits": logits})
    trainer = SimpleNamespace(args=SimpleNamespace(world_size=processes))
    note_said(found, trainer, figures, count)
    return found


def test_places_rows_and_next_places_are_counted() -> None:
    (found,) = said({"eval_accuracy": 0.5, "eval_f1": 0.4}, labels=LABELS).values()
    # Two of five places, no row as a whole, two of three next places; of all there are.
    assert found.counted == [2 / 5, 0.0, 2 / 3, 2 / 6, 2 / 4]
    assert found.answers == 5


def test_an_evaluation_that_comes_to_nothing_but_its_times() -> None:
    times = {"eval_runtime": 0.2, "eval_samples_per_second": 1705.1, "epoch": 1.0}
    assert said(times) == {"": KnownScore(None, [], 0)}
    assert said({**times, "eval_loss": 0.4}) == {}


def test_what_is_no_accuracy_of_answers_with_labels_is_not_told() -> None:
    assert said({"eval_accuracy": 0.5}) == {}
    assert said({"eval_accuracy": 0.5}, labels=LABELS.float()) == {}
    assert said({"eval_accuracy": 0.5}, labels=LABELS[:, 0]) == {}
    assert said({"eval_balanced_accuracy": 0.5}, labels=LABELS) == {}
    assert said({"eval_accuracy": 0.5}, labels=LABELS, processes=2) == {}
