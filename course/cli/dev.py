"""`course dev`: for the authors of lessons and translations."""

from pathlib import Path
from typing import Annotated

import typer

from course.cli.help import Command, group
from course.cli.options import FRAMEWORKS, AsJson, Framework, LessonId
from course.i18n import N_, _

HELP = N_("For authors: prove that a lesson holds what it promises.")
CHECK = N_(
    "Prove a lesson live: each subset of its bugs bites with its own fault; without any it trains."
)
CHECK_EXAMPLES = N_("Example: `course dev check ch8-4 --jobs 1`")
TEXTS = N_("Gather all texts into the translators' catalogues, in a checkout.")
RECORD = N_("Run one step here and keep its record for machines that cannot run it.")

app = group()


@app.command("check", cls=Command, help=CHECK, epilog=CHECK_EXAMPLES)
def check(
    lesson: Annotated[
        str | None,
        typer.Argument(metavar="LESSON", help=N_("The id of a lesson; all if not given.")),
    ] = None,
    fw: Annotated[
        str | None,
        typer.Option("--fw", metavar=FRAMEWORKS, help=N_("The framework; all if not given.")),
    ] = None,
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs", "-j", metavar="N", min=1, help=N_("How many runs at the same time.")
        ),
    ] = 2,
    as_json: AsJson = False,
) -> int:
    """Check texts and live runs; 1 where something does not hold."""
    from course.authoring import proof
    from course.cli import lookup, screen
    from course.lesson import lesson as lessons
    from course.run import hub

    names = [lesson] if lesson else lessons.ids()
    parts = [
        part
        for name in names
        for part in (
            [lookup.find_part(name, fw)] if fw else lookup.find_lesson(name).parts.values()
        )
    ]
    console = screen.err()
    texts = proof.texts()
    for finding in texts:
        screen.note(str(finding))
    results = []
    for part in parts:
        place = lookup.find_place(part, hub.EMBEDDED, quiet=as_json)
        total = len(list(part.exercises()))
        with screen.progress(console, "") as update:
            for number, result in enumerate(proof.prove(part, place, jobs), start=1):
                results.append(result)
                update(_("{n} of {total} runs").format(n=number, total=total))
                if not as_json:
                    mark = "✓" if result.holds else "✗"
                    observed = result.observed or result.problem or "healthy"
                    bugs = " + ".join(result.bugs) or "healthy"
                    line = f"{mark} {bugs}  →  {observed}"
                    screen.code(screen.out(), line, style="green" if result.holds else "red")
    holds = not texts and all(r.holds for r in results)
    if as_json:
        screen.document(
            {
                "format": 1,
                "texts": [str(f) for f in texts],
                "runs": [r.document() for r in results],
                "holds": holds,
            }
        )
    else:
        said = _("{n} of {total} runs as expected, {texts} findings in the texts.").format(
            n=sum(r.holds for r in results), total=len(results), texts=len(texts)
        )
        screen.paragraph(screen.out(), said, style="green" if holds else "red")
    return 0 if holds else 1


@app.command("texts", cls=Command, help=TEXTS)
def texts() -> int:
    """Update `course.pot` and each `course.po`; 1 where a translation is not in order."""
    from course import paths
    from course.cli import screen
    from course.i18n import catalogue

    catalogue.update(paths.locales())
    findings = catalogue.check(paths.locales())
    for finding in findings:
        screen.note(str(finding))
    return 1 if findings else 0


@app.command("record", cls=Command, help=RECORD)
def record(
    lesson: LessonId,
    step: Annotated[str, typer.Argument(metavar="STEP", help=N_("The step to record."))],
    fw: Framework = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help=N_("Where to; beside the lesson if not given.")
        ),
    ] = None,
) -> int:
    """Run a step on this machine and keep its record; 1 where it did not go as expected."""
    from course.cli import lookup, screen
    from course.run import hub
    from course.walk import walk

    part = lookup.find_part(lesson, fw)
    lookup.check_step(part, step)
    place = lookup.find_place(part, hub.EMBEDDED)
    chosen = next(walk.steps(part, step))
    with screen.progress(screen.err(), _("Starting Python and its libraries …")):
        taken = walk.take(part, chosen, place)
    if taken.verdict.evidence != "live" or not taken.verdict.matched:
        screen.note(_("The step did not show its fault here, so nothing was recorded."))
        return 1
    target = output or walk.recording(part, chosen)
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(target.name + ".new")
    unfinished.write_text("".join(f"{line}\n" for line in taken.lines), encoding="utf-8")
    unfinished.replace(target)
    print(target)
    return 0
