"""What is measured of a script of Keras beside its rows: on objects that are as much of Keras."""

import ast
import sys
import textwrap
from types import ModuleType
from typing import Any

import numpy
import pytest

from course_probe.hooks.keras import predictions as predicted
from course_probe.ledger.keras_ledger import steps_with_rate
from course_probe.reading.predictions_beside import predictions
from course_probe.vital_signs.evaluation.metric_resets import MetricResets
from course_probe.vital_signs.sequences.padding_sides import padded_apart


class Metric:
    """Something that counts."""


class Rate:
    """A schedule that comes to nothing after so many steps."""

    def __init__(self, steps: int, floor: float = 0.0) -> None:
        self._steps, self._floor = steps, floor

    def __call__(self, step: int) -> float:
        return max(0.1 * (1 - step / self._steps), self._floor)

    def get_config(self) -> dict[str, Any]:
        return {}


class Optimizer:
    """One that has taken some steps."""

    def __init__(self, rate: Any, iterations: int) -> None:
        self._learning_rate, self.iterations = rate, iterations


def test_a_schedule_that_is_over_long_before_the_training() -> None:
    assert steps_with_rate(Optimizer(Rate(25), 1250), 0.1) == 25
    for rate, steps, highest in (
        # As long as it should be, or nearly; or it goes on at a low rate.
        *((Rate(1250), 1250, 0.1), (Rate(1220), 1250, 0.1), (Rate(25, floor=0.001), 1250, 0.1)),
        # A number, a rate that was 0 all the time, no step.
        *((0.0, 100, 0.1), (Rate(25), 100, 0.0), (Rate(25), 0, 0.1)),
    ):
        assert steps_with_rate(Optimizer(rate, steps), highest) is None


def test_a_metric_that_is_set_back_for_each_batch() -> None:
    def run(*, inside: bool, reads: int = 1, passes: int = 4) -> int:
        metric, resets = Metric(), MetricResets()
        count = 0
        for number in range(passes):
            if not inside:
                resets.reset(metric, count, 256)
                count = 0
            resets.begin_pass()
            for size in (256, 256, 88):
                if inside:
                    resets.reset(metric, count, 256)
                    count = 0
                count += size
                if reads > 1:
                    resets.read(metric, count, 256)
            if number % 2:
                resets.read(metric, count, 256)
        return resets.count()

    assert run(inside=True) == 2
    assert run(inside=False) == run(inside=False, passes=1) == 0
    # Each batch is told by itself.
    assert run(inside=True, reads=2) == 0


def test_labels_that_are_padded_at_the_other_end() -> None:
    chance = numpy.random.default_rng(0)
    sizes = chance.integers(1, 9, 100)
    ids, tags = (numpy.zeros((100, 8), dtype="int32") for _ in range(2))
    in_front = tags.copy()
    for row, size in enumerate(sizes):
        ids[row, :size] = chance.integers(1, 50, size)
        tags[row, :size] = chance.integers(1, 4, size)
        in_front[row, 8 - size :] = tags[row, :size]
    assert padded_apart(ids, in_front) == 1.0
    assert padded_apart(ids, in_front[..., None]) == 1.0
    assert padded_apart(in_front * 9, tags) == 1.0
    assert padded_apart(ids, tags) == 0.0
    # To give the row backwards is a task; and a 0 may be a tag.
    assert padded_apart(ids, ids[:, ::-1]) == 0.0
    assert padded_apart(ids, tags - (tags > 0)) == 0.0
    assert padded_apart(ids, tags[:, 0]) is padded_apart(ids / 2, tags) is None


def test_what_the_text_sets_beside_a_column_of_predictions() -> None:
    text = """
    y_test = load()
    guess = model.predict(x)
    error = abs(guess - y_test)
    def scored(x, y, mean):
        euros = model.predict(x, verbose=0) * 3 + mean
        share = ((euros > 0.5).astype(int) == y[:40]).mean()
        flat = model.predict(x)[:, 0] - y
        euros = euros.ravel()
        return euros - y
    def highest(x):
        return model.predict(x).argmax(axis=1)
    """
    found = predictions(ast.parse(textwrap.dedent(text)))
    assert [ast.unparse(each.other) for each in found["<module>"].pairings] == ["y_test"]
    beside = found["scored"].pairings
    share = [each for each in beside if each.line == 7]
    assert [(ast.unparse(each.other), each.column) for each in share] == [
        ("y[:40]", (6, 6, {"mean"}))
    ]
    assert not [each for each in beside if each.line > 7]
    assert [each.first for each in found["highest"].extremes] == [12]
    assert found["scored"].extremes == []


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("error = guess - y", {"column_rows": 30.0}),
        ("share = (guess > 0.5) == y[rows]", {"column_rows": 30.0}),
        ("euros = guess * spread + 3\nerror = euros - longer[20:]", {"column_rows": 30.0}),
        ("kind = np.argmax(guess, axis=-1)", {"of_one": 1.0}),
        ("kind = other_model.predict()\nkind = np.argmax(kind, axis=-1)", {}),
        ("guess = other_model.predict()\nerror = guess - y", {}),
        ("guess = guess[:, 0]\nerror = guess - y", {}),
        ("error = guess - y[:, None]", {}),
        ("error = guess - few", {}),
        ("error = guess - table", {}),
        ("error = guess * y.std() - other", {}),
    ],
)
def test_a_column_beside_a_row_of_numbers_is_known_by_its_values(
    after: str, expected: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    y = numpy.arange(30.0)
    note = predicted.PredictedColumns().note
    names = {
        **{"y": y, "rows": y < 40, "spread": y.std(), "longer": numpy.arange(50.0)},
        **{"few": y[:3], "table": y[:, None], "np": numpy, "other": 3},
    }
    script = ModuleType("__main__")
    made = numpy.zeros((30, 1))
    found: list[dict[str, float]] = []

    class Network:
        """Answers, while the script waits."""

        def predict(self) -> Any:
            found.append(note(made))
            return made

    text = f"guess = model.predict()\n{after}\n"
    monkeypatch.setitem(sys.modules, "__main__", script)
    monkeypatch.setattr(predicted, "parsed", lambda: ast.parse(text))
    vars(script).update(names, model=Network(), other_model=Network())
    exec(compile(text, "script.py", "exec"), vars(script))
    assert found[:1] == [expected]
    assert note(numpy.zeros((30, 2))) == note([1]) == {}
