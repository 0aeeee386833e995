"""The cells of a kernel as one text, by whose lines the ledger tells of a training."""

import linecache
from types import FrameType
from typing import Any

from course.notebook.kernel.listener import Cells

LOOP = "%time\nfor x in y:\n    !ls\n    back()\n"


def frame_of(text: str, name: str, namespace: dict[str, Any]) -> FrameType:
    """The frame in which a cell's text calls `back`."""
    found: list[FrameType] = []

    def back() -> None:
        import sys

        found.append(sys._getframe(1))

    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace |= {"back": back}
    exec(compile(text, name, "exec"), namespace)
    return found[0]


def test_a_line_is_that_of_the_text_of_all_cells() -> None:
    namespace: dict[str, Any] = {"In": ["", "a"]}
    cells = Cells(namespace)
    texts = ["import this_is_not_run", "def f():\n    back()\n", "a = 1\nf()"]
    for text in texts:
        cells.begin(text)
    assert cells.text == "import this_is_not_run\ndef f():\n    back()\na = 1\nf()\n"
    whole = texts[1] + "f()"
    # Another cell's function, called in this one, has its own cell's lines.
    cells.begin(whole)
    frame = frame_of(whole, "<cell-4>", namespace)
    assert cells.line(frame) == 5 + 2
    assert cells.places[3] == "[2]:2"


def test_what_is_no_python_is_passed_over() -> None:
    cells = Cells({"In": [""]})
    cells.begin(LOOP)
    assert cells.text == "pass\nfor x in y:\n    pass\n    back()\n"
    compile(cells.text, "cells", "exec")
