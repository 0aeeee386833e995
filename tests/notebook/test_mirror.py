"""The smallest exercise as a notebook, cell by cell: a change of the export shows as a diff.

What holds for the notebooks of all lessons, in each language, and for their format as JSON, is in
`test_make.py`. It is written anew by `COURSE_MIRROR=write pytest tests/notebook/test_mirror.py`.
"""

import difflib
import os
from pathlib import Path

from course.base import i18n
from course.lesson import lesson
from course.notebook import make
from course.notebook.cells import notebook

MIRROR = Path(__file__).with_name("ch3-4-accelerate-pt.zh.txt")
PART = lesson.load("ch3-4-accelerate").parts["pt"]


def test_an_export_is_as_its_mirror() -> None:
    i18n.activate("zh")
    cells = notebook.read(make.text(PART, PART.bugs), "made.ipynb").cells
    made = "".join(f"# %% {c.kind}, {c.generated or 'own'}\n{c.source}\n" for c in cells)
    if os.environ.get("COURSE_MIRROR") == "write":
        MIRROR.write_text(made, "utf-8")
    lines = [text.splitlines(keepends=True) for text in (MIRROR.read_text("utf-8"), made)]
    diff = "".join(difflib.unified_diff(*lines, MIRROR.name, "made now", n=2))
    assert not diff, f"`COURSE_MIRROR=write pytest {Path(__file__).name}` accepts this:\n{diff}"
