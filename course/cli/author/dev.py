"""`course dev`: for the authors of lessons and translations."""

from pathlib import Path

import click

from course.authoring import lesson_check, template, translations
from course.base import files, paths, schema, shelves
from course.base.errors import UserError
from course.base.i18n import N_, _
from course.cli.author import check_report
from course.cli.environment.run_place import find_context
from course.cli.terminal import consoles
from course.cli.terminal.help import Commands, entries
from course.cli.terminal.options import FRAMEWORKS, PATH, fw_option, json_option, lesson_argument
from course.exercise import walk
from course.lesson import lesson as lessons
from course.runs import hub

app = Commands(entries("dev"))


@click.argument("lesson", metavar="ID", help=N_("The id of a lesson."))
@click.option(
    "--fw", metavar=FRAMEWORKS, help=N_("The framework. If not given: the lesson's first one.")
)
@click.option(
    "--kind",
    default=template.USUAL,
    metavar="|".join(template.kinds()),
    help=N_(
        "The subject of the lesson: pairs of English sentences, labels of Russian words, or "
        "generation of Chinese text. The last two have their own data and checkpoint."
    ),
)
def new_lesson(lesson: str, fw: str | None, kind: str) -> int:
    """Write the files of a lesson, and say how to go on."""
    if kind not in template.kinds():
        raise UserError(schema.refused("--kind", kind, template.kinds()))
    known = template.frameworks(kind)
    if fw is not None and fw not in known:
        raise UserError(schema.refused("--fw", fw, known))
    for path in template.make(lesson, fw or known[0], kind):
        print(schema.shown(path))
    consoles.note(
        _(
            "The new lesson already passes its check. Edit it. Then check it, walk through it, and "
            "collect its texts for translation:"
        )
    )
    for command in (f"dev check {lesson}", f"run {lesson}", "dev texts"):
        consoles.code(consoles.err(), f"course {command}", indent=2, style=consoles.CODE)
    return 0


@click.argument("lesson", required=False, metavar="LESSON", help=N_("The id of a lesson."))
@click.option("--fw", metavar=FRAMEWORKS, help=N_("The framework."))
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=1),
    default=2,
    metavar="N",
    help=N_("How many runs to do at the same time."),
)
@click.option(
    "--figures",
    is_flag=True,
    help=N_("Show all measured values of each bug, and those of the script without bugs."),
)
@json_option
def check(lesson: str | None, fw: str | None, jobs: int, figures: bool, as_json: bool) -> int:
    """Check texts and live runs; 1 where something does not hold.

    Of one lesson, texts that wait for their translation are only told; of all, they count.
    """
    found = [lessons.find(name) for name in ([lesson] if lesson else lessons.ids())]
    if fw:
        parts = [lessons.find_part(lesson, fw)] if lesson else lessons.parts_in(fw)
    else:
        parts = [part for each in found for part in each.parts.values()]
    for each in found:
        lesson_check.review(each)
    texts = lesson_check.texts(found[0] if lesson else None)
    results = []
    for part in parts:
        new = lesson_check.uncatalogued(part)
        if new:
            check_report.show_uncatalogued(part, new)
        context = find_context(part, hub.EMBEDDED, quiet=as_json)
        total = len(lesson_check.trials(part, context))
        with consoles.progress(consoles.err(), "") as update:
            for number, result in enumerate(lesson_check.prove(part, context, jobs), start=1):
                results.append(result)
                update(_("{some} of {all}").format(some=number, all=total))
                if not as_json:
                    check_report.show_result(result)
    wrong = [finding for finding in texts if not (lesson and finding.waits)]
    holds = not wrong and all(r.holds for r in results)
    if as_json:
        consoles.document(
            {
                "texts": [str(f) for f in texts],
                "runs": [r.document() for r in results if r.subset],
                "steps": [r.step_document() for r in results if r.step],
                "holds": holds,
            }
        )
    else:
        check_report.show_details(results, figures=figures)
        check_report.show_texts(texts)
        sentence = _("Runs as expected: {n} of {total}. Findings in the texts: {texts}.").format(
            n=sum(r.holds for r in results), total=len(results), texts=len(wrong)
        )
        if figures or not all(r.holds for r in results):
            consoles.out().print()
        consoles.paragraph(consoles.out(), sentence, style="green" if holds else "red")
    return 0 if holds else 1


def texts() -> int:
    """Update `course.pot` and each `course.po`; 1 where a translation is not in order."""
    named = [shelf for shelf in shelves.found() if not shelf.package]
    if not (named or paths.is_checkout()):
        raise UserError(template.no_shelf())
    findings = []
    if paths.is_checkout():
        translations.update(paths.locales())
        findings += translations.check(paths.locales())
    for shelf in named:
        translations.update_shelf(shelf)
        findings += translations.check_shelf(shelf)
    for finding in findings:
        consoles.note(str(finding))
    check_report.count_waiting(findings)
    return 1 if findings else 0


@lesson_argument
@click.argument("step", metavar="STEP", help=N_("The id of a step."))
@fw_option
@click.option(
    "--output",
    "-o",
    type=PATH,
    metavar="FILE",
    help=N_("The file to write. If not given: a file in the lesson's folder."),
)
def record(lesson: str, step: str, fw: str | None, output: Path | None) -> int:
    """Run a step on this machine and keep its record; 1 where it did not go as expected."""
    part = lessons.find_part(lesson, fw)
    lessons.check_step(step, [part])
    context = find_context(part, hub.EMBEDDED)
    chosen = next(walk.steps(part, step))
    with consoles.progress(consoles.err(), _("Starting Python and its libraries …")):
        taken = walk.take(part, chosen, context)
    if taken.verdict.evidence != "live" or not taken.verdict.matched:
        consoles.note(_("The step did not show its fault on this machine. Nothing was recorded."))
        return 1
    target = output or walk.recording(part, chosen)
    target.parent.mkdir(parents=True, exist_ok=True)
    files.write(target, "".join(f"{line}\n" for line in taken.lines).encode())
    print(target)
    return 0
