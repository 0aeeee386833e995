"""A notebook of each framework, as it would be written: a change of the export shows as a diff.

What holds for those of all lessons, in each language, is in `test_make.py`. They are written anew
by `COURSE_MIRROR=write pytest tests/notebook/test_mirror.py`.
"""

import difflib
import os
from pathlib import Path

import pytest

from course.base import i18n
from course.lesson import lesson
from course.notebook import make

MIRROR = Path(__file__).parent / "mirror"
WRITE = os.environ.get("COURSE_MIRROR") == "write"
LANGUAGES = {"pt": "zh", "tf": "ru"}
EXPORTS = {
    f"ch8-4-{framework}.{LANGUAGES[framework]}.ipynb": part
    for framework, part in lesson.load("ch8-4").parts.items()
}


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_as_its_mirror(name: str) -> None:
    part = EXPORTS[name]
    i18n.activate(LANGUAGES[part.framework])
    made = make.text(part, part.bugs)
    file = MIRROR / name
    if WRITE:
        file.write_bytes(made.encode())
    kept = file.read_bytes().decode() if file.exists() else ""
    diff = "".join(
        difflib.unified_diff(
            kept.splitlines(keepends=True), made.splitlines(keepends=True), name, "made now", n=2
        )
    )
    assert not diff, f"`COURSE_MIRROR=write pytest {Path(__file__).name}` accepts this:\n{diff}"
    assert kept == made


def test_there_is_a_mirror_of_each_export_and_no_other() -> None:
    assert sorted(EXPORTS) == sorted(path.name for path in MIRROR.iterdir())
