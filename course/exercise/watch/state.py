"""What a watch knows, and how it changes: pure, so that any course of events can be tried.

Events go in, a new state and effects come out. The screen is drawn from the state alone.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal

from course.base.i18n import N_, _, in_a_row, titled
from course.exercise import guess, hint, practice, progress
from course.exercise.guess import Choice
from course.exercise.hint import Hint
from course.exercise.mended import MendedBug, mended
from course.exercise.practice import Fix, Practice
from course.exercise.working_copy import Copy
from course.judge.verdict import describe_problem
from course.lesson.lesson import framework_option
from course.lesson.look_names import in_own_names
from course.render import lesson_blocks, printed, vitals
from course.runs.record import UNREADABLE
from course.runs.script_output import NOTHING, ScriptOutput

OpenPanel = Literal["", "hint", "fix", "list", "vitals", "mended", "output"]
KEYS = {
    "h": "hint",
    "f": "fix",
    "n": "next",
    "l": "list",
    "v": "vitals",
    "m": "mended",
    "e": "look",
    "o": "output",
    "r": "run",
    "q": "quit",
}
"""What each key does."""
ELSEWHERE = dict(zip("ратдмьущкй", "hfnlvmeorq", strict=True))
"""The same keys on a Russian keyboard that has not been switched over."""

AGAIN = N_("{command} makes these changes in the file.")
MORE = N_("{key} shows the next part.")
NONE_MENDED = N_("No run has shown yet that a bug of this exercise is fixed.")
BESIDE = N_("{command} shows the lesson's fix beside yours.")
NOTHING_PRINTED = N_("The script has printed nothing.")
NOT_YET = N_("Wait for the run to end.")
CHANGED = N_("The file has been saved meanwhile, so nothing was changed. Try again.")


@dataclass(frozen=True)
class State:
    """All that the screen shows.

    `number` counts the runs; `copy` is the text that runs or ran last, None while the file is not
    there or can't be read (`trouble` says why). `done` is the last run that came to its end, and
    `stale` tells that a newer text is running. `line`, `losses` and `last` are what the run under
    way has told so far, and `output` what it or else the last one has printed. `part` is the part
    of the vital signs, the page of the output, or the place of the bug among the `mended` ones,
    that their panel begins with. Where somebody `guesses`, the name of a fault waits for that.
    """

    copy: Copy | None = None
    trouble: str = ""
    number: int = 0
    running: bool = False
    warming: bool = False
    line: dict[str, Any] | None = None
    losses: tuple[tuple[int, float], ...] = ()
    last: int | None = None
    output: ScriptOutput = NOTHING
    done: Practice | None = None
    stale: bool = False
    panel: OpenPanel = ""
    part: int = 0
    hints: tuple[Hint, ...] = ()
    fix: Fix | None = None
    mended: MendedBug | None = None
    note: str = ""
    guesses: bool = False

    @property
    def choice(self) -> Choice | None:
        """The faults to choose from, while the one that bites is to be guessed."""
        if not self.guesses or self.done is None:
            return None
        match = self.done.attempt.verdict.match
        if match is None or self.done.now.knows(match.fault.id):
            return None
        return guess.choice(match.fault)


@dataclass(frozen=True)
class Saved:
    """The file was saved: what it holds now, or why that can't be run."""

    copy: Copy | None
    trouble: str = ""


@dataclass(frozen=True)
class Warming:
    """A warm runtime is being started."""


@dataclass(frozen=True)
class Heard:
    """An event of a run's record."""

    number: int
    event: dict[str, Any]


@dataclass(frozen=True)
class Ended:
    """A run came to its end."""

    number: int
    practice: Practice


@dataclass(frozen=True)
class KeyPress:
    """A key was pressed."""

    name: str


@dataclass(frozen=True)
class FixRefused:
    """A fix was not written: why not, if not since the file has changed meanwhile."""

    why: str = ""


WatchEvent = Saved | Warming | Heard | Ended | KeyPress | FixRefused


@dataclass(frozen=True)
class RunEffect:
    """Effect: run this text."""

    number: int
    copy: Copy


@dataclass(frozen=True)
class Cancel:
    """Effect: stop the run under way."""

    number: int


@dataclass(frozen=True)
class Hinted:
    """Effect: keep that a level of the hints was shown."""

    copy: Copy
    fault: str
    level: int


@dataclass(frozen=True)
class Guessed:
    """Effect: keep that a fault was guessed."""

    copy: Copy
    fault: str
    is_right: bool


@dataclass(frozen=True)
class Apply:
    """Effect: write the mended text."""

    copy: Copy
    fix: Fix


