"""Every notebook that ships, as it would be written: a change of one shows as a diff.

They are written anew by `COURSE_MIRROR=write pytest tests/notebook/test_mirror.py`.
"""

import difflib
import os
from pathlib import Path

import pytest

from course.base import i18n
from course.lesson import lesson
from course.lesson.lesson import Part
from course.notebook import make

MIRROR = Path(__file__).parent / "mirror"
WRITE = os.environ.get("COURSE_MIRROR") == "write"
EXPORTS = {
    f"{part.lesson}-{part.framework}.{lang}.ipynb": (part, lang)
    for name in lesson.ids()
    for part in lesson.load(name).parts.values()
    for lang in i18n.available()
}


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_as_its_mirror(name: str) -> None:
    part, lang = EXPORTS[name]
    made = export(part, lang)
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


def export(part: Part, lang: str) -> str:
    i18n.activate(lang)
    return make.text(part, part.bugs)
