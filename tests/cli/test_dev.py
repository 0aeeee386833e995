"""`course dev` for the author of a lesson, up to the point where a framework is needed."""

import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from course import cli
from course.authoring import template
from course.authoring.lesson_check import CheckResult, Glance
from course.authoring.translations import NEW, UNTRANSLATED, Finding
from course.base import paths
from course.cli.author import check_report
from course.judge.verdict import judge
from course.lesson import catalogue
from course.lesson import lesson as reader
from course.lesson.lesson import Part, Step
from course.runs.record import Frame, Raised, RunRecord
from tests.authoring import made

Told = tuple[int, str, str]
Course = Callable[..., Told]


@pytest.fixture
def course(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Course]:
    """Run the command line on lessons of its own: status, stdout, stderr."""
    made.lessons(tmp_path, monkeypatch)
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    monkeypatch.setattr(paths, "locales", lambda: tmp_path / "locales")
    for name in ("COURSE_LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str) -> Told:
        status = cli._guarded(list(arguments))
        return status, *capsys.readouterr()

    yield run
    catalogue.catalogue.cache_clear()


def refused(course: Course, *arguments: str) -> str:
    """Return the one sentence; the status is 2."""
    status, out, err = course("dev", *arguments)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    return err


def test_a_new_lesson_is_told_with_the_next_three_commands(course: Course) -> None:
    status, out, err = course("dev", "new-lesson", "ch3-5")
    framework = template.frameworks()[0]
    assert status == 0
    assert out.splitlines() == [
        "lessons/ch3-5/lesson.toml",
        f"lessons/ch3-5/{framework}/exercise.py",
    ]
    assert [line.strip() for line in err.splitlines()[-3:]] == [
        "course dev check ch3-5",
        "course run ch3-5",
        "course dev texts",
    ]
    assert reader.ids() == ["ch3-5"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("Ch 3",), "`Ch 3` cannot be the id of a lesson. Use small letters, digits and hyphens"),
        (("../x",), "`../x` cannot be the id of a lesson"),
        (("faults",), "`lessons/faults` already exists and was not changed"),
        (("ch3-5", "--fw", "none"), "`--fw` does not accept `none`. Choose one of `"),
        ((), "`LESSON` is missing"),
    ],
)
def test_what_is_refused_is_one_sentence_and_status_2(
    course: Course, arguments: tuple[str, ...], says: str
) -> None:
    assert says in refused(course, "new-lesson", *arguments)
    assert reader.ids() == []


def test_a_wheel_is_no_place_for_a_lesson(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "is_checkout", lambda: False)
    told = refused(course, "new-lesson", "ch3-5")
    assert "Set `COURSE_LESSONS` to a folder for lessons" in told
    assert not (paths.lessons() / "ch3-5").exists()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[pt]", "[pt", "`lessons/ch3-5/lesson.toml` is not valid TOML: "),
        (
            "caption =",
            "captoin =",
            "`[[pt.look]]` 1: unknown key `captoin`. Did you mean `caption`?",
        ),
        (
            'train_dataset=raw["train"]',
            "raw",
            "must occur exactly once in the script, but it occurs 3 times. The text occurs in",
        ),
    ],
)
def test_a_mistake_in_a_lesson_is_its_authors_to_mend(
    course: Course, monkeypatch: pytest.MonkeyPatch, old: str, new: str, says: str
) -> None:
    course("dev", "new-lesson", "ch3-5")
    own = paths.lessons() / "ch3-5" / "lesson.toml"
    own.write_text(own.read_text("utf-8").replace(old, new, 1), "utf-8")
    assert says in refused(course, "check", "ch3-5")


def test_a_mistake_in_a_fault_is_too(course: Course) -> None:
    course("dev", "new-lesson", "ch3-5")
    own = paths.lessons() / "faults" / "missing-input-ids.toml"
    text = own.read_text("utf-8").replace("example =", "exampel =", 1)
    own.unlink()
    own.write_text(text, "utf-8")
    says = "`lessons/faults/missing-input-ids.toml`, `[[signature]]` 1: unknown key `exampel`"
    assert says in refused(course, "check", "ch3-5")


def test_in_a_wheel_a_broken_lesson_is_ours(
    course: Course, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    course("dev", "new-lesson", "ch3-5")
    own = paths.lessons() / "ch3-5" / "lesson.toml"
    own.write_text("format = 1", "utf-8")
    monkeypatch.setattr(paths, "is_checkout", lambda: False)
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path / "cache"))
    status, _out, err = course("run", "ch3-5")
    assert status == 3
    assert "Please send us" in err
    (log,) = (tmp_path / "cache" / "logs").iterdir()
    assert "`id` is missing" in log.read_text("utf-8")


@pytest.fixture
def part(course: Course) -> Part:
    course("dev", "new-lesson", "ch3-5")
    return next(iter(reader.load("ch3-5").parts.values()))


