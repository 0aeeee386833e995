"""A fix that stands where nothing has run mends nothing, and earns nothing."""

import ast

import pytest

from course.grading.engine import dead_code, text_evidence
from course.lesson import lesson
from course.runs.sandbox.bubblewrap import Done
from tests.grading.examined import gone, how
from tests.grading.runs import (
    BUGS,
    END,
    FAILED,
    FAULTS,
    MENDED,
    START,
    UNTOUCHED,
    event,
    healthy,
    ours,
    unknown,
)
from tests.grading.test_by_run import tried


def line_of(text: str, words: str) -> int:
    return text[: text.index(words)].count("\n") + 1


def indented(text: str) -> str:
    return "".join(f"    {line}" for line in text.splitlines(keepends=True))


LEAVES = [
    "import sys\nsys.exit(0)\n",
    "exit()\n",
    "quit(0)\n",
    "import os\nos._exit(0)\n",
    "raise SystemExit\n",
    "import sys\nif len(sys.argv) < 9:\n    sys.exit(0)\n",
    "while True:\n    pass\n",
]


@pytest.mark.parametrize("leaves", LEAVES)
def test_fixes_behind_what_leaves_earn_nothing(leaves: str) -> None:
    text = leaves + MENDED
    last = event("line", line=leaves.count("\n", 0, -1) + 1, text="")
    if "sys.argv" in leaves:
        last = event("line", line=2, text="")
    is_endless = "while" in leaves
    events = [START, last] if is_endless or "os._exit" in leaves else [START, last, END]
    found = tried(text, events, done=Done("time-limit" if is_endless else None, 0, "", 9.0))
    assert gone(found) == set()
    assert set(how(found).values()) == {"not-reached"}
    assert found.score == 0


@pytest.mark.parametrize(
    "hidden",
    ["if False:\n{}", "if 0:\n    pass\nelif '':\n{}", "while 0:\n{}", "def later():\n{}"],
)
def test_fixes_in_code_that_is_never_taken_earn_nothing(hidden: str) -> None:
    text = 'print("done")\n' + hidden.format(indented(MENDED))
    found = tried(text, [START, event("line", line=2, text=""), END])
    assert (gone(found), found.score) == (set(), 0)


def test_what_ran_before_a_script_leaves_counts() -> None:
    cut = MENDED.index("\n\n", MENDED.index("optimizer = ")) + 1
    text = MENDED[:cut] + "import sys\nsys.exit(0)\n" + MENDED[cut:]
    last = event("line", line=line_of(text, "sys.exit"), text="")
    found = tried(text, [START, last, END])
    assert {FAULTS[0]} <= gone(found) < set(FAULTS)


def test_a_script_that_ends_tidily_loses_nothing() -> None:
    text = MENDED + "\nimport sys\nsys.exit(0)\n"
    last = event("line", line=line_of(text, "sys.exit"), text="")
    run = healthy()
    assert tried(text, [*run[:-1], last, run[-1]]).score == 8


def test_an_error_of_ones_own_hides_nothing_that_the_text_tells() -> None:
    """A slip is no way out: what stands below it is told by the text, and the slip is named."""
    text = "print(undefined)\n" + MENDED
    events = [START, event("line", line=1, text=""), unknown("NameError", "no", 1), FAILED]
    assert gone(tried(text, events)) == set(FAULTS)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_plain_script_is_read_where_a_bug_bites_before(fault: str) -> None:
    text = ours(UNTOUCHED, fault)
    assert not text_evidence.never_ran(text, BUGS[fault])


def test_nothing_of_the_lessons_is_dead() -> None:
    for name in lesson.ids():
        for part in lesson.load(name).parts.values():
            tree = ast.parse(part.text(()))
            assert ast.unparse(dead_code.without(ast.parse(part.text(())))) == ast.unparse(tree)


@pytest.mark.parametrize(
    ("code", "rest"),
    [
        ("def f():\n    return 1\n    g()\nf()", "def f():\n    return 1\nf()"),
        ("try:\n    exit()\n    f()\nexcept E:\n    g()", "try:\n    exit()\nexcept E:\n    g()"),
        (
            "while True:\n    if x:\n        break\nf()",
            "while True:\n    if x:\n        break\nf()",
        ),
        ("while True:\n    f()\ng()", "while True:\n    f()"),
        ("def f():\n    g()\ndef g():\n    pass", ""),
        ("@hook\ndef f():\n    g()", "@hook\ndef f():\n    g()"),
        ("def f():\n    pass\nvars()['f']()", "def f():\n    pass\nvars()['f']()"),
        ("if 1:\n    f()\nelse:\n    g()", "f()"),
        ("for x in y:\n    continue\n    f()", "for x in y:\n    continue"),
        ("raise E\nf()", "raise E"),
        ("if x:\n    exit()\nf()", "if x:\n    exit()\nf()"),
    ],
)
def test_what_is_reached(code: str, rest: str) -> None:
    assert ast.unparse(dead_code.without(ast.parse(code))) == ast.unparse(ast.parse(rest))
