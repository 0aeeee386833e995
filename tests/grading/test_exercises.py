"""Exercises for a class: the same for all or drawn, in each student's language, all or nothing."""

import ast
import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from course.base import files, i18n
from course.base.errors import UserError
from course.exercise import header
from course.grading.distribute import exercises, instructions
from course.grading.distribute.assignment import Form, Student
from course.lesson import lesson
from course.notebook.cells import notebook, script

pytestmark = pytest.mark.live  # no framework, but many seconds together

PARTS = list(lesson.load("ch8-4").parts.values())
PART = PARTS[0]
FAULTS = tuple(b.fault for b in PART.bugs)
CLASS = [Student(f"s{i}", f"Student {i}", ("en", "zh", "ru")[i % 3]) for i in range(12)]


def drawn(made: exercises.Handout) -> dict[str, tuple[str, ...]]:
    return {e.assignment.student: e.assignment.bugs for e in made.exercises}


def test_without_a_draw_everybody_has_all_bugs() -> None:
    made = exercises.make(PART, CLASS)
    assert made.seed is None
    assert set(drawn(made).values()) == {FAULTS}
    assert [e.assignment.student for e in made.exercises] == [s.id for s in CLASS]


def test_a_draw_is_the_same_from_the_same_seed() -> None:
    first, again, other = (exercises.make(PART, CLASS, seed) for seed in (7, 7, 8))
    assert first == again
    assert drawn(first) != drawn(other)
    assert all(drawn(first).values())
    assert len(set(drawn(first).values())) > 4


def test_who_else_is_in_the_class_changes_nobodys_draw() -> None:
    whole = drawn(exercises.make(PART, CLASS, 7))
    fewer = drawn(exercises.make(PART, CLASS[:2:-1], 7))
    assert all(whole[student] == bugs for student, bugs in fewer.items())


def test_a_team_draws_together_whoever_is_in_it_and_in_the_languages_of_its_members() -> None:
    teams = [replace(each, team=f"T{n // 3}") for n, each in enumerate(CLASS)]
    whole = exercises.make(PART, teams, 7, 2)
    for n in range(0, len(CLASS), 3):
        mates = [e.assignment for e in whole.exercises[n : n + 3]]
        assert len({a.bugs for a in mates}) == 1
        assert len({a.lang for a in mates}) == len({a.digest for a in mates}) == 3
    assert len(set(drawn(whole).values())) > 1
    fewer = drawn(exercises.make(PART, teams[1:], 7, 2))
    assert all(drawn(whole)[student] == bugs for student, bugs in fewer.items())


def test_a_number_of_bugs_draws_a_seed_and_tells_it() -> None:
    made = exercises.make(PART, CLASS, None, 2)
    assert made.seed is not None
    assert {len(bugs) for bugs in drawn(made).values()} == {2}
    assert exercises.make(PART, CLASS, made.seed, 2) == made
    assert {e.assignment.seed for e in made.exercises} == {made.seed}
    assert exercises.make(PART, CLASS, None, 2).seed != made.seed


def test_draws_spread_over_the_bugs() -> None:
    many = [Student(f"{i:04}", "", "en") for i in range(600)]
    counts = [0] * len(PART.bugs)
    for student in many:
        for bug in exercises.draw(PART, student, 1, 2):
            counts[PART.bugs.index(bug)] += 1
    expected = 600 * 2 / len(PART.bugs)
    assert all(0.8 * expected < n < 1.2 * expected for n in counts)


def test_too_many_bugs_are_told() -> None:
    with pytest.raises(UserError, match="number from 1 to 4"):
        exercises.make(PART, CLASS, 1, 9)


@pytest.mark.parametrize("part", PARTS, ids=lambda p: p.framework)
def test_each_exercise_is_in_the_students_language_with_the_students_bugs(
    part: lesson.Part,
) -> None:
    i18n.activate("ru")
    made = exercises.make(part, CLASS, 3)
    assert i18n.language() == "ru"
    for exercise, student in zip(made.exercises, CLASS, strict=True):
        assignment = exercise.assignment
        first = header.find(exercise.text)
        assert (first.lang, first.bugs) == (student.lang, assignment.bugs)
        assert ("# ## The data\n" in exercise.text) == (student.lang == "en")
        healthy = part.text(tuple(b for b in part.bugs if b.fault in assignment.bugs))
        assert ast.dump(ast.parse(exercise.text)) == ast.dump(ast.parse(healthy))
        assert assignment.digest == hashlib.sha256(exercise.text.encode()).hexdigest()
        assert str(exercise.path) == f"{student.id}/ch8-4-{part.framework}.py"


