"""Arguments that a call leaves out, by its text."""

import linecache
from itertools import count
from typing import Any

import pytest

from course_probe.reading.call_arguments import is_left_out

NUMBERS = count()


def dropout(*_arguments: Any, **_named: Any) -> bool:
    return is_left_out("dropout", "training", 3)


def called(text: str, *, is_known: bool = True) -> Any:
    """What a script finds under `found` that has this text."""
    file = f"<call {next(NUMBERS)}>"
    if is_known:
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {
        "dropout": dropout,
        "F": type("F", (), {"dropout": staticmethod(dropout)}),
    }
    exec(compile(text, file, "exec"), names)
    return names["found"]


@pytest.mark.parametrize(
    ("call", "is_out"),
    [
        ("dropout(1)", True),
        ("F.dropout(1, 0.5)", True),
        ("F.dropout(1, p=0.5)", True),
        ("F.dropout(\n    1,\n    0.5,\n)", True),
        ("F.dropout(1, 0.5, True)", False),
        ("F.dropout(1, training=False)", False),
        ("F.dropout(\n    1,\n    training=bool(1),\n)", False),
        ("F.dropout(*[1, 0.5])", False),
        ("F.dropout(1, **{'training': True})", False),
    ],
)
def test_what_a_call_leaves_out(call: str, is_out: bool) -> None:
    assert called(f"x = 1\nfound = {call}\n") is is_out


@pytest.mark.parametrize(
    "text",
    [
        # By another name, or by none: its text is not found.
        "drop = dropout\nfound = drop(1)\n",
        "found = list(map(dropout, [1]))[0]\n",
        # Which of both is under way is not known.
        "found = [dropout(1), dropout(1, training=True)][0]\n",
    ],
)
def test_where_the_call_is_not_found_nothing_is_left_out(text: str) -> None:
    assert called(text) is False


def test_a_text_that_is_not_known() -> None:
    assert called("found = dropout(1)\n", is_known=False) is False


def test_a_text_that_is_no_python() -> None:
    file = f"<call {next(NUMBERS)}>"
    linecache.cache[file] = (8, None, ["%magic (\n"], file)
    names: dict[str, Any] = {"dropout": dropout}
    exec(compile("found = dropout(1)", file, "exec"), names)
    assert names["found"] is False


def test_nobody_has_called() -> None:
    assert is_left_out("no_function_of_this_name", "training", 3) is False
