"""Practising with a working copy: run it, judge the run, keep what is known of it, mend it.

What judges a run is imported after it has begun: nobody waits for that while the script runs.
"""

import contextlib
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from course.base import files, paths
from course.base.i18n import N_, _, at_line
from course.exercise import patch, progress
from course.exercise.progress import Progress
from course.exercise.working_copy import Copy, decode
from course.lesson.bug import Bug, diff
from course.runs.conversation import Converse
from course.runs.process import Job, Listener, Run
from course.runs.record import RunRecord
from course.runs.run_context import RunContext
from course_probe.events import AskKind

if TYPE_CHECKING:
    from course.judge.attempt import Attempt
    from course.lesson.catalogue import Fault

IN_AN_EXAM = N_("This is an exam: neither the hints nor `course fix` show the fix before its end.")
NO_FIX = {
    "syntax": N_("There is a syntax error here, so nothing can be fixed. Correct it first."),
    "not-found": N_(
        "The lines that our fix changes are not in your code now. Make the change by hand."
    ),
    "several": N_(
        "The lines that our fix changes occur several times; this is the first place. Make the "
        "change by hand in the right place."
    ),
    "own": N_("This is not one of the exercise's own bugs."),
}
"""Why our fix does not fit a text."""
UNSAVED = N_("Your progress could not be saved: the disk is full, or you have no permission.")


@dataclass(frozen=True)
class Practice:
    """One run of a working copy: what it showed, what was known before and is known now.

    `kept` is False where the progress could not be written. `hidden` are faults whose bugs are
    still in the text and that no run on this device can show.
    """

    copy: Copy
    run: Run
    attempt: "Attempt"
    before: Progress
    now: Progress
    kept: bool
    hidden: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """A sentence for the learner where something did not go as it was to; mostly empty."""
        if self.run.note:
            return self.run.note
        if not self.kept:
            return _(UNSAVED)
        return self.copy.script.note if self.copy.script is not None else ""

    @property
    def unmended(self) -> tuple[str, ...]:
        """The faults that have not bitten, and whose bug stands at one of its places as it was.

        What a learner has made of other places no run has told yet.
        """
        bugs = [bug for bug in self.copy.bugs if bug is not self.attempt.bug]
        places = patch.places(self.copy.text, bugs)
        return tuple(b.fault for b in bugs if "buggy" in places.get(b.fault, ("buggy",)))

    @property
    def again(self) -> bool:
        """Whether a fault bites that an earlier run had got past."""
        match = self.attempt.verdict.match
        return match is not None and match.fault.id in self.before.behind

    @property
    def newly_behind(self) -> tuple[str, ...]:
        """The faults that this run is the first to show as mended."""
        return tuple(fault for fault in self.now.behind if fault not in self.before.behind)

    @property
    def mended_places(self) -> int:
        """At how many places the bug that bites is mended, if it is at some of them."""
        bug = self.attempt.bug
        if bug is None or len(bug.edits) == 1:
            return 0
        return max(self.attempt.right, int(bug.fault in self.before.partly))


@dataclass(frozen=True)
class Fix:
    """The text without one bug, and how it differs; or why our fix does not fit this text.

    `reason` is that of `CannotPatch`, or `own` where what bites is none of the exercise's bugs;
    where the lines are not found, the diff is that of the lesson's own text.
    `line` is one of the script, of a notebook one of its `cell`.
    """

    text: str
    diff: str
    reason: Literal["syntax", "not-found", "several", "own"] | None = None
    line: int | None = None
    cell: int | None = None

    @property
    def why(self) -> str:
        """Why there is no fix, in a sentence; empty where there is one."""
        return at_line(_(NO_FIX[self.reason]), self.line, self.cell) if self.reason else ""


def run(
    copy: Copy,
    context: RunContext,
    listen: Listener | None = None,
    cancelled: threading.Event | None = None,
    converse: Converse | None = None,
) -> Practice:
    """Run a working copy as it stands, judge it, and keep what is known.

    A run that was cancelled, or ended in the debugger, leaves no trace in what is known. `converse`
    answers what the script asks for on the way: `input()`, and the debugger.
    """
    outcome = copy.part.expects(online=context.online)

    def enough(record: RunRecord) -> bool:
        from course.judge.verdict import should_stop

        return should_stop(record, outcome)

    asks: tuple[AskKind, ...] = ("input", "debugger")
    job = Job(
        copy.text,
        name=copy.path.name,
        beside=copy.path.parent,
        asks=asks,
        keep=paths.output(copy.path),
    )
    done = context.run(job, listen, cancelled=cancelled, enough=enough, converse=converse)
    if copy.script is not None:
        from course.judge.cells import placed

        done = replace(done, record=placed(done.record, copy.script))
    from course.judge.attempt import judge_attempt

    places = patch.places(copy.text, copy.part.known)
    attempt = judge_attempt(copy.part, copy.bugs, done.record, online=context.online, places=places)
    hidden = still_hidden(copy, context.device, done.record)
    if attempt.behind is not None:
        attempt = replace(
            attempt,
            behind=tuple(f for f in attempt.behind if f not in hidden),
            partly=tuple(f for f in attempt.partly if f not in hidden),
        )
    before = progress.of(copy)
    if done.record.status == "interrupted":
        return Practice(copy, done, attempt, before, before, kept=True)
    now = progress.after(before, attempt, copy.digest)
    return Practice(copy, done, attempt, before, now, progress.keep(now), hidden)


