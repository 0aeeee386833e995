"""`course run`: walk through a lesson, fault by fault, until the script trains."""

import math
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from course.cli.options import AsJson, Framework, LessonId
from course.errors import UserError
from course.i18n import N_, _, enumerate_words

if TYPE_CHECKING:
    from course.lesson.lesson import Part, Step
    from course.walk.walk import Place, Taken

HELP = N_("Run a lesson's broken script, name the fault that bites, and show the next fix.")
EXAMPLES = N_(
    "Examples: `course run ch8-4 --lang zh`; from one step on `course run ch8-4 --step cublas`; "
    "for programs `course run ch8-4 --json`"
)
FORMAT = 1


def run(
    lesson: LessonId,
    fw: Framework = None,
    step: Annotated[
        str | None, typer.Option(metavar="STEP", help=N_("Begin at this step."))
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help=N_("Walk to the end without asking."))
    ] = False,
    hub: Annotated[
        str,
        typer.Option(
            metavar="embedded|online",
            help=N_("Tiny models and our own data, offline, or the real hub."),
        ),
    ] = "embedded",
    timeout: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", help=N_("Stop a run that takes longer than this many seconds.")
        ),
    ] = 600,
    as_json: AsJson = False,
) -> int:
    """Walk through a lesson; 1 where a step did not go as expected."""
    from course.cli import lookup, screen
    from course.run import hub as hubs
    from course.run import runtime
    from course.walk import walk

    part = lookup.find_part(lesson, fw)
    lookup.check_step(part, step)
    if not (math.isfinite(timeout) and timeout > 0):
        raise UserError(
            _("The option {name} needs a number above zero.").format(name="`--timeout`")
        )
    extra = part.online.requires if hub == hubs.ONLINE else ()
    found = runtime.find(part.framework, (*part.requires, *extra))
    console = screen.err() if as_json else screen.out()
    place = walk.Place(
        found,
        lookup.place_hub(found, hub, screen.err()),
        "cuda" if runtime.cuda(found) else "cpu",
        timeout,
    )
    steps = list(walk.steps(part, step))
    taken = []
    if not as_json:
        _show_opening(console, part, place)
    asks = not (yes or as_json) and sys.stdin.isatty() and sys.stdout.isatty()
    for each in steps:
        if not as_json:
            _show_step(console, part, each)
        done = _take(console, part, each, place)
        taken.append(done)
        if not as_json:
            _show_taken(console, done, place)
        if asks and each is not steps[-1] and not _ask(console, done):
            break
    completed = taken[-1].step is steps[-1] and all(t.verdict.matched for t in taken)
    if as_json:
        screen.document(_document(part, place, taken, completed))
    elif taken[-1].step is steps[-1]:
        _show_end(console, taken)
    return 0 if all(t.verdict.matched for t in taken) else 1


def _take(console: Any, part: "Part", step: "Step", place: "Place") -> "Taken":
    """Take a step, with a live line that tells how far it is."""
    from course.cli import screen
    from course.walk import walk

    with screen.progress(console, _("Starting Python and its libraries …")) as update:

        def listen(event: dict[str, Any]) -> None:
            if event["event"] == "line":
                code = f"`{event['text']}`"
                update(_("Line {line}: {code}").format(line=event["line"], code=code))
            elif event["event"] == "step":
                said = _("Training: step {step} of {of}, epoch {epoch}")
                epoch = f"{event['epoch']:.1f}"
                update(said.format(step=event["step"], of=event["of"], epoch=epoch))
            elif event["event"] in ("exception", "trained"):
                update(_("Looking into the stopped script …"))

        return walk.take(part, step, place, listen)


def _show_opening(console: Any, part: "Part", place: "Place") -> None:
    from course.cli import screen
    from course.lesson import lesson
    from course.run import hub
    from course.texts import paragraphs

    found = lesson.load(part.lesson)
    screen.paragraph(console, _(found.title), style="bold")
    for text in paragraphs(found.summary):
        screen.paragraph(console, _(text))
    versions = ", ".join(f"{k} {v}" for k, v in place.runtime.versions.items())
    screen.paragraph(console, f"`{versions}`", style=screen.QUIET)
    if place.hub.name == hub.EMBEDDED:
        said = _(
            "Embedded hub: a tiny model and our own sentences under the real names. The figures "
            "are theirs, not those of DistilBERT on MNLI."
        )
        screen.paragraph(console, said, style=screen.QUIET)
    else:
        for text in paragraphs(part.online.sample.reason):
            screen.paragraph(console, _(text), style=screen.QUIET)


def _show_step(console: Any, part: "Part", step: "Step") -> None:
    from course.cli import screen
    from course.texts import paragraphs

    number = [s.id for s in part.steps].index(step.id) + 1
    title = _("Step {number} of {total}: {name}").format(
        number=number, total=len(part.steps), name=f"`{step.id}`"
    )
    console.print()
    console.rule(screen.styled(console, title, "bold"), align="left")
    for text in paragraphs(step.intro):
        screen.paragraph(console, _(text))


def _show_taken(console: Any, taken: "Taken", place: "Place") -> None:
    from course.cli import show

    show.evidence(console, taken, place)
    show.observed(console, taken)
    show.looks(console, taken)
    show.fix(console, taken)


def _ask(console: Any, taken: "Taken") -> bool:
    """Whether to go on; the end of the input means no."""
    from course.cli import screen

    question = (
        _("Press Enter to take the bug out and go on, or q and Enter to stop.")
        if taken.fix
        else _("Press Enter to go on, or q and Enter to stop.")
    )
    console.print()
    screen.paragraph(console, question, style="bold")
    try:
        return input("> ").strip().lower() not in ("q", "quit", "exit")
    except EOFError:
        return False


def _show_end(console: Any, taken: "list[Taken]") -> None:
    from course.cli import screen

    failed = [t for t in taken if not t.verdict.matched]
    console.print()
    if failed:
        names = enumerate_words(f"`{t.step.id}`" for t in failed)
        screen.paragraph(console, _("Not as expected: {steps}.").format(steps=names), style="red")
    else:
        said = _("Every step went as expected, and the script trains.")
        screen.paragraph(console, said, style="green")


def _document(
    part: "Part", place: "Place", taken: "list[Taken]", completed: bool
) -> dict[str, Any]:
    """The walk as data; the README describes it."""
    from course import i18n

    return {
        "format": FORMAT,
        "lesson": part.lesson,
        "framework": part.framework,
        "lang": i18n.language(),
        "runtime": place.runtime.versions,
        "device": place.device,
        "hub": place.hub.name,
        "steps": [_step_document(t) for t in taken],
        "completed": completed,
    }


def _step_document(taken: "Taken") -> dict[str, Any]:
    verdict = taken.verdict
    raised, match = verdict.raised, verdict.match
    return {
        "step": verdict.step,
        "expected": verdict.expected,
        "observed": {
            "fault": match.fault.id if match else None,
            "exception": raised.name if raised else None,
            "message": raised.message if raised else None,
            "wording": match.signature.wording if match else None,
        },
        "matched": verdict.matched,
        "problem": verdict.problem,
        "evidence": verdict.evidence,
        "seconds": verdict.seconds,
        "metrics": {k: round(v, 4) for k, v in verdict.metrics.items()},
    }
