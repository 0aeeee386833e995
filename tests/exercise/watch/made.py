"""Working copies, runs of them and states of a watch, made of stored records."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType

from course.base import i18n
from course.exercise import progress
from course.exercise import working_copy as copies
from course.exercise.header import Header
from course.exercise.practice import Practice
from course.exercise.progress import Progress
from course.exercise.watch.state import (
    Effect,
    Ended,
    Heard,
    KeyPress,
    Saved,
    State,
    Warming,
    WatchEvent,
    advance,
)
from course.exercise.working_copy import Copy
from course.judge.attempt import judge_attempt
from course.lesson import lesson
from course.lesson.bug import BugPlaces
from course.runs.process import Run
from course.runs.record import RunRecord, parse
from tests.conftest import RECORDS
from tests.render.signs import MEASURED

PART = lesson.load("ch8-4").parts["pt"]
FAULTS = tuple(b.fault for b in PART.bugs)
KINDS = {
    "fault": "missing-input-ids",
    "later fault": "size-1-array",
    "healthy": "none.healthy",
    "own fault": "missing-import.numpy",
    "unknown": "none.own-raise",
    "syntax error": "none.syntax",
    "problem": "none.leaves",
}
"""Kinds of verdicts, each with a stored record that gives rise to it."""


def stored(name: str, stack: str = "today") -> RunRecord:
    return parse((RECORDS / stack / f"{name}.jsonl").read_text("utf-8").splitlines())


def copy(text: str | None = None) -> Copy:
    """Make a working copy with all the bugs in; it lies nowhere."""
    text = copies.text(PART, PART.bugs) if text is None else text
    header = Header(PART.lesson, PART.framework, FAULTS, "en")
    return Copy(Path("/nowhere/ch8-4-pt.py"), text, header, PART, PART.bugs)


COPY = copy()


def practice(
    record: RunRecord | str,
    of: Copy = COPY,
    hints: Mapping[str, int] | None = None,
    output: str = "",
    places: BugPlaces = MappingProxyType({}),
) -> Practice:
    """Make a run that is over, with what was known before it; a record may go by its kind.

    What stands at the bugs' places in the text is not looked at, but told. Only a healthy one has
    vital signs.
    """
    kind = record if isinstance(record, str) else ""
    if isinstance(record, str):
        record = stored(KINDS[record])
    attempt = judge_attempt(of.part, of.bugs, record, places=places)
    record = replace(record, vitals=MEASURED if kind == "healthy" else None)
    before = replace(progress_of(of), hints=hints or {})
    now = progress.after(before, attempt, of.digest)
    return Practice(of, Run(record, (), output), attempt, before, now, kept=True)


def progress_of(of: Copy) -> Progress:
    return Progress(str(of.path), PART.lesson, PART.framework, FAULTS)


def after(*events: WatchEvent, state: State = State()) -> tuple[State, tuple[Effect, ...]]:  # noqa: B008
    """Give the state after some events, and what the last of them had done."""
    effects: tuple[Effect, ...] = ()
    for event in events:
        state, effects = advance(state, event)
    return state, effects


def judged(
    record: RunRecord | str, of: Copy = COPY, hints: Mapping[str, int] | None = None
) -> State:
    """Give the state once a first run has come to its verdict."""
    return after(Saved(of), Ended(1, practice(record, of, hints)))[0]


def keys(state: State, typed: str) -> State:
    """Give the state once these keys have been pressed."""
    return after(*(KeyPress(name) for name in typed), state=state)[0]


def phases() -> Mapping[str, State]:
    """Make a state for each phase of a watch, in the language in force."""
    return _phases(i18n.language())


@cache
def _phases(language: str) -> Mapping[str, State]:
    gone = Saved(None, i18n._("There is no file {path}.").format(path="`x.py`"))
    told = {"event": "line", "line": 3, "text": 'raw = load_dataset("glue", "mnli")'}
    step = {"event": "step", "step": 40, "of": 900, "epoch": 0.1}
    again = after(Saved(COPY), state=judged("fault"))[0]
    return {
        "nothing yet": State(),
        "no file": after(gone)[0],
        "first run": after(Saved(COPY))[0],
        "warming up": after(Saved(COPY), Warming())[0],
        "at a line": after(Saved(COPY), Heard(1, told))[0],
        "training": after(Saved(COPY), *training(1), Heard(1, step))[0],
        **{kind: judged(kind) for kind in KINDS},
        "to be guessed": after(Saved(COPY), Ended(1, practice("fault")), state=State(guesses=True))[
            0
        ],
        "running again": again,
        "training again": after(*training(2), state=again)[0],
        "gone after a verdict": after(gone, state=judged("fault"))[0],
    }


def training(number: int) -> list[WatchEvent]:
    """Tell what a run does that has trained for some steps; the loss breaks in the end."""
    means = [*(f"{1.2 / (i + 1):.4g}" for i in range(30)), "nan"]
    begins = {"event": "train", "max_steps": 900}
    losses = [{"event": "loss", "step": 9 * i + 9, "mean": m} for i, m in enumerate(means)]
    return [Heard(number, event) for event in (begins, *losses)]