def test_there_is_one_page_for_each_language_of_the_roster() -> None:
    made = exercises.make(PART, CLASS[:2])
    assert list(made.pages) == [Path("instructions.en.md"), Path("instructions.zh.md")]
    for lang in ("en", "zh", "ru"):
        i18n.activate(lang)
        page = instructions.page(PART)
        assert "`ch8-4-pt.py`" in page
        assert "{" not in page
        assert len(page.splitlines()) < 60
    assert "`course hint ./ch8-4-pt.py`" in made.pages[Path("instructions.zh.md")]
    margin = round(100 * PART.exam.margin)
    assert f"at least {margin} percentage points" in made.pages[Path("instructions.en.md")]


def test_an_id_like_a_pages_name_is_told() -> None:
    with pytest.raises(UserError, match="cannot be the name of a folder"):
        exercises.make(PART, [Student("Instructions.EN.md", "x", "en")])


def on_disk(folder: Path) -> dict[Path, bytes]:
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("there", [False, True])
def test_a_class_is_written_whole(tmp_path: Path, there: bool) -> None:
    made = exercises.make(PART, CLASS, 1)
    folder = tmp_path / "new" / "class"
    if there:
        folder.mkdir(parents=True)
        (folder / "own.txt").write_text("mine")
    with exercises.put(made, folder):
        pass
    own = {Path("own.txt"): b"mine"} if there else {}
    assert on_disk(folder) == made.contents | own
    assert len(list(folder.parent.iterdir())) == 1
    assert folder.stat().st_mode & 0o777 == folder.parent.stat().st_mode & 0o777


def test_the_same_again_is_fine_and_a_larger_class_gets_what_is_missing(tmp_path: Path) -> None:
    with exercises.put(exercises.make(PART, CLASS[:3], 1), tmp_path / "class"):
        pass
    kept = (tmp_path / "class" / "s0" / "ch8-4-pt.py").stat()
    larger = exercises.make(PART, CLASS, 1)
    with exercises.put(larger, tmp_path / "class"):
        pass
    assert on_disk(tmp_path / "class") == larger.contents
    assert (tmp_path / "class" / "s0" / "ch8-4-pt.py").stat().st_mtime_ns == kept.st_mtime_ns


def test_what_is_there_is_never_overwritten(tmp_path: Path) -> None:
    with exercises.put(exercises.make(PART, CLASS[:3], 1), tmp_path):
        pass
    before = on_disk(tmp_path)
    with (
        pytest.raises(UserError, match="already exists and was not changed"),
        exercises.put(exercises.make(PART, CLASS, 2), tmp_path),
    ):
        pytest.fail("it was written")
    assert on_disk(tmp_path) == before
    assert {p.name for p in tmp_path.iterdir() if p.is_dir()} == {"s0", "s1", "s2"}


@pytest.mark.parametrize("there", [False, True])
def test_what_fails_afterwards_takes_the_class_back(tmp_path: Path, there: bool) -> None:
    folder = tmp_path / "a" / "class"
    if there:
        folder.mkdir(parents=True)
        (folder / "s1").mkdir()
        (folder / "s1" / "own.txt").write_text("mine")
    seen: dict[Path, bytes] = {}

    def fail() -> None:
        seen.update(on_disk(folder))
        raise UserError("the gradebook will not have it")

    with pytest.raises(UserError), exercises.put(exercises.make(PART, CLASS, 1), folder):
        fail()
    assert len(seen) == len(CLASS) + 3 + there
    found = [p.relative_to(tmp_path).as_posix() for p in sorted(tmp_path.rglob("*"))]
    there_before = ["a", "a/class", "a/class/s1", "a/class/s1/own.txt"]
    assert found == (there_before if there else [])


