"""Working copies: made, found, read, started over; and everything that is none."""

import os
from pathlib import Path

import pytest

from course.base import i18n
from course.base.errors import UserError
from course.exercise import draw, header, progress, working_copy
from course.exercise.header import Header
from course.lesson import lesson
from course.lesson.lesson import Part

PART = lesson.load("ch8-4").parts["pt"]
OTHER = lesson.load("ch8-4").parts["tf"]
FAULTS = [b.fault for b in PART.bugs]
LATER = draw.encode("ch8-4", "pt", [FAULTS[0], "a-bug-of-a-later-version"])
EXERCISES = [(part, bugs) for part in (PART, OTHER) for bugs in part.exercises()]


def str_of(value: object) -> str:
    return value.framework if isinstance(value, Part) else str(len(tuple(value)))  # type: ignore[arg-type]


@pytest.mark.live  # each of many exercises, in each language
@pytest.mark.parametrize("lang", ["en", "zh", "ru"])
@pytest.mark.parametrize(("part", "bugs"), EXERCISES, ids=str_of)
def test_a_copy_holds_the_code_of_its_bugs_and_prose_in_the_language(
    tmp_path: Path, lang: str, part: Part, bugs: tuple[lesson.Bug, ...]
) -> None:
    i18n.activate(lang)
    made = working_copy.read(working_copy.start(part, bugs, tmp_path))
    assert made.bugs == bugs
    faults = tuple(b.fault for b in bugs)
    assert made.header == Header("ch8-4", part.framework, faults, lang)
    code = [x for x in made.text.splitlines() if x and not x.startswith("#")]
    assert code == [x for x in part.text(bugs).splitlines() if x and not x.startswith("#")]
    assert ("# ## The data\n" in made.text) == (lang == "en")


def test_a_copy_without_bugs_does_not_say_that_there_are_some() -> None:
    assert "There are bugs" in working_copy.text(PART, PART.bugs)
    healthy = working_copy.text(PART, ())
    assert "There are bugs" not in healthy
    assert "This script has no bug" in healthy


@pytest.mark.parametrize(("part", "bugs"), EXERCISES, ids=str_of)
def test_the_bugs_of_a_copy_come_out_to_the_byte(part: Part, bugs: tuple[lesson.Bug, ...]) -> None:
    i18n.activate("zh")
    text = working_copy.text(part, bugs)
    for bug in bugs:
        text = bug.take_out(text)
    healthy = working_copy.text(part, ())
    # The first two lines say which bugs are in, and that there are some.
    assert text.split("\n", 2)[2] == healthy.split("\n", 2)[2]


def test_a_draw_is_the_same_for_the_same_seed_and_covers_every_subset() -> None:
    draws = [working_copy.draw(PART, seed) for seed in range(300)]
    assert draws == [working_copy.draw(PART, seed) for seed in range(300)]
    assert {len(d) for d in draws} == {1, 2, 3, 4}
    assert len(set(draws)) == 15
    assert {len(working_copy.draw(PART, seed, 2)) for seed in range(20)} == {2}
    assert working_copy.draw(PART, 1, 0) == ()
    with pytest.raises(UserError, match="from 1 to 4"):
        working_copy.draw(PART, 1, 5)


def test_what_is_there_is_never_overwritten(tmp_path: Path) -> None:
    path = working_copy.start(PART, PART.bugs, tmp_path)
    path.write_text("mine")
    with pytest.raises(UserError, match="already exists"):
        working_copy.start(PART, PART.bugs, tmp_path)
    assert path.read_text() == "mine"


def test_a_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises((UserError, NotADirectoryError)):
        working_copy.start(PART, PART.bugs, tmp_path / "file")


def test_reset_keeps_every_earlier_text(tmp_path: Path) -> None:
    i18n.activate("ru")
    path = working_copy.start(PART, PART.bugs[:1], tmp_path)
    fresh = path.read_bytes()
    i18n.activate("zh")
    for mine in (b"\xef\xbb\xbf# one\r\n", b"# two\n"):
        path.write_bytes(mine + fresh)
        kept = working_copy.reset(working_copy.read(path))
        assert kept.read_bytes() == mine + fresh
        # In the language it was made in, whatever is spoken now.
        assert path.read_bytes() == fresh
    assert i18n.language() == "zh"
    assert [p.name for p in sorted(tmp_path.iterdir())] == [
        "ch8-4-pt.py", "ch8-4-pt.py.1.bak", "ch8-4-pt.py.2.bak",
    ]  # fmt: skip


