"""What is counted of a training with Keras, on arrays: no framework is needed for it."""

import io
import json
import random
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from course_probe.event_log import EventLog
from course_probe.hooks.keras.answers import (
    Answers,
    EvaluationData,
    chance_unmoved,
    classes_of,
    rows_of,
)
from course_probe.hooks.keras.tfdata import BatchSource
from course_probe.hooks.keras.vitals import KerasVitals, current_rate
from course_probe.hooks.vitals import VitalsHooks
from course_probe.vital_signs.examples import fingerprints
from course_probe.vital_signs.scores import accuracy, compare, cross_entropy

TENSORFLOW = SimpleNamespace(config=SimpleNamespace(list_physical_devices=lambda _kind: []))


class Model(SimpleNamespace):
    """A built model without a variable; unlike its base it can be referred to weakly."""

    def __init__(self) -> None:
        optimizer = SimpleNamespace(iterations=0)
        super().__init__(built=True, weights=[], trainable_variables=[], optimizer=optimizer)


class Tensor:
    """As much of a tensor as is read."""

    def __init__(self, values: Any) -> None:
        self._values = numpy.asarray(values)
        self.shape = self._values.shape

    def numpy(self) -> Any:
        return self._values


def batch(ids: list[list[int]], labels: list[int], width: int = 4) -> dict[str, Any]:
    """Token ids, padded to a width with what a mask hides."""
    rows = [row + [9] * (width - len(row)) for row in ids]
    mask = [[1] * len(row) + [0] * (width - len(row)) for row in ids]
    return {
        "input_ids": numpy.array(rows),
        "attention_mask": numpy.array(mask),
        "labels": numpy.array(labels),
    }


def ask(answers: list[int], labels: Any, limit: int = 100) -> Answers:
    """Answers of a model that is as good as sure of these classes."""
    x = numpy.arange(len(answers))

    def model(rows: Any, *, training: bool) -> Tensor:
        assert training is False
        return Tensor(numpy.eye(3)[[answers[int(row)] for row in rows]] * 8)

    return Answers(model, EvaluationData({"x": (x, numpy.array(labels))}), limit)


def prints(ids: list[int], width: int) -> list[int]:
    """Fingerprint a row that is padded to a width."""
    rows = rows_of(batch([ids], [0], width))
    assert rows is not None
    found: list[int] = fingerprints(*rows).tolist()
    return found


def test_a_row_is_the_same_whatever_padding_follows() -> None:
    assert prints([1, 2, 3], 3) == prints([1, 2, 3], 6)
    assert prints([1, 2, 3], 3) != prints([1, 3, 2], 3)
    assert rows_of({"pixels": numpy.array([[1, 2, 3]])}) is None


