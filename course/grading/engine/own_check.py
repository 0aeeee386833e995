"""One submission examined as its grade will be found, for the student who is still at work."""

from dataclasses import dataclass
from pathlib import Path

from course.base import encoding
from course.base.errors import UserError
from course.base.i18n import _
from course.exercise import working_copy
from course.grading import grade as grades
from course.grading.engine import task
from course.grading.engine.task import Task
from course.grading.grade import Grade
from course.grading.rubric import Rubric
from course.lesson.lesson import Part
from course.notebook.cells import notebook

NOBODY = "(check)"
"""Who hands it in."""


@dataclass(frozen=True)
class OwnCheck:
    """A student's file: which exercise it is, by its header, and the script in it.

    `about_its_header` is what there is to say where that is lost.
    """

    path: Path
    part: Part
    bugs: tuple[str, ...]
    script: bytes
    about_its_header: str = ""


def open_(path: Path) -> OwnCheck:
    """Find out which exercise a file is, in whatever encoding a grade would read it.

    Raises:
        UserError: it is missing, closed to us, none of ours, or an exam.

    """
    try:
        copy = working_copy.read(path)
        script = copy.text.encode()
    except UserError:
        decoded = _decoded(path)
        if decoded is None:
            raise
        copy, script = working_copy.of_content(path, decoded[0]), decoded[1]
    if copy.header.exam:
        raise UserError(_("This is an exam. It is graded only after you hand it in."))
    bugs = tuple(bug.fault for bug in copy.bugs)
    return OwnCheck(path, copy.part, bugs, script, copy.about_its_header)


def _decoded(path: Path) -> tuple[str, bytes] | None:
    """Read a script in another encoding than UTF-8, and its bytes; None where it is none."""
    try:
        if notebook.is_notebook(path.name) or path.stat().st_size > working_copy.CAP:
            return None
        data = path.read_bytes()
        return encoding.read_script(data)[0], data
    except (OSError, ValueError):
        return None


def examine(found: OwnCheck, rubric: Rubric, seed: str, *, unsafe: bool) -> Grade:
    """Grade it; `seed` is what the data are drawn from.

    Raises:
        UserError: nothing can be graded here at all.

    """
    part = found.part
    work = Task(
        *(NOBODY, part.lesson, part.framework),
        bugs=found.bugs,
        content=found.script,
        rubric=rubric.settled(part.exam or part.outcome).to_dict(),
        seed=seed,
        unsafe=unsafe,
    )
    return grades.read(task.perform(work))
