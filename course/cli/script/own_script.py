"""`course run` for a script of the user's own: as it is, without a lesson."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from course.base.errors import OURS
from course.base.i18n import _, numbers, titled
from course.cli.terminal import consoles, live
from course.cli.terminal.json_output import document, observed_document, output_document, short
from course.cli.terminal.live_output import OutputPrinter
from course.diagnosis import user_script
from course.diagnosis.locate import find_place, lines_to_show
from course.diagnosis.user_script import ScriptRun, UserScript
from course.runs.record import Frame, Raised
from course.runs.run_context import RunContext

STEP = "script"


def run(
    written: UserScript,
    *,
    python: str | None,
    hub: str | None,
    timeout: float | None,
    device: str | None,
    as_json: bool,
    with_vitals: bool,
) -> int:
    """Run a script and tell what it showed; 0 where it ended well and nothing certain was found.

    Raises:
        UserError: the interpreter does not start, or there is no such hub.

    """
    context = replace(user_script.find_context(python, hub, timeout), chosen=device)
    console = consoles.err() if as_json else consoles.out()
    done = _attend(written, context, console, is_quiet=as_json)
    if as_json:
        consoles.document(_document(done, context))
    else:
        report(console, done, with_vitals=with_vitals)
    if done.verdict.problem == "ours":
        return OURS
    return 0 if done.verdict.well else 1


def _attend(
    written: UserScript, context: RunContext, console: Console, *, is_quiet: bool
) -> ScriptRun:
    """Run it with a live line; what it prints is printed as it comes, unless that `is_quiet`."""
    from course.cli.stage import look_prompt

    if written.note:
        consoles.note(written.note)
    converse = look_prompt.answers(console, is_quiet=is_quiet)

    def tell(naming: Any) -> None:
        from course.render import script_blocks

        # Where there is a live line, only its own console makes it give way.
        beside = console if console.is_terminal else consoles.err()
        _done, wrong, _open = consoles.marks(beside)
        title = titled(naming.fault.title, naming.fault.id)
        consoles.paragraph(beside, title, style="bold red", mark=wrong)
        consoles.paragraph(beside, script_blocks.evidence(naming, None))

    printer = None if is_quiet else OutputPrinter(console)
    with live.listening(console, printer) as listen:
        answered = listen.paused(converse) if converse is not None else None
        return user_script.run(written, context, listen, answered, tell=None if is_quiet else tell)


def report(console: Console, done: ScriptRun, *, with_vitals: bool) -> None:
    """Print the results of the run for a reader."""
    from course.render import story, terminal, vitals

    sentence = _("{file} ran on this machine for {seconds} s.").format(
        file=f"`{done.script.name}`", seconds=numbers.decimal(done.verdict.seconds, 1)
    )
    consoles.paragraph(console, sentence, style=consoles.QUIET)
    record, lines = done.run.record, lines_to_show(done)
    told = story.of_script(done.verdict, record, done.run.output, lines, record.losses)
    terminal.draw(console, told)
    if with_vitals:
        terminal.draw(console, vitals.vitals(record.vitals))


def _document(done: ScriptRun, context: RunContext) -> dict[str, Any]:
    """Return the run as data: `course/schemas/run.schema.json`."""
    from course.render import script_blocks, vitals

    verdict, record = done.verdict, done.run.record
    raised, biting = verdict.raised, verdict.biting
    match = biting.match if biting is not None else None
    step = {
        "step": STEP,
        "expected": None,
        "observed": observed_document(raised, match),
        "matched": verdict.well,
        "problem": verdict.problem,
        "evidence": "live",
        "warm": False,
        "seconds": verdict.seconds,
        "metrics": {},
        "vitals": vitals.document(record.vitals),
        "output": output_document(record.output),
        "frames": [
            consoles.fields_of(each, "file", "line", "function", "text")
            for each in _decisive(raised, verdict.problem)
        ],
        "state": dict(raised.state) if raised else {},
    }
    places = [find_place(done, naming) for naming in verdict.namings]
    faults = [
        {
            "fault": naming.fault.id,
            "certain": naming.certain,
            "stage": naming.fault.stage,
            "file": place.file,
            "line": next(iter(place.lines), None),
            "lines": list(place.lines),
            "given": place.gave or None,
            "evidence": naming.evidence or script_blocks.evidence(naming, raised),
            "figures": {name: short(value) for name, value in naming.figures.items()},
        }
        for naming, place in zip(verdict.namings, places, strict=True)
    ]
    path = done.script.path
    return document(
        None,
        context,
        [step],
        completed=verdict.well,
        runtime=record.versions or context.runtime.versions,
        device=(record.device or "cpu").partition(":")[0],
        faults=faults,
        broken=[
            {
                **consoles.fields_of(each, "invariant", "evidence"),
                "figures": {name: short(value) for name, value in each.figures.items()},
            }
            for each in verdict.broken
        ],
        script={
            "path": str(path.absolute()) if path is not None else None,
            "module": done.script.module,
            "arguments": list(done.script.arguments),
            "exit": verdict.exit_code,
        },
    )


def _decisive(raised: Raised | None, problem: str | None) -> list[Frame]:
    """Return the learner's innermost line and the one that raised; both where it is unknown."""
    if raised is None:
        return []
    own, second = raised.own, raised.second
    if raised.origin is own:
        return [f for f in (second if problem == "unknown" else None, own) if f is not None]
    return [frame for frame in (own, second) if frame is not None]


def find(
    target: str | None, module: str | None = None, arguments: tuple[str, ...] = ()
) -> UserScript | None:
    """Find the script that the words mean; return None where they mean an exercise or nothing.

    Raises:
        UserError: it can't be read, or is a notebook that could not be run.

    """
    from course.exercise import working_copy

    if module is not None:
        words = [*([target] if target is not None else []), *arguments]
        return UserScript(None, module, arguments=tuple(words))
    path = Path(target) if target is not None else None
    if path is None or not path.is_file() or working_copy.is_exercise(path):
        return None
    return user_script.read(path, arguments)
