"""What is certain of an exception, what is possible, and what is ruled out."""

from dataclasses import replace
from typing import Any

import pytest

from course.base.schema import Unfit
from course.lesson.signature import Signature
from course.lesson.state import read_conditions
from course.runs.record import Raised, RunRecord

TOO_LARGE = ({"figure": "embedding.largest_id", "at_least": "embedding.rows"},)
RAISED = Raised("builtins.IndexError", ("builtins.IndexError",), "index out of range in self")


def asking(**conditions: Any) -> Signature:
    words = "index out of range in self"
    return Signature("builtins.IndexError", words, words, "torch", **conditions)


def record(*, device: str | None = None, **changes: Any) -> RunRecord:
    return RunRecord("exception", device=device, raised=replace(RAISED, **changes))


@pytest.mark.parametrize(
    ("state", "fit"),
    [
        ({"embedding.largest_id": 900.0, "embedding.rows": 900.0}, "certain"),
        ({"embedding.largest_id": 899.0, "embedding.rows": 900.0}, None),
        ({"embedding.largest_id": 900.0}, "possible"),
        ({"embedding.rows": 900.0}, "possible"),
        ({}, "possible"),
        ({"embedding.largest_id": "many", "embedding.rows": 900.0}, None),
    ],
)
def test_what_was_not_measured_makes_a_fault_possible(state: dict[str, Any], fit: str) -> None:
    assert asking(state=read_conditions(TOO_LARGE)).fit(record(state=state)) == fit


def test_one_condition_that_is_broken_rules_it_out_though_others_are_open() -> None:
    conditions = read_conditions((*TOO_LARGE, {"figure": "model.positions", "below": 512}))
    assert asking(state=conditions).fit(record(state={"model.positions": 512.0})) is None


def test_words_are_compared_with_words_and_with_facts() -> None:
    either = read_conditions(({"figure": "input.dtype", "is_not": "weight.dtype"},))
    plain = read_conditions(({"figure": "input.dtype", "is": "torch.float64"},))
    double = {"input.dtype": "torch.float64", "weight.dtype": "torch.float32"}
    assert either[0].holds(double)
    assert plain[0].holds(double)
    assert either[0].holds(double | {"weight.dtype": "torch.float64"}) is False
    assert plain[0].holds({"input.dtype": "torch.float32"}) is False
    assert plain[0].holds({}) is None


def test_a_text_leaves_open_what_it_does_not_say() -> None:
    seen = asking(device="cuda", owner="torch.Tensor", versions={"torch": ">=2"})
    assert seen.fit(record()) is None, "a run tells that there was no GPU"
    assert seen.fit(record(by_words=True)) == "possible"
    told = replace(record(by_words=True, device="cuda", owner=("torch.Tensor",)))
    assert seen.fit(replace(told, versions={"torch": "2.1"})) == "certain"
    assert seen.fit(replace(told, versions={"torch": "1.1"})) is None


@pytest.mark.parametrize(
    ("classes", "fit"),
    [
        (("IndexError",), "certain"),
        (("builtins.IndexError",), "certain"),
        ((), "certain"),
        (("KeyError",), None),
    ],
)
def test_a_text_names_a_class_without_its_module_or_none(
    classes: tuple[str, ...], fit: str
) -> None:
    assert asking().fit(record(classes=classes, by_words=True)) == fit


@pytest.mark.parametrize(
    "table",
    [{"figure": "a"}, {"above": 3}, {"figure": "a", "over": 3}, {"figure": "a", "above": [3]}],
)
def test_a_condition_that_compares_nothing_is_refused(table: dict[str, Any]) -> None:
    with pytest.raises(Unfit, match="figure"):
        read_conditions((table,))