def still_hidden(copy: Copy, device: str, record: RunRecord) -> tuple[str, ...]:
    """Find the bugs that are still in a copy, and that no run on this device can show.

    Where the text does what such a bug leaves undone, that counts, however it is written.
    """
    from course.judge.attempt import DEVICES, moves_its_inputs

    found = []
    for bug in copy.part.hidden(device):
        if bug not in copy.bugs or (bug.fault == DEVICES and moves_its_inputs(record, copy.text)):
            continue
        with contextlib.suppress(patch.CannotPatch, ValueError):
            if patch.take_out(copy.text, bug) != copy.text:
                found.append(bug.fault)
    return tuple(found)


@dataclass(frozen=True)
class CurrentFault:
    """What bites in a text: a fault of the catalogue, and the exercise's own bug behind it.

    Both are None where the catalogue knows no fault for what happened, and for a `healthy` text.
    `mended` is the lesson's bug of that fault where the text is without it already. `remaining` are
    the exercise's bugs that may be behind a problem that has no fault.
    """

    fault: "Fault | None"
    bug: Bug | None
    healthy: bool
    mended: Bug | None = None
    remaining: tuple[Bug, ...] = ()

    @property
    def to_fix(self) -> Bug | None:
        """The bug whose fix comes next: the one that bites, else the first that may remain."""
        return self.bug or next(iter(self.remaining), None)


def current_fault(attempt: "Attempt") -> CurrentFault:
    """Return the fault and the bug that an attempt has shown."""
    match = attempt.verdict.match
    fault = match.fault if match else None
    return CurrentFault(fault, attempt.bug, attempt.healthy, attempt.mended, attempt.remaining)


def recall(copy: Copy) -> CurrentFault | None:
    """Recall the result of this very text's last run; None without one, or if it told nothing."""
    from course.judge.attempt import is_mended
    from course.lesson.catalogue import catalogue

    known = progress.of(copy)
    if known.digest != copy.digest or known.problem is not None:
        return None
    fault = catalogue().get(known.fault) if known.fault else None
    bug = copy.part.bug_of(known.fault) if known.fault else None
    if bug is not None and is_mended(bug, patch.places(copy.text, (bug,))):
        return CurrentFault(fault, None, healthy=False, mended=bug)
    return CurrentFault(fault, bug if bug in copy.bugs else None, healthy=fault is None)


def next_level(known: Progress, fault: str, levels: int) -> int:
    """Return the level of hints to show: one more than last time, as long as there is one."""
    return min(known.hints.get(fault, 0) + 1, levels)


def fix(copy: Copy, bug: Bug | None) -> Fix:
    """Take the bug that bites out of the learner's own text."""
    if bug is None:
        return Fix(copy.text, "", "own")
    try:
        text = patch.take_out(copy.text, bug)
        changed = copy.script.back(text) if copy.script is not None else {}
    except patch.CannotPatch as why:
        cell, line = _place(copy, why.line)
        official = "" if why.reason == "syntax" else _official(copy, bug)
        return Fix(copy.text, official, why.reason, line, cell)
    except ValueError:
        return Fix(copy.text, _official(copy, bug), "not-found")
    if text == copy.text:
        return Fix(text, _official(copy, bug), "not-found")
    if copy.script is None:
        return Fix(text, _diff(copy.text, text, copy.path.name))
    cells = (
        _diff(cell.source, changed[cell.number], f"{copy.path.name}[{cell.number}]")
        for cell in copy.script.notebook.cells
        if cell.number in changed
    )
    return Fix(text, "".join(cells))


def apply(copy: Copy, found: Fix) -> bool:
    """Write the mended text; False, and nothing written, where the file has changed meanwhile."""
    if decode(copy.path) != copy.content:
        return False
    files.write(copy.path, copy.written(found.text).encode())
    return True


def _official(copy: Copy, bug: Bug) -> str:
    """Make the diff of the lesson's own fix, in the script as it is when the bug bites."""
    known = copy.part.known
    ours = copy.part.text(tuple(b for b in copy.bugs if known.index(b) >= known.index(bug)))
    return diff(ours, bug.take_out(ours), copy.part.path.name)


def _place(copy: Copy, line: int | None) -> tuple[int | None, int | None]:
    """Find the cell of a line of the script and the line in it; only the line without cells."""
    found = copy.script.place(line) if copy.script is not None and line is not None else None
    return found or (None, line)


def _diff(before: str, after: str, name: str) -> str:
    """Make the diff of two texts, whatever their line endings."""
    old, new = (
        text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        for text in (before, after)
    )
    return diff(old, new, name)