def result(part: Part, bugs: tuple[str, ...], record: RunRecord, **more: object) -> CheckResult:
    fault = bugs[0] if bugs else None
    step = Step(fault or "healthy", fault, "", (), None)
    verdict = judge(step, part.outcome, record)
    return CheckResult(part, bugs, fault, verdict, record, part.outcome, **more)  # type: ignore[arg-type]


RAISED = Raised(
    "builtins.ValueError",
    ("builtins.ValueError", "builtins.Exception", "builtins.BaseException", "builtins.object"),
    "Target size 8 is wrong",
    (Frame("some.functional", "f.py", "f", 1, ""),),
)
CRASH = RunRecord("exception", raised=RAISED)
FIGURES = RunRecord("finished", figures={"width": 12.0})


def test_a_run_that_shows_something_else_is_told_with_all_that_a_signature_takes(
    part: Part, capsys: pytest.CaptureFixture[str]
) -> None:
    bug = part.bugs[0].fault
    results = [
        result(part, (bug, "other"), CRASH),
        result(part, (bug,), CRASH),
        result(part, (), RunRecord("finished", figures={"width": 74.0})),
    ]
    for each in results:
        check_report.show_result(each)
    check_report.show_details(results, figures=False)
    said = capsys.readouterr().out
    assert f"✗ {bug} + other  →  unknown" in said
    assert said.count("ValueError: Target size 8 is wrong") == 1
    flat = " ".join(said.split())
    assert "Raised in the module `some.functional`." in flat
    assert "parent classes: `builtins.ValueError`, `builtins.Exception`." in flat
    assert f"`lessons/faults/{bug}.toml`, `[[signature]]` 1: the exception of the run" in flat
    assert r"message = 'Target size \d+ is wrong'" in said
    assert r"module = 'some(?:\..+)?'" in said


def test_figures_are_shown_where_no_error_is_and_where_they_are_asked_for(
    part: Part, capsys: pytest.CaptureFixture[str]
) -> None:
    bug = part.bugs[0].fault
    healthy = result(part, (), RunRecord("finished", figures={"width": 74.0}))
    check_report.show_details([result(part, (bug,), FIGURES), healthy], figures=False)
    assert "width          12  (74)" in capsys.readouterr().out
    known = next(s for s in catalogue.catalogue()[bug].signatures if s.wording == "later")
    raised = Raised(known.exception, (known.exception,), known.example)  # type: ignore[union-attr]
    good = result(part, (bug,), RunRecord("exception", raised=raised, figures={"rows": 3.0}))
    assert good.holds
    check_report.show_details([good], figures=False)
    assert capsys.readouterr().out == ""
    check_report.show_details([good], figures=True)
    assert "rows           3" in capsys.readouterr().out


def test_a_look_that_fails_is_a_note(part: Part, capsys: pytest.CaptureFixture[str]) -> None:
    bug = part.bugs[0].fault
    known = catalogue.catalogue()[bug].signatures[0]
    raised = Raised(known.exception, (known.exception,), known.example)  # type: ignore[union-attr]
    glances = (Glance(1, "One", None), Glance(2, "Two\nlines", "ValueError: a\nb"))
    done = result(part, (bug,), RunRecord("exception", raised=raised), step=bug, glances=glances)
    check_report.show_details([done], figures=False)
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"Step `{bug}`, look 2 (Two lines) ends with `ValueError: a`.\n"


def test_a_look_that_breaks_the_proof_tells_its_own_error(
    part: Part, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = (
        Glance(1, "One", None, holds=True),
        Glance(2, "Two", "NameError: name 'x'", holds=False),
    )
    done = result(part, (), RunRecord("finished"), step="healthy", glances=broken)
    done = replace(done, verdict=replace(done.verdict, problem=None))
    assert not done.holds
    check_report.show_details([done], figures=False)
    assert (
        "Step `healthy`, look 2 (Two) ends with `NameError: name 'x'`." in capsys.readouterr().err
    )


def test_untranslated_texts_are_counted_with_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    places = ("lessons/ch3-5/lesson.toml",)
    check_report.show_texts(
        [
            Finding("en", "A", NEW, places),
            Finding("ru", "A", UNTRANSLATED, places),
            Finding("zh", "B", UNTRANSLATED, places),
            Finding("ru", "C", "quoted code differs", places),
        ]
    )
    first, second = capsys.readouterr().err.splitlines()
    assert first == "ru: quoted code differs: 'C'"
    assert second.startswith("2 texts are not translated into every language. `course dev texts`")


def test_a_fault_that_is_not_there_yet_is_told_with_the_nearest(
    part: Part, capsys: pytest.CaptureFixture[str]
) -> None:
    check_report.show_uncatalogued(part, {"mising-input-ids": "missing-input-ids", "sink": ""})
    first, second, third = capsys.readouterr().err.splitlines()
    assert "no file `lessons/faults/mising-input-ids.toml`. Did you mean `missing-input" in first
    assert second.endswith("There is no file `lessons/faults/sink.toml`.")
    assert "each of these bugs alone" in third
