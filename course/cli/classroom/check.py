"""`course class check`: what a student's own file would get, before it is handed in."""

import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click

from course.base import log
from course.base.errors import UserError
from course.base.i18n import N_, _, ngettext
from course.cli.classroom import grade_json
from course.cli.classroom.options import rubric_option
from course.cli.terminal import consoles
from course.cli.terminal.options import PATH, json_option
from course.exercise import working_copy
from course.grading.engine import own_check, task
from course.grading.engine.own_check import OwnCheck
from course.grading.grade import Grade
from course.grading.report import feedback
from course.grading.rubric import Rubric, read
from course.runs.sandbox import bubblewrap

DRAWN = N_(
    "Your exercise will be graded in the same way, but with other random questions and examples."
)
NO_BOX = N_(
    "This machine has no sandbox. So the script runs without a sandbox, as with `course run`."
)


@click.argument(
    "path",
    type=PATH,
    default=Path(),
    metavar="PATH",
    help=N_("Your exercise: a script, a notebook or a folder. If not given: this folder."),
)
@rubric_option
@json_option
def check(path: Path, rubric: Path | None, as_json: bool) -> int:
    """Examine an exercise as its grade will be found; 1 where points are missing."""
    found = own_check.open_(working_copy.find(path))
    if found.about_its_header:
        consoles.note(found.about_its_header)
    known = {bug.fault for bug in found.part.known}
    points = read(rubric, known) if rubric is not None else Rubric()
    unsafe = not _is_boxed()
    if unsafe:
        consoles.note(_(NO_BOX))
    with consoles.progress(consoles.err(), _("Preparing the sandbox …")) as update:
        grade = _examined(found, points, update, unsafe=unsafe)
    if as_json:
        document = grade_json.describe(grade)
        document["notes"] = [n for n in document["notes"] if n["for"] == "student"]
        consoles.document({"path": str(found.path), **document})
    else:
        _tell(grade)
    if grade.status == "internal-error":
        _log(grade)
        return 3
    return 0 if grade.judged and grade.score >= grade.max_score else 1


def _is_boxed() -> bool:
    try:
        bubblewrap.expect_sandbox()
    except UserError:
        return False
    return True


def _examined(
    found: OwnCheck, points: Rubric, update: consoles.ProgressLine, *, unsafe: bool
) -> Grade:
    executor = ThreadPoolExecutor(1)
    try:
        waiting = executor.submit(
            own_check.examine, found, points, secrets.token_hex(8), unsafe=unsafe
        )
        update(_("Running …"))
        return waiting.result()
    finally:
        task.close()
        executor.shutdown(wait=False, cancel_futures=True)


def _tell(grade: Grade) -> None:
    """Print what the student's page of the report will say."""
    console = consoles.out()
    done, wrong, _open = consoles.marks(console)
    for sentence in _about(grade):
        consoles.paragraph(console, sentence)
    console.print()
    for bug in grade.bugs:
        points = f"{feedback.points(bug.points)}/{feedback.points(bug.of)}"
        mark, style = (done, "green") if bug.gone else (wrong, "bold")
        line = f"{mark} {feedback.title(bug.fault)} (`{bug.fault}`) {points}"
        consoles.paragraph(console, line, style=style)
        consoles.paragraph(console, feedback.bug(bug))
    healthy = grade.healthy
    if healthy is not None:
        points = f"{feedback.points(healthy.points)}/{feedback.points(healthy.of)}"
        mark, style = (done, "green") if healthy.reached else (wrong, "bold")
        consoles.paragraph(console, f"{mark} {_('The model learns')} {points}", style=style)
        consoles.paragraph(console, feedback.healthy(healthy))
    console.print()
    if grade.judged:
        most = grade.max_score
        sentence = ngettext("{points} of {n} point", "{points} of {n} points", round(most)).format(
            points=feedback.points(grade.score), n=feedback.points(most)
        )
        consoles.paragraph(console, sentence, style="bold")
    consoles.paragraph(console, _(DRAWN), style=consoles.QUIET)


def _about(grade: Grade) -> Iterator[str]:
    """Yield the remarks on the whole script."""
    yield feedback.status(grade.status)
    yield from feedback.notes(grade)
    for fault in grade.new_faults:
        yield feedback.new_fault(fault)


def _log(grade: Grade) -> None:
    """Keep the traceback of a failure of ours, and say where."""
    log.logger("grading").error("%s (%s):\n%s", grade.lesson, grade.framework, grade.failure)
    written = log.file()
    if written is not None:
        consoles.note(log.sentence(written))