@dataclass(frozen=True)
class LookAround:
    """Effect: open a prompt in the stopped script of this text."""

    copy: Copy


@dataclass(frozen=True)
class Quit:
    """Effect: leave."""


Effect = RunEffect | Cancel | Hinted | Guessed | Apply | LookAround | Quit


def advance(state: State, event: WatchEvent) -> tuple[State, tuple[Effect, ...]]:
    """Return the state after an event, and the effects to carry out."""
    match event:
        case Saved():
            return _saved(state, event)
        case Warming():
            return replace(state, warming=True), ()
        case Heard() if event.number == state.number and state.running:
            return _heard(state, event.event), ()
        case Ended() if event.number == state.number and state.running:
            return _ended(state, event.practice), ()
        case KeyPress() if event.name.isdecimal():
            return _guess(state, int(event.name))
        case KeyPress():
            return _pressed(state, event.name)
        case FixRefused():
            return replace(state, note=event.why or _(CHANGED)), ()
    # The rest are voices of runs that nobody waits for any more.
    return state, ()


def _saved(state: State, event: Saved) -> tuple[State, tuple[Effect, ...]]:
    """Take a newer text, which makes the run of the older one stale."""
    stop: tuple[Effect, ...] = (Cancel(state.number),) if state.running else ()
    if event.copy is None:
        gone = replace(state, copy=None, trouble=event.trouble, running=False, stale=True)
        return _closed(gone), stop
    started = replace(
        state,
        copy=event.copy,
        trouble="",
        number=state.number + 1,
        running=True,
        line=None,
        losses=(),
        last=None,
        output=NOTHING,
        stale=True,
        note="",
    )
    return started, (*stop, RunEffect(started.number, event.copy))


def _ended(state: State, done: Practice) -> State:
    fresh = replace(state, running=False, warming=False, line=None, done=done, stale=False)
    output = done.run.record.output
    if state.panel == "output" and printed.pages(output):
        # It is being read, and has only become longer.
        return replace(fresh, output=output)
    beside = _(BESIDE).format(command="`m`") if done.newly_behind else ""
    note = done.note or done.copy.about_its_header or beside
    return replace(_closed(fresh), output=output, note=note)


def _heard(state: State, event: dict[str, Any]) -> State:
    """Take in an event; one without sense is passed over, as the script could have written it."""
    match event:
        case {"event": "again"}:
            return replace(state, line=event, losses=(), last=None, output=NOTHING)
        case {"event": "output" | "warning"}:
            with suppress(*UNREADABLE):
                return replace(state, output=state.output.heard(event))
        case {"event": "kept", "file": str(file)}:
            return replace(state, output=state.output.kept(file))
        case {"event": "train", "max_steps": int(last)}:
            return replace(state, last=last, line=event, losses=())
        case {"event": "loss", "step": int(step), "mean": str(mean)}:
            with suppress(ValueError):
                return replace(state, losses=(*state.losses, (step, float(mean))))
        case (
            {"event": "line", "line": int(), "text": str()}
            | {"event": "step", "step": int(), "of": int(), "epoch": float()}
            | {"event": "progress", "text": str()}
            | {"event": "exception" | "trained"}
        ):
            return replace(state, line=event, warming=False)
    return state


def _closed(state: State) -> State:
    """Without a panel: what it told was about another text."""
    return replace(state, panel="", part=0, hints=(), fix=None, mended=None, note="")


def _pressed(state: State, name: str) -> tuple[State, tuple[Effect, ...]]:
    key = KEYS.get(ELSEWHERE.get(name.lower(), name.lower()), "")
    if key == "quit":
        stop: tuple[Effect, ...] = (Cancel(state.number),) if state.running else ()
        return replace(state, running=False), (*stop, Quit())
    if key == "run":
        return _saved(state, Saved(state.copy, state.trouble)) if state.copy else (state, ())
    if key == "list":
        return replace(_closed(state), panel="" if state.panel == "list" else "list"), ()
    if key == "output":
        return _output(state), ()
    if key == "" or state.done is None or state.copy is None:
        return state, ()
    if state.running or state.stale:
        return replace(_closed(state), note=_(NOT_YET)), ()
    if key == "vitals":
        return _vitals(state, state.done), ()
    if key in ("mended", "fix", "next") and state.done.copy.header.exam:
        return replace(_closed(state), note=_(practice.IN_AN_EXAM)), ()
    if key == "mended":
        return _mended(state, state.done), ()
    if key == "look":
        return _closed(state), (LookAround(state.done.copy),)
    if state.done.attempt.healthy:
        part = state.done.copy.part
        another = _("For another choice of bugs: `course start {lesson} DIR --seed N`.").format(
            lesson=f"{part.lesson}{framework_option(part)}"
        )
        note = in_a_row(_("The script trains, and the model has learned."), another)
        return replace(_closed(state), note=note), ()
    return _hint(state, state.done) if key == "hint" else _fix(state, state.done, key)


