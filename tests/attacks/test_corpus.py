"""The corpus itself: every class is there, every file can be read, and says what it is said to."""

import ast
import io
import re
import sys
import tokenize
import typing
import warnings
import zipfile
from pathlib import Path

import pytest

from course.exercise import header, working_copy
from course.exercise.patch import CannotPatch, take_out
from course.grading.engine import text_evidence
from course.grading.grade import GradeStatus
from course.grading.note import NOTES
from course.lesson import lesson
from course.lesson.catalogue import catalogue
from tests.attacks import built
from tests.attacks.catalogue import FOLDER, MAX_SCORE, Entry, attacks, honest

pytestmark = pytest.mark.live

PART = lesson.load("ch8-4").parts["pt"]
FAULTS = tuple(bug.fault for bug in PART.bugs)
KNOWN = {
    "forged-output",
    "look-alike-exception",
    "patched-library",
    "exit-as-pass",
    "outliving-daemon",
    "cancelled-alarm",
    "endless-output",
    "archive",
    "pickle",
    "results-overwritten",
    "answers-read",
    "verdict-pipe",
    "network",
    "fork-bomb",
    "memory-bomb",
}
"""The classes of attack that graders are known to have fallen to."""
WRITTEN = [a for a in attacks() if not a.built]
EVERYTHING = [*attacks(), *honest()]
TEXTS = [*WRITTEN, *honest()]
LINKS = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")