def test_a_folder_means_the_one_exercise_in_it(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not an exercise of this course"):
        working_copy.find(tmp_path)
    (tmp_path / "notes.py").write_text("print('not one')\n")
    (tmp_path / "broken.py").write_bytes(b"\xff\xfe")
    below = working_copy.start(PART, PART.bugs, tmp_path / "ch8-4")
    assert working_copy.find(tmp_path) == below
    path = working_copy.start(PART, PART.bugs, tmp_path)
    assert working_copy.find(tmp_path) == path
    assert working_copy.find(path) == path
    (tmp_path / "second.py").write_text(path.read_text())
    with pytest.raises(UserError, match=r"is a folder.*ch8-4-pt.py`, `.*second.py`"):
        working_copy.find(tmp_path)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"print(1)\n", "is not an exercise of this course"),
        (b"", "is not an exercise of this course"),
        (b"\x7fELF\x00\x01\x02", "is not in UTF-8"),
        ("# курс".encode("cp1251"), "is not in UTF-8"),
        ("# course: ch8-4 pt format=2 draw=none\n".encode("utf-16"), "is not in UTF-8"),
        (b"#" * 1_000_001, "too large: the limit is 1 MB"),
        (b"# course: ch8-4 pt format=1 lang=en draw=none\n", "another version of `course`"),
        (b"# course: ch8-4 pt format=9 lang=en draw=none\n", "another version of `course`"),
        (
            b"# course: ch9-9 pt format=2 lang=en draw=none\n",
            "lesson `ch9-9`, which is not installed",
        ),
        (
            b"# course: ../x pt format=2 lang=en draw=none\n",
            r"lesson `\.\./x`, which is not installed",
        ),
        (b"# course: ch8-4 pt format=one lang=en draw=none\n", "is not an exercise"),
        (b"# course: ch8-4 pt format=2 lang=en bugs=none\n", "first line of .* was changed"),
        (b"# course: ch8-4 pt format=2 lang=en draw=abcdef\n", "first line of .* was changed"),
        (b"# course: ch8-4 jx format=2 lang=en draw=none\n", "another version of `course`"),
        (f"# course: ch8-4 pt format=2 draw={LATER}\n".encode(), "another version of `course`"),
    ],
)
def test_what_is_no_exercise_is_told_in_a_sentence(tmp_path: Path, data: bytes, says: str) -> None:
    path = tmp_path / "x.py"
    path.write_bytes(data)
    with pytest.raises(UserError, match=says):
        working_copy.read(path)
    assert path.read_bytes() == data


def test_a_missing_file_a_folder_and_a_pipe_are_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="There is no file"):
        working_copy.read(tmp_path / "none.py")
    with pytest.raises(UserError, match=r"is a folder\. Give the name of a file in it"):
        working_copy.read(tmp_path)


@pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() != 0, reason="needs another user")
def test_a_file_closed_to_us_is_told(tmp_path: Path) -> None:
    """Root may read everything, so a child of another user's tries."""
    path = working_copy.start(PART, (), tmp_path)
    path.chmod(0)
    tmp_path.chmod(0o755)
    child = os.fork()
    if child == 0:
        os.setuid(65534)
        try:
            working_copy.read(path)
        except UserError as error:
            os._exit(0 if "cannot be read" in str(error) else 2)
        os._exit(1)
    # The folders above belong to root, so the child may not even get there: that is told alike.
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize(
    "before", ["", "\ufeff", "#!/usr/bin/env python\n", "# -*- coding: utf-8 -*-\r\n\r\n", "  "]
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_header_is_found_whatever_an_editor_did_to_it(before: str, end: str) -> None:
    line = Header("ch8-4", "tf", ("nan-loss",), "zh").line().rstrip("\n")
    found = header.find(f"{before}{line}  {end}import os{end}")
    assert found == Header("ch8-4", "tf", ("nan-loss",), "zh")


def test_a_header_far_below_does_not_count() -> None:
    assert header.find("\n" * 50 + Header("ch8-4", "pt", (), "en").line()) is None


def headless(path: Path) -> Path:
    """Return the copy without its first line."""
    path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))
    return path


def test_a_lost_first_line_is_known_from_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_STATE", str(tmp_path / "state"))
    i18n.activate("ru")
    path = working_copy.start(PART, PART.bugs[1:2], tmp_path / "any")
    progress.forget(working_copy.read(path))
    i18n.activate("en")
    line = path.read_text().splitlines()[0]
    found = working_copy.read(headless(path))
    assert found.lost == "known"
    assert found.bugs == PART.bugs[1:2]
    assert f"`{line}`" in found.about_its_header
    assert working_copy.find(path.parent) == path
    assert not working_copy.is_foreign(path)
    working_copy.reset(found)
    assert path.read_text().splitlines()[0] == line
    assert working_copy.read(path).about_its_header == ""


def test_a_lost_first_line_is_told_by_the_name_of_the_file(tmp_path: Path) -> None:
    path = headless(working_copy.start(PART, PART.bugs[:1], tmp_path / "any"))
    found = working_copy.read(path)
    assert (found.lost, found.bugs) == ("named", PART.bugs)
    assert "The file name shows that it is an exercise of `ch8-4`" in found.about_its_header
    other = path.with_name("mine.py")
    path.rename(other)
    assert working_copy.is_foreign(other)
    with pytest.raises(UserError):
        working_copy.read(other)