def _guess(state: State, number: int) -> tuple[State, tuple[Effect, ...]]:
    """Answer a guess by what tells it from the fault that bites; name that once it is right."""
    choice, done = state.choice, state.done
    if choice is None or done is None:
        return state, ()
    if not 1 <= number <= len(choice.offered):
        sentence = _("Give a number from 1 to {n}.").format(n=len(choice.offered))
        return replace(_closed(state), note=sentence), ()
    if state.running or state.stale:
        return replace(_closed(state), note=_(NOT_YET)), ()
    offered, fault = choice.offered[number - 1], choice.fault
    is_right = offered is fault
    now = progress.guessed(done.now, fault.id, is_right=is_right)
    apart = in_own_names(choice.apart(offered), done.copy.text)
    note = (
        _(lesson_blocks.RIGHT) if is_right else in_a_row(titled(offered.title, offered.id), apart)
    )
    told = replace(_closed(state), done=replace(done, now=now), note=note)
    return told, (Guessed(done.copy, fault.id, is_right),)


def _output(state: State) -> State:
    """One page on at each press, and closed after the last; of a run under way, what there is."""
    count = len(printed.pages(state.output))
    page = state.part + 1 if state.panel == "output" else 0
    if page >= count:
        return _closed(state) if count else replace(_closed(state), note=_(NOTHING_PRINTED))
    note = _(MORE).format(key="`o`") if page + 1 < count else ""
    return replace(_closed(state), panel="output", part=page, note=note)


def _vitals(state: State, done: Practice) -> State:
    """One part on at each press, and closed after the last: all of them take more than a screen."""
    signs = done.run.record.vitals
    parts = len(vitals.parts(signs)) if signs is not None else 1
    part = state.part + 1 if state.panel == "vitals" else 0
    if part == parts:
        return _closed(state)
    note = _(MORE).format(key="`v`") if part + 1 < parts else ""
    return replace(_closed(state), panel="vitals", part=part, note=note)


def _mended(state: State, done: Practice) -> State:
    """Show the bug mended last, then one of the others at each press; close after them all."""
    found = mended(done.copy, done.now)
    new = [m for m in found if m.bug.fault in done.newly_behind]
    found = (*new, *(m for m in found if m not in new))
    part = state.part + 1 if state.panel == "mended" else 0
    if not found:
        return replace(_closed(state), note=_(NONE_MENDED))
    if part == len(found):
        return _closed(state)
    note = _(MORE).format(key="`m`") if part + 1 < len(found) else ""
    return replace(_closed(state), panel="mended", part=part, mended=found[part], note=note)


def _hint(state: State, done: Practice) -> tuple[State, tuple[Effect, ...]]:
    """One level more at each press."""
    current = practice.current_fault(done.attempt)
    verdict = done.attempt.verdict
    problem = (
        "" if verdict.problem == "unknown" else describe_problem(verdict, done.attempt.outcome)
    )
    fault = current.fault.id if current.fault else ""
    ladder = hint.ladder_of(done.copy, current, problem)
    # Rungs shown before are shown again at once.
    known = done.now.hints.get(fault, 0)
    shown = min(len(state.hints) + 1 if state.hints else max(1, known), len(ladder))
    now = replace(done.now, hints={**done.now.hints, fault: shown})
    opened = replace(
        _closed(state), panel="hint", hints=ladder[:shown], done=replace(done, now=now)
    )
    return opened, (Hinted(done.copy, fault, shown),)


def _fix(state: State, done: Practice, key: str) -> tuple[State, tuple[Effect, ...]]:
    """Show the fix; make it when `next` is pressed with the fix in view."""
    if key == "next" and state.panel == "fix" and state.fix is not None and not state.fix.reason:
        return _closed(state), (Apply(done.copy, state.fix),)
    current = practice.current_fault(done.attempt)
    is_told = current.fault is None and current.to_fix is None
    if is_told and done.attempt.verdict.problem != "unknown":
        # A run that came to its end: its problem tells what to undo.
        return replace(
            _closed(state), note=describe_problem(done.attempt.verdict, done.attempt.outcome)
        ), ()
    found = practice.fix(done.copy, current.to_fix)
    return replace(
        _closed(state), panel="fix", fix=found, note=found.why or _(AGAIN).format(command="`n`")
    ), ()
