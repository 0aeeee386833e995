"""Practising on the bare interpreter: what a learner writes runs, framework or not."""

from dataclasses import replace
from pathlib import Path

import pytest

from course.exercise import practice, progress, working_copy
from course.exercise.working_copy import Copy
from course.lesson import lesson
from course.runs.environment.runtime import Runtime
from course.runs.hub import Hub
from course.runs.record import RunRecord
from course.runs.run_context import RunContext
from tests import ledgers

PART = lesson.load("ch8-4").parts["pt"]


@pytest.fixture
def place(bare: Runtime) -> RunContext:
    return RunContext(bare, Hub("embedded"))


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COURSE_STATE", str(tmp_path / "state"))
    return working_copy.start(PART, PART.bugs, tmp_path / "mine")


def rewritten(path: Path, script: str) -> Copy:
    """Return the copy with nothing but its header left, and this script."""
    path.write_text(path.read_text().splitlines(keepends=True)[0] + script)
    return working_copy.read(path)


def test_a_byte_order_mark_and_other_line_endings_run(mine: Path, place: RunContext) -> None:
    made = rewritten(mine, "raise KeyError('k')\r\n")
    mine.write_bytes(b"\xef\xbb\xbf" + made.text.encode())
    raised = practice.run(working_copy.read(mine), place).attempt.verdict.raised
    assert raised is not None
    assert raised.name == "KeyError"


@pytest.mark.parametrize(
    ("given", "hidden"),
    [("**batch.to(device)", ()), ("**batch", ("devices-differ",))],
)
def test_what_only_a_gpu_shows_is_known_by_what_the_text_moves(
    tmp_path: Path, given: str, hidden: tuple[str, ...]
) -> None:
    part = lesson.load("ch3-4").parts["pt"]
    copy = working_copy.read(working_copy.start(part, part.bugs, tmp_path / "mine"))
    copy = replace(copy, text=copy.text.replace("model(**batch).loss", f"model({given}).loss"))
    record = RunRecord("finished", ledger=ledgers.at_lines(copy.text, "model(**"))
    assert practice.still_hidden(copy, "cpu", record) == hidden
    assert practice.still_hidden(copy, "cuda", record) == ()
    assert practice.still_hidden(copy, "cpu", RunRecord("finished")) == ("devices-differ",)


def test_what_the_last_run_showed_is_recalled_for_the_same_text_only(
    mine: Path, place: RunContext
) -> None:
    made = rewritten(mine, "raise IndexError('mine')\n")
    assert practice.recall(made) is None
    practice.run(made, place)
    # The catalogue does not know it, so there is nothing to recall.
    assert practice.recall(made) is None


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_fix_is_shown_and_applied_with_all_else_as_it_was(
    mine: Path, end: str, mark: str
) -> None:
    text = mark + mine.read_text().replace("\n", end) + f"# mine{end}"
    mine.write_bytes(text.encode())
    made = working_copy.read(mine)
    found = practice.fix(made, PART.bugs[0])
    assert found.reason is None
    assert '-    train_dataset=raw["train"],\n' in found.diff
    assert "\r" not in found.diff
    assert practice.apply(made, found)
    old, new = 'raw["train"]', 'tokenized["train"]'
    other = 'eval_dataset=raw["validation_matched"]', 'eval_dataset=tokenized["validation_matched"]'
    expected = text.replace(f"train_dataset={old}", f"train_dataset={new}").replace(*other)
    assert mine.read_bytes() == expected.encode()


def test_a_fix_for_an_older_text_is_not_written(mine: Path) -> None:
    made = working_copy.read(mine)
    found = practice.fix(made, PART.bugs[0])
    newer = made.text + "# saved meanwhile\n"
    mine.write_text(newer)
    assert not practice.apply(made, found)
    assert mine.read_text() == newer


def test_a_fix_that_does_not_fit_says_why(mine: Path) -> None:
    text = mine.read_text()
    made = rewritten(mine, "print(1)\n")
    assert practice.fix(made, PART.bugs[0]).reason == "not-found"
    mine.write_text(text + "def f(:\n")
    found = practice.fix(working_copy.read(mine), PART.bugs[0])
    assert (found.reason, found.line) == ("syntax", len(text.splitlines()) + 1)
    # Mended already: nothing is left for the fix to change.
    mine.write_text(text)
    mended = practice.fix(working_copy.read(mine), PART.bugs[0]).text
    mine.write_text(mended)
    assert practice.fix(working_copy.read(mine), PART.bugs[0]).reason == "not-found"


def test_hints_go_up_and_stay_at_the_last_rung() -> None:
    known = progress.Progress("p", "ch8-4", "pt", ())
    for rung in (1, 2, 3, 3):
        assert practice.next_level(known, "cublas", 3) == rung
        known = progress.hinted(known, "cublas", rung)


def test_a_fix_whose_place_was_changed_is_shown_as_the_lesson_makes_it(tmp_path: Path) -> None:
    part = lesson.load("ch3-3").parts["pt"]
    path = working_copy.start(part, part.bugs, tmp_path / "mine")
    text = path.read_text("utf-8").replace('evaluation_strategy="epoch"', 'eval_strategy="no"')
    path.write_text(text, "utf-8")
    found = practice.fix(working_copy.read(path), part.bug_of("renamed-argument"))
    assert found.reason == "not-found"
    assert '+    eval_strategy="epoch",' in found.diff
