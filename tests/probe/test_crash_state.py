"""What is looked up in the frames of a crash: never anything that runs a learner's code."""

import sys
from pathlib import Path
from typing import Any

import pytest

from course_probe import crash_state
from course_probe.exception_report import OwnScript, levels


@pytest.fixture(autouse=True)
def on_a_busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it takes: what is found is asked here, not how fast."""
    monkeypatch.setattr(crash_state, "PATIENCE", 60.0)


class Hostile:
    """Whatever is asked of it is noted."""

    def __init__(self, asked: list[str]) -> None:
        object.__setattr__(self, "asked", asked)
        object.__setattr__(self, "size", 3)

    def __getattribute__(self, name: str) -> Any:
        object.__getattribute__(self, "__dict__")["asked"].append(name)
        raise RuntimeError(name)

    def __repr__(self) -> str:
        object.__getattribute__(self, "__dict__")["asked"].append("repr")
        raise RuntimeError

    __len__ = __eq__ = __hash__ = __repr__  # type: ignore[assignment]


def found(error: BaseException) -> dict[str, Any]:
    own = OwnScript(Path(__file__))
    return crash_state.find(levels(error.__traceback__, own), own)


def test_the_names_of_the_line_are_told_and_no_others() -> None:
    rows, word, unused, box = 3, "a" * 500, 7, {"ids": 1, "mask": 2}
    try:
        rows + len(box) + [unused][0] + "unused" + word  # type: ignore[operator]
    except TypeError as error:
        state = found(error)
    assert state["line.rows"] == "3"
    assert state["line.box"] == "dict(2): ids, mask"
    assert len(state["line.word"]) <= crash_state.LONGEST
    assert set(state) == {"line.rows", "line.box", "line.word", "line.unused"}


def test_what_an_argument_or_a_part_of_a_result_is_called_is_no_name_of_the_line() -> None:
    base, index, width = 7, 8, 3
    try:
        [int("2", base=width)].copy().index(width + 1)
    except ValueError as error:
        state = found(error)
    assert base < index
    assert set(state) == {"line.width"}
    with pytest.raises(ValueError, match="stands") as caught:
        raise ValueError("no name stands here")
    assert not {name for name in found(caught.value) if name.startswith("line.")}


def test_nothing_of_the_learners_is_called() -> None:
    asked: list[str] = []
    thing = Hostile(asked)
    box = [thing, thing]
    try:
        1 / 0, thing, thing.size, box  # type: ignore[operator] # noqa: B018
    except ZeroDivisionError as error:
        state = found(error)
    assert asked == []
    assert (state["line.thing"], state["line.thing.size"]) == ("Hostile", "3")
    assert state["line.box"] == "list(2) Hostile"


def test_a_statement_of_several_lines_is_read_as_a_whole() -> None:
    first, second = 1, "2"
    try:
        _ = first + int(
            second,
            base="x",  # type: ignore[arg-type]
        )
    except TypeError as error:
        state = found(error)
    assert {"line.second"} <= set(state)


def test_a_long_way_down_is_no_trouble() -> None:
    def deeper(n: int) -> int:
        return deeper(n + 1) + 1

    limit = sys.getrecursionlimit()
    try:
        deeper(0)
    except RecursionError as error:
        state = found(error)
    assert sys.getrecursionlimit() == limit
    assert "line.n" in state