def reads(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except SyntaxError:
            return False
    return True


def test_every_known_class_of_attack_is_there_and_more() -> None:
    assert len(attacks()) >= 40
    assert {a.kind for a in attacks()} > KNOWN


def test_ids_are_unique_and_safe_names_of_folders() -> None:
    names = [e.id for e in (*attacks(), *honest())]
    assert len(set(names)) == len(names)
    assert [n for n in names if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", n)] == []


def test_each_file_is_of_a_submission() -> None:
    scripts = {*FOLDER.glob("hostile/**/*.py"), *FOLDER.glob("honest/**/*.py")}
    assert {script.with_suffix(".toml") for script in scripts} <= {e.path for e in TEXTS}
    assert {a.id for a in attacks() if a.built} == built.names()


def test_nobody_takes_a_submission_for_a_test() -> None:
    for path in (*FOLDER.glob("hostile/**/*.py"), *FOLDER.glob("honest/**/*.py")):
        assert not path.name.startswith(("test_", "conftest"))


def test_words_are_those_that_a_grade_knows() -> None:
    for entry in EVERYTHING:
        assert set(entry.fixed) <= set(FAULTS), entry.id
        assert set(entry.otherwise) <= set(entry.fixed), entry.id
        assert entry.status, entry.id
        assert set(entry.status) <= {*typing.get_args(GradeStatus)} - {"internal-error"}, entry.id
        assert set(entry.named) <= set(NOTES), entry.id


def test_an_attack_may_come_to_what_it_mends_and_no_more() -> None:
    for attack in attacks():
        whole = set(attack.fixed) == set(FAULTS)
        handed = attack.id == "zip-doubled"  # One of its two scripts is honest.
        assert attack.max_score == len(attack.fixed) or (
            attack.max_score == MAX_SCORE and (whole or handed) and attack.note
        ), attack.id


def test_an_honest_mark_is_a_point_for_each_bug_and_one_more() -> None:
    for entry in honest():
        whole = set(entry.fixed) == set(FAULTS)
        assert len(entry.fixed) <= entry.score <= len(entry.fixed) + whole, entry.id
        assert entry.least <= entry.score, entry.id
        assert entry.least == entry.score or entry.note, entry.id
        for name in entry.new_faults:
            assert name.endswith("Error") or name in catalogue(), entry.id


def test_a_text_is_one_that_python_reads_unless_that_is_its_point() -> None:
    for entry in TEXTS:
        text = entry.text()
        assert len(text.encode()) <= working_copy.CAP, entry.id
        assert reads(text) == ("syntax" not in entry.named), entry.id


@pytest.mark.parametrize("entry", TEXTS, ids=lambda e: e.id)
def test_the_bugs_that_are_out_of_a_text_are_those_it_is_said_to_mend(entry: Entry) -> None:
    text = entry.text()
    if "syntax" in entry.named:
        return
    for bug in PART.bugs:
        try:
            out = take_out(text, bug) == text and not text_evidence.never_ran(text, bug)
        except CannotPatch:
            out = False
        assert out == (bug.fault in entry.fixed and bug.fault not in entry.otherwise), bug.fault


def test_a_text_says_which_exercise_it_is_unless_that_is_its_point() -> None:
    for entry in TEXTS:
        first = header.find(entry.text())
        right = first is not None and (first.lesson, first.framework) == ("ch8-4", "pt")
        right = right and first is not None and first.bugs == FAULTS
        # A first line that is gone says nothing that is wrong.
        assert right == ("header" not in entry.named and first is not None), entry.id


def test_what_is_looked_for_outside_is_what_the_attack_leaves() -> None:
    for attack in WRITTEN:
        text, harms = attack.text(), attack.harms
        marks = [
            *(Path(file).name for file in harms.files),
            *(content.word for content in harms.contents),
            *(*harms.tables, *harms.words, *harms.processes, *harms.keys),
            *map(str, (*harms.ports, *harms.listeners)),
            *(name.removeprefix("@") for name in harms.sockets),
        ]
        assert [mark for mark in marks if mark not in text] == [], attack.id


def test_what_an_attack_leaves_is_its_own() -> None:
    seen: dict[str, str] = {}
    for attack in attacks():
        for mark in (*attack.harms.files, *attack.harms.processes, *attack.harms.sockets):
            if "course-attack" in mark:
                assert seen.setdefault(mark, attack.id) == attack.id


def test_the_attack_that_finds_state_comes_after_the_one_that_leaves_it() -> None:
    names = [a.id for a in attacks()]
    assert names.index("state-left") < names.index("state-found")


@LINKS
def test_everything_can_be_handed_in(tmp_path: Path) -> None:
    submissions, outside = tmp_path / "submissions", tmp_path / "outside"
    outside.mkdir()
    for entry in attacks():
        entry.hand_in(submissions, outside)
    for entry in honest():
        entry.hand_in(submissions)
    assert {p.name for p in submissions.iterdir()} == {e.id for e in (*attacks(), *honest())}
    assert all(len(list(p.iterdir())) == 1 for p in submissions.iterdir())


@LINKS
def test_the_files_that_are_none_are_what_they_are_called(tmp_path: Path) -> None:
    built.build("fifo", tmp_path / "a", tmp_path)
    assert (tmp_path / "a" / built.FILE).is_fifo()
    for name in ("symlink", "symlink-to-stdin"):
        built.build(name, tmp_path / "b" / name, tmp_path)
        assert (tmp_path / "b" / name / built.FILE).is_symlink()
    built.build("symlinked-folder", tmp_path / "c", tmp_path / "outside")
    assert (tmp_path / "c").is_symlink()
    built.build("sparse", tmp_path / "d", tmp_path)
    assert (tmp_path / "d" / built.FILE).stat().st_size == 2 * 2**30
    assert (tmp_path / "d" / built.FILE).stat().st_blocks < 100


def archive(name: str, tmp_path: Path) -> zipfile.ZipFile:
    built.build(name, tmp_path / "student", tmp_path / "outside")
    return zipfile.ZipFile(tmp_path / "student" / built.ZIP)


def test_the_archives_are_what_they_are_called(tmp_path: Path) -> None:
    with archive("zip-slip", tmp_path / "1") as found:
        assert all(".." in name for name in found.namelist())
    with archive("zip-bomb", tmp_path / "2") as found:
        assert sum(i.file_size for i in found.infolist()) > 500 * sum(
            i.compress_size for i in found.infolist()
        )
    with archive("zip-locked", tmp_path / "3") as found, pytest.raises(RuntimeError):
        found.read(built.FILE)
    with archive("zip-that-lies", tmp_path / "4") as found:
        assert found.getinfo(built.FILE).file_size == 100
        assert found.getinfo(built.FILE).compress_size > 100
    with pytest.raises(zipfile.BadZipFile):
        archive("zip-broken", tmp_path / "5")
    with archive("zip-doubled", tmp_path / "6") as found:
        assert found.namelist() == [built.FILE] * 2
    with archive("zip-symlink", tmp_path / "7") as found:
        assert oct(found.infolist()[0].external_attr >> 16).startswith("0o12")


def test_a_comment_that_hides_a_patch_is_one_to_some_readers_only() -> None:
    hidden = built.TEXTS["utf-7"]()
    assert "EvaluationModule" not in ast.dump(ast.parse(hidden.decode()))
    assert "EvaluationModule" in ast.dump(ast.parse(hidden.decode("utf-7")))
    hidden = built.TEXTS["carriage-returns"]()
    lines = hidden.decode().split("\n")
    assert all(line.startswith("#") for line in lines if "EvaluationModule" in line)
    assert "EvaluationModule" in ast.dump(ast.parse(hidden))


def test_texts_keep_to_the_size_that_they_are_to_have() -> None:
    sizes = {name: len(make()) for name, make in built.TEXTS.items()}
    assert sizes.pop("too-large") > working_copy.CAP
    assert max(sizes.values()) <= working_copy.CAP
    assert sizes["smuggled-weights"] > 500_000


def test_an_attack_in_other_letters_reads_as_the_plain_one() -> None:
    attack = next(a for a in attacks() if a.id == "other-alphabet")
    text = attack.text()
    assert "EvaluationModule" not in text
    assert "EvaluationModule" in ast.dump(ast.parse(text))


def test_hidden_code_is_not_to_be_read_off_the_names_in_the_text() -> None:
    """Where the patch is a string, no attribute of the text itself gives it away."""
    for name in ("encoded-exec", "turned-letters", "own-pickle", "module-of-its-own"):
        text = next(a.text() for a in attacks() if a.id == name)
        words = {t.string for t in tokenize.generate_tokens(io.StringIO(text).readline)}
        assert "EvaluationModule" not in words