@pytest.mark.parametrize("there", [False, True])
def test_a_write_that_fails_halfway_leaves_nothing(
    tmp_path: Path, there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    create, left = files.create, 5

    def full(path: Path, data: bytes) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise OSError(28, "No space left on device", str(path))
        create(path, data)

    monkeypatch.setattr(files, "create", full)
    folder = tmp_path / "class"
    if there:
        folder.mkdir()
    with (
        pytest.raises(OSError, match="No space"),
        exercises.put(exercises.make(PART, CLASS), folder),
    ):
        pytest.fail("it was written")
    assert [p.name for p in tmp_path.rglob("*")] == (["class"] if there else [])


def test_a_place_that_cannot_be_a_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    made = exercises.make(PART, CLASS)
    for place in (tmp_path / "file", tmp_path / "file" / "class", tmp_path / ("x" * 300)):
        with pytest.raises(OSError, match=r"file|xxx"), exercises.put(made, place):
            pytest.fail("it was written")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


# Notebooks.


def cells(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(text)["cells"]
    return found


@pytest.mark.parametrize("part", PARTS, ids=lambda p: p.framework)
def test_each_notebook_holds_the_students_bugs_in_the_students_language(part: lesson.Part) -> None:
    made = exercises.make(part, CLASS[:4], 3, form="notebook")
    assert drawn(made) == drawn(exercises.make(part, CLASS[:4], 3))
    assert exercises.make(part, CLASS[:4], 3, form="notebook") == made
    for exercise, student in zip(made.exercises, CLASS, strict=False):
        given = exercise.assignment
        assert str(exercise.path) == f"{student.id}/ch8-4-{part.framework}.ipynb"
        assert (given.form, given.lang) == ("notebook", student.lang)
        assert given.digest == hashlib.sha256(exercise.text.encode()).hexdigest()
        read = notebook.read(exercise.text, given.file_name)
        first = header.find(next(c.source for c in read.cells if c.generated == "setup"))
        assert (first.lang, first.bugs) == (student.lang, given.bugs)
        buggy = part.text(tuple(b for b in part.bugs if b.fault in given.bugs))
        assert ast.dump(ast.parse(script.of(read).text)) == ast.dump(ast.parse(buggy))


def test_the_file_of_a_notebook_is_as_jupyter_would_write_it() -> None:
    (only,) = exercises.make(PART, CLASS[1:2], form="notebook").exercises
    document = json.loads(only.text)
    assert only.text == json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    ids = [cell["id"] for cell in document["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(cell["execution_count"] is None for cell in cells(only.text) if "outputs" in cell)


@pytest.mark.parametrize("lang", ["en", "zh", "ru"])
@pytest.mark.parametrize("form", get_args(Form))
def test_the_page_speaks_of_what_is_given_out_and_how(lang: str, form: Form) -> None:
    i18n.activate(lang)
    page = instructions.page(PART, form)
    other = "ch8-4-pt.ipynb" if form == "script" else "ch8-4-pt.py"
    assert other not in page
    assert ("`%course hint`" in page) == (form != "script")
    assert ("`ch8-4-pt`" in page) == (form == "nbgrader")
    assert "{" not in page


def test_nbgrader_gets_one_notebook_for_all_with_all_bugs() -> None:
    made = exercises.make(PART, CLASS, form="nbgrader")
    assert {str(each.path) for each in made.exercises} == {"source/ch8-4-pt/ch8-4-pt.ipynb"}
    assert {each.assignment.bugs for each in made.exercises} == {FAULTS}
    assert {each.assignment.form for each in made.exercises} == {"nbgrader"}
    assert len({each.text for each in made.exercises}) == 1
    folder = Path("source", "ch8-4-pt")
    pages = {folder / f"instructions.{lang}.md" for lang in ("en", "zh", "ru")}
    assert set(made.contents) == pages | {folder / "ch8-4-pt.ipynb"}


def test_nbgraders_notebook_is_in_the_language_of_all_or_else_the_teachers() -> None:
    i18n.activate("ru")
    for students, lang in ((CLASS, "ru"), ([s for s in CLASS if s.lang == "zh"], "zh")):
        made = exercises.make(PART, students, form="nbgrader")
        assert {each.assignment.lang for each in made.exercises} == {lang}
        assert f"lang={lang} " in made.exercises[0].text


@pytest.mark.parametrize(("seed", "size"), [(1, None), (None, 2), (1, 2)])
def test_for_nbgrader_nothing_is_drawn(seed: int | None, size: int | None) -> None:
    with pytest.raises(UserError, match="Do not use `--seed` and `--bugs`"):
        exercises.make(PART, CLASS, seed, size, "nbgrader")