@pytest.fixture
def counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What is told of the data, where so many steps were taken of batches that were read."""
    monkeypatch.setitem(sys.modules, "tensorflow", TENSORFLOW)

    def count(batches: list[dict[str, Any]], steps: int) -> dict[str, Any]:
        class Marked(list[Any]):
            _course_source = BatchSource(None, 2)

        out = io.StringIO()
        log = EventLog(out, str(tmp_path / "stop"))
        shared, model = VitalsHooks(log), Model()
        shared._unknown = (2,)
        vitals, data = KerasVitals(log, shared), EvaluationData({"x": Marked()})
        vitals.begin_training(model, data, 2, normalised=False)
        for each in batches:
            Marked._course_source.hear(each)
        for step in range(steps):
            vitals.note_step(model, step + 1)
        vitals.write()
        found: dict[str, Any] = json.loads(out.getvalue().splitlines()[-1])["data"]
        return found

    return count


def test_batches_read_ahead_of_the_training_are_left_out(counted: Any) -> None:
    read = [batch([[1], [2]], [0, 1]), batch([[1], [3, 4]], [0, 1]), batch([[5], [6]], [2, 2])]
    found = counted(read, 2)
    assert (found["rows"], found["examples"], found["batch_size"]) == (4, 3, 2)
    assert (found["labels"], found["classes"]) == ({"0": 2, "1": 2}, 2)
    assert found["padding"] == 16 / 6
    assert found["unknown"] == 1 / 5
    assert counted(read, 3)["classes"] == 3


def test_sorted_data_are_known_by_their_order(counted: Any) -> None:
    ordered = [batch([[label]] * 4, [label] * 4) for label in (0, 0, 0, 1, 1, 1)]
    mixed = [batch([[label]] * 4, [0, 1, 0, 1]) for label in (0, 0, 0, 1, 1, 1)]
    assert counted(ordered, 6)["order"] < 0.1
    assert counted(mixed, 6)["order"] > 1


def test_what_was_not_heard_whole_is_not_measured(counted: Any) -> None:
    assert "rows" not in counted([], 0)
    assert "rows" not in counted([batch([[1]], [0])], 2)
    assert "labels" not in counted([{"input_ids": numpy.array([[1]])}], 1)


def test_labels_are_classes_or_not_measured() -> None:
    assert classes_of(numpy.array([[2], [0]])).tolist() == [2, 0]
    assert classes_of(numpy.array([[0.0, 1.0], [1.0, 0.0]])).tolist() == [1, 0]
    assert classes_of(numpy.array([0.5, 1.5])) is None
    assert classes_of(None) is None


def test_answers_are_scored_beside_the_labels() -> None:
    found = ask([0, 1, 2, 2], [0, 1, 2, 0]).signs(set(), normalised=False)
    assert (found["rows"], found["accuracy"], found["baseline"]) == (4, 0.75, 0.5)
    assert found["answers"] == {"0": 1, "1": 1, "2": 2}
    assert found["labels"] == {"0": 2, "1": 1, "2": 1}
    assert "overlap" not in found
    assert "f1" not in found
    assert found["loss"] == pytest.approx(2.0, abs=0.01)
    binary = ask([0, 1, 1, 1], [0, 1, 0, 1]).signs(set(), normalised=False)
    assert (binary["f1"], binary["f1_baseline"]) == (0.8, 4 / 6)


def test_of_a_part_of_the_rows_their_number_is_not_told() -> None:
    found = ask([0, 1] * 40, [0, 1] * 40, limit=32).signs(set(), normalised=False)
    assert found["accuracy"] == 1.0
    assert "rows" not in found


def test_the_first_rows_are_answered_anew_without_reading_them_again() -> None:
    pairs = [(numpy.arange(4) + at, numpy.array([0, 1, 2, 0])) for at in (0, 4, 8)]
    read: list[int] = []

    class Once(EvaluationData):
        def batches(self) -> Any:
            for number, pair in enumerate(pairs):
                read.append(number)
                yield pair

    def sure_of(*answers: int) -> Any:
        return lambda rows, training: Tensor(numpy.eye(3)[[answers[row % 4] for row in rows]])

    after = Answers(sure_of(0, 1, 2, 0), Once({}), 100)
    before = after.ask_again(sure_of(0, 0, 0, 0), 5)
    assert read == [0, 1, 2]
    assert (after.rows, after.is_all, accuracy(after.outputs, after.labels)) == (12, True, 1.0)
    assert (before.rows, before.is_all) == (8, False)
    assert accuracy(before.outputs, before.labels) == 0.5
    whole = after.ask_again(sure_of(0, 0, 0, 0), 100)
    assert (whole.rows, whole.is_all) == (12, True)


def test_a_label_without_an_output_has_no_loss() -> None:
    assert cross_entropy(numpy.eye(3), numpy.array([0, 3, 1])) is None
    assert cross_entropy(numpy.eye(3), numpy.array([0, -1, 1])) is None


def test_before_and_after_are_compared_on_the_same_rows() -> None:
    labels = [i % 3 for i in range(64)]
    before, after = ask([0] * 64, labels, limit=32), ask(labels, labels)
    assert (before.rows, before.is_all, after.is_all) == (32, False, True)
    found = compare(before.outputs, after.outputs, after.labels)
    assert (found["compared"], found["accuracy_after"]) == (32, 1.0)
    assert found["gain"] == 1 - 11 / 32
    assert found["loss_gain"] > 5


def test_what_cannot_be_read_once_more_has_no_answers() -> None:
    lines = ({"input_ids": [[1]]} for _ in range(3))
    assert list(EvaluationData({"x": lines}).batches()) == []
    assert len(list(lines)) == 3


def test_batches_of_any_width_are_answered_in_order_and_at_once() -> None:
    calls = []

    def model(x: dict[str, Any], *, training: bool) -> Tensor:
        calls.append(x["input_ids"].shape)
        # As a model does, it reads what the mask leaves.
        sums = (x["input_ids"] * x["attention_mask"]).sum(-1)
        return Tensor(numpy.eye(3)[sums % 3])

    class Marked(list[Any]):
        _course_source = BatchSource(None, 2)

    rows = [[1], [2, 1], [1, 2, 2], [1, 1, 1]]
    labels = [1, 0, 2, 0]
    data = Marked(
        (batch(rows[i : i + 2], labels[i : i + 2], width), None) for i, width in ((0, 2), (2, 3))
    )
    found = Answers(model, EvaluationData({"x": data}), 100)
    assert calls == [(4, 3)]
    assert (found.rows, found.labels.tolist()) == (4, labels)
    assert accuracy(found.outputs, found.labels) == 1.0


def test_random_numbers_come_as_they_would_have() -> None:
    random.seed(1)
    numpy.random.seed(1)
    expected = random.random(), numpy.random.rand()
    random.seed(1)
    numpy.random.seed(1)
    with chance_unmoved():
        random.random()
        numpy.random.rand()
    assert (random.random(), numpy.random.rand()) == expected


def test_the_rate_of_an_older_optimizer_follows_its_schedule() -> None:
    class Optimizer:
        iterations = 11

        def learning_rate(self, step: int) -> float:
            return step / 100

    assert current_rate(Optimizer()) == 0.1
    assert current_rate(object()) is None


@pytest.mark.parametrize("examined", [False, True])
def test_what_is_examined_is_not_measured(
    examined: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = io.StringIO()
    log = EventLog(out, str(tmp_path / "stop"))
    vitals = KerasVitals(log, VitalsHooks(log, examined=examined))
    model = Model()
    data = EvaluationData({"x": (numpy.arange(3), numpy.array([0, 1, 1]))})
    vitals.begin_training(model, data, 2, normalised=False)
    monkeypatch.setitem(sys.modules, "tensorflow", TENSORFLOW)
    vitals.note_step(model, 20)
    told = [json.loads(line)["event"] for line in out.getvalue().splitlines()]
    assert told == ([] if examined else ["vitals"])
