"""One step after the other: make the script, run it, judge it, and hold the next fix ready."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from itertools import dropwhile
from pathlib import Path

from course.base import files, paths
from course.base.errors import ContentError
from course.base.i18n import _
from course.base.texts import translated
from course.exercise.working_copy import file_name
from course.judge.verdict import Evidence, Verdict, judge, quoted, should_stop
from course.lesson import lesson
from course.lesson.bug import diff
from course.lesson.catalogue import catalogue
from course.lesson.lesson import Look, Outcome, Part, Step
from course.lesson.signature import Signature
from course.render import story
from course.render.story import Story
from course.runs.conversation import Ask, Complete, FrameLook
from course.runs.hub import ONLINE, Hub
from course.runs.process import Job, Listener
from course.runs.record import LookResult, RunRecord, parse
from course.runs.run_context import RunContext


@dataclass(frozen=True)
class Taken:
    """A step of a part that was taken.

    `looks` pairs each look with its result; `fix` is the diff that takes the bug out, empty where
    nothing is taken out; `output` is the end of what the run printed; `note` is a sentence where
    the run did not begin as it was to.
    """

    part: Part
    step: Step
    outcome: Outcome
    verdict: Verdict
    record: RunRecord
    looks: tuple[tuple[Look, LookResult], ...]
    fix: str
    output: str
    lines: tuple[str, ...] = ()
    warm: bool = False
    note: str = ""

    @property
    def story(self) -> Story:
        """The step in the order in which it is told."""
        return story.of_step(
            self.part,
            self.step,
            self.verdict,
            self.record,
            self.outcome,
            output=self.output,
            change=self.fix,
        )


Visit = Generator[Look | str, LookResult, None]
"""What is done with a step while its script is still there: it yields looks, of the lesson or of
the learner's own, and is sent what each has shown."""
BeginVisit = Callable[[Taken, Complete], Visit]
"""Begins a visit, with the step as far as it is known, and how a name may go on."""


def script(part: Part, step: Step, hub: Hub) -> str:
    """Make the text that a step runs, with its prose in the language in force.

    On the real hub it has the sample in place of all the data.
    """
    text = translated(part.text(step.bugs), _)
    return part.online.sample.take_out(text) if hub.name == ONLINE else text


def recording(part: Part, step: Step) -> Path:
    """Where the record of a step lies that was run on another machine."""
    return part.path.parent / "recorded" / f"{step.id}.jsonl"


def keep_script(part: Part, step: Step, hub: Hub) -> Path | None:
    """Lay the script of a step where a learner can open it; None where that can't be done."""
    path = paths.cache() / "walk" / file_name(part)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        files.write(path, script(part, step, hub).encode())
    except OSError:
        return None
    return path


def next_lesson(part: Part) -> str | None:
    """Find the lesson to go on with in the same framework, if there is one."""
    ids = lesson.ids()
    later = (lesson.load(name) for name in ids[ids.index(part.lesson) + 1 :])
    own = {each.lesson for each in lesson.walked(part.lesson, part.framework)}
    found = (each.id for each in later if part.framework in each.parts and each.id not in own)
    return next(found, None)


def take(
    part: Part,
    step: Step,
    context: RunContext,
    listen: Listener | None = None,
    visit: BeginVisit | None = None,
) -> Taken:
    """Take one step: live where this machine can, else from a recording, else in quoted words.

    With a `visit` the looks are not taken by themselves: it is called once the script has stopped,
    and asks for what it wants to see. It is not called where nothing ran, or the run was lost.

    Raises:
        KeyboardInterrupt: once the run is gone.

    """
    wanted = part.expects(online=context.online)
    fix = _fix(part, step, context.hub)
    if not context.offers(step.device):
        record, evidence = _elsewhere(part, step)
        verdict = judge(step, wanted, record, evidence)
        return Taken(part, step, wanted, verdict, record, (), fix, "")
    looks = part.looks_at(step.id) if visit is None else ()
    job = Job(
        script(part, step, context.hub),
        tuple(look.code for look in looks),
        # A learner finds it in a traceback, and can open the file of this name.
        name=file_name(part),
        processes=step.processes,
        asks=("look",),
        keep=paths.output(f"{part.lesson}-{part.framework}-{step.id}.py"),
    )

    def stopped(record: RunRecord) -> Taken:
        # A look that the run did not live to see has no result.
        results = {result.index: result for result in record.looks}
        seen = tuple((look, results[i]) for i, look in enumerate(looks) if i in results)
        return Taken(part, step, wanted, judge(step, wanted, record), record, seen, fix, "")

    done = context.run(
        job,
        listen,
        step.device,
        enough=lambda record: should_stop(record, wanted),
        converse=_Visiting(visit, stopped) if visit is not None else None,
    )
    return replace(
        stopped(done.record), output=done.output, lines=done.lines, warm=done.warm, note=done.note
    )


class _Visiting:
    """A visit as a conversation with the stopped script."""

    def __init__(self, visit: BeginVisit, stopped: Callable[[RunRecord], Taken]) -> None:
        self._begin, self._stopped = visit, stopped
        self._visit: Visit | None = None

    def __call__(self, ask: Ask) -> FrameLook | None:
        try:
            if self._visit is None or ask.result is None:
                self._visit = self._begin(self._stopped(ask.record), ask.complete)
                wanted = next(self._visit)
            else:
                wanted = self._visit.send(ask.result)
        except StopIteration:
            return None
        if isinstance(wanted, str):
            return FrameLook(wanted)
        # The lesson's looks are written for the names of the module, the outermost frame.
        return FrameLook(wanted.code, len(ask.frames) - 1 if ask.frames else None)


def steps(part: Part, first: str | None = None) -> Iterator[Step]:
    """Return the steps of a part from the id `first` on, or all of them."""
    return dropwhile(lambda step: first is not None and step.id != first, part.steps)


def _elsewhere(part: Part, step: Step) -> tuple[RunRecord, Evidence]:
    stored = recording(part, step)
    if stored.exists():
        return parse(stored.read_text("utf-8").splitlines()), "recorded"
    fault = catalogue().get(step.fault or "")
    known = fault.signatures if fault is not None else ()
    on_device = [s for s in known if isinstance(s, Signature) and s.device == step.device]
    signature = next(iter(on_device), None)
    if fault is not None and isinstance(fault.quoted, Signature):
        signature = fault.quoted
    if not isinstance(signature, Signature):
        raise ContentError(f"{step.id}: neither a recording nor words to quote")
    return quoted(signature), "quoted"


def _fix(part: Part, step: Step, hub: Hub) -> str:
    if step.bug is None:
        return ""
    before = script(part, step, hub)
    return diff(before, step.bug.take_out(before), part.path.name)
