"""What a metric was given, and has computed, is heard once; the metric is as it was by then."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import datasets
import evaluate
import pytest

from course_probe.hooks.evaluation.metric import MetricHooks


class Right(evaluate.Metric):
    def _info(self) -> evaluate.MetricInfo:
        whole = datasets.Value("int64")
        features = datasets.Features({"predictions": whole, "references": whole})
        return evaluate.MetricInfo(description="", citation="", features=features)

    def _compute(self, *, predictions: Any, references: Any) -> dict[str, float]:
        if not any(references):
            raise ValueError("mine")
        right = [a == b for a, b in zip(predictions, references, strict=True)]
        return {"accuracy": sum(right) / len(right)}


class Heard:
    def __init__(self) -> None:
        self.given: list[Any] = []
        self.written: list[Any] = []
        self.trainer: Any = SimpleNamespace(is_active=False)
        self.hooks = MetricHooks(
            SimpleNamespace(looking=False),  # type: ignore[arg-type]
            self.trainer,
            SimpleNamespace(dataset=range(9)),  # type: ignore[arg-type]
            SimpleNamespace(
                note_given=lambda *of: self.given.append(of), note_said=lambda _v: None
            ),  # type: ignore[arg-type]
            SimpleNamespace(forget=lambda: None, compare=lambda _references, _predictions: None),  # type: ignore[arg-type]
            SimpleNamespace(write=lambda *of: self.written.append(of)),  # type: ignore[arg-type]
        )


@pytest.fixture
def heard() -> Iterator[Heard]:
    kept = evaluate.EvaluationModule._finalize
    found = Heard()
    found.hooks.hook(evaluate.module)
    yield found
    evaluate.EvaluationModule._finalize = kept


def test_each_result_is_heard_once(heard: Heard, tmp_path: Path) -> None:
    metric = Right(cache_dir=str(tmp_path))
    before = {*vars(metric)}
    for _ in range(2):
        metric.add_batch(predictions=[1, 0], references=[1, 1])
        assert metric.compute(predictions=[0], references=[0]) == {"accuracy": 2 / 3}
    assert heard.written == [({"eval_accuracy": 2 / 3}, {"1": 2, "0": 1}, range(9))] * 2
    assert len(heard.given) == 2
    assert {*vars(metric)} == before


def test_a_metric_that_fails_and_one_of_a_trainer_tell_nothing(
    heard: Heard, tmp_path: Path
) -> None:
    metric = Right(cache_dir=str(tmp_path))
    with pytest.raises(ValueError, match="mine"):
        metric.compute(predictions=[0], references=[0])
    heard.trainer.is_active = True
    metric = Right(cache_dir=str(tmp_path))
    assert metric.compute(predictions=[1], references=[1]) == {"accuracy": 1}
    assert heard.written == []
    assert len(heard.given) == 2
