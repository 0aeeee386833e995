"""One step after the other: make the script, run it, judge it, and hold the next fix ready."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from course import paths
from course.check.verdict import Evidence, Verdict, judge, quoted, should_stop
from course.errors import ContentError
from course.lesson.bug import diff
from course.lesson.catalogue import catalogue
from course.lesson.lesson import Look, Outcome, Part, Step
from course.lesson.signature import Signature
from course.run.hub import ONLINE, Hub
from course.run.process import Job, Listener
from course.run.record import LookResult, RunRecord, parse
from course.run.run_context import RunContext


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


def script(part: Part, step: Step, hub: Hub) -> str:
    """The text that a step runs; on the real hub with the sample in place of all the data."""
    text = part.text(step.bugs)
    return part.online.sample.take_out(text) if hub.name == ONLINE else text


def recording(part: Part, step: Step) -> Path:
    """Where the record of a step lies that was run on another machine."""
    return part.path.parent / "recorded" / f"{step.id}.jsonl"


def take(part: Part, step: Step, context: RunContext, listen: Listener | None = None) -> Taken:
    """Take one step: live where this machine can, else from a recording, else in quoted words.

    Raises:
        KeyboardInterrupt: once the run is gone.

    """
    wanted = part.expects(online=context.online)
    if step.device == "cuda" and context.device != "cuda":
        record, evidence = _elsewhere(part, step)
        verdict = judge(step, wanted, record, evidence)
        return Taken(part, step, wanted, verdict, record, (), _fix(part, step, context.hub), "")
    looks = part.looks_at(step.id)
    job = Job(
        script(part, step, context.hub),
        tuple(look.code for look in looks),
        processes=step.processes,
        keep=paths.output(f"{part.lesson}-{part.framework}-{step.id}.py"),
    )
    done = context.run(job, listen, step.device, enough=lambda record: should_stop(record, wanted))
    verdict = judge(step, wanted, done.record)
    # A look that the run did not live to see has no result.
    results = {result.index: result for result in done.record.looks}
    seen = tuple((look, results[i]) for i, look in enumerate(looks) if i in results)
    fix = _fix(part, step, context.hub)
    return Taken(
        *(part, step, wanted, verdict, done.record, seen, fix),
        *(done.output, done.lines, done.warm, done.note),
    )


def steps(part: Part, first: str | None = None) -> Iterator[Step]:
    """Yield the steps of a part from the id `first` on, or all of them."""
    begun = first is None
    for step in part.steps:
        begun = begun or step.id == first
        if begun:
            yield step


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
