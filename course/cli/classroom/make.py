"""`course class make`: an exercise for each student, written down in the gradebook."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from course.base import i18n
from course.base.errors import UserError
from course.base.i18n import N_, _, enumerate_words, ngettext, titled
from course.cli.classroom.options import rubric_option
from course.cli.terminal import consoles
from course.cli.terminal.options import PATH, fw_option, json_option, lesson_argument
from course.exercise.practice import IN_AN_EXAM
from course.grading import deadline as deadlines
from course.grading import rubric as rubrics
from course.grading.distribute import exercises, roster
from course.grading.distribute.assignment import Form, Student, by_team
from course.grading.distribute.exercises import Handout
from course.grading.distribute.instructions import Terms
from course.grading.gradebook.gradebook import Gradebook
from course.grading.rubric import Rubric
from course.lesson import lesson as lessons
from course.lesson.lesson import find_part

TAKEN = "gradebook.db"
"""What nbgrader calls its own gradebook, in the folder of its course."""


@lesson_argument
@click.option(
    "--students", type=PATH, required=True, metavar="FILE", help=N_("The roster: a CSV file.")
)
@click.option(
    "--out", type=PATH, required=True, metavar="DIR", help=N_("The folder for the exercises.")
)
@click.option(
    "--db",
    type=PATH,
    required=True,
    metavar="FILE",
    help=N_("The gradebook. It is created if it does not exist."),
)
@fw_option
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    help=N_("Choose the bugs at random. The same N gives the same bugs."),
)
@click.option(
    "--bugs",
    type=click.IntRange(min=1),
    metavar="K",
    help=N_(
        "How many random bugs each student gets. If neither this nor `--seed` is given: all bugs."
    ),
)
@click.option("--notebooks", is_flag=True, help=N_("Make notebooks instead of scripts."))
@click.option(
    "--wheel",
    type=PATH,
    metavar="FILE",
    help=N_("Put this wheel of `course` beside each notebook. The first cell installs it."),
)
@click.option(
    "--nbgrader",
    is_flag=True,
    help=N_(
        "Put one notebook for all students where nbgrader looks for it. `--out` is the folder of "
        "the nbgrader course."
    ),
)
@click.option("--exam", is_flag=True, help=IN_AN_EXAM)
@click.option(
    "--deadline",
    metavar="TIME",
    help=N_("The deadline (local time). The newest submission before the deadline counts."),
)
@rubric_option
@click.option(
    "--program",
    metavar="TEXT",
    help=N_(
        "How students get the program. This goes into the instructions. If not given: from a "
        "folder `handout`."
    ),
)
@json_option
def make(
    lesson: str,
    students: Path,
    out: Path,
    db: Path,
    fw: str | None,
    seed: int | None,
    bugs: int | None,
    notebooks: bool,
    wheel: Path | None,
    nbgrader: bool,
    exam: bool,
    deadline: str | None,
    rubric: Path | None,
    program: str | None,
    as_json: bool,
) -> None:
    """Write the exercises and the gradebook, or nothing at all; and say what was made."""
    part = find_part(lesson, fw)
    known = roster.read(students, i18n.language())
    form: Form = "nbgrader" if nbgrader else "notebook" if notebooks else "script"
    given = exercises.read_wheel(wheel) if wheel else None
    until = deadlines.read(deadline) if deadline else None
    faults, ids = {bug.fault for bug in part.known}, {each.id for each in known}
    points = rubrics.read(rubric, faults, ids) if rubric else Rubric()
    terms = Terms(" ".join((program or "").split()), until, points)
    made = exercises.make(part, known, seed, bugs, form, exam=exam, wheel=given, terms=terms)
    folder = out.absolute()
    if nbgrader and db.resolve() == (folder / TAKEN).resolve():
        sentence = _(
            "{path} is nbgrader's own gradebook. Use another name for our gradebook, such as "
            "{file}."
        )
        raise UserError(sentence.format(path=f"`{db}`", file=f"`{db.with_name('marks.db')}`"))
    with exercises.put(made, folder), Gradebook.open(db, create=True) as book:
        book.add_class(known, [each.assignment for each in made.exercises])
        if until is not None or points.late is not None:
            late = points.late and points.late.to_dict()
            terms_told = {"deadline": until and until.isoformat(), "late": late}
            book.end_session(book.start_session(terms_told))
    if all(each.name == each.id for each in known):
        sentence = _("{path} has no names, so reports show ids. For names, add a column {name}.")
        consoles.note(sentence.format(path=f"`{students}`", name="`name`"))
    teams = {each.id: each.team for each in known}
    if as_json:
        consoles.document(
            {
                **consoles.fields_of(part, "lesson", "framework"),
                "form": form,
                "seed": made.seed,
                "students": [
                    {
                        "student": each.assignment.student,
                        "path": str(folder / each.path),
                        "bugs": list(each.assignment.bugs),
                        "lang": each.assignment.lang,
                        "group": teams[each.assignment.student] or None,
                    }
                    for each in made.exercises
                ],
                "instructions": [str(folder / page) for page in made.pages],
                "wheel": made.wheel.name if made.wheel else None,
            }
        )
        return
    console = consoles.out()
    title = titled(lessons.load(part.lesson).title, part.framework)
    consoles.paragraph(console, title, style="bold")
    for sentence in _sentences(made, out, db, by_team(known)):
        consoles.paragraph(console, sentence)


def _sentences(
    made: Handout, out: Path, db: Path, teams: Mapping[str, tuple[Student, ...]]
) -> Iterator[str]:
    """Say what was made, how the class is grouped, and how it goes on with nbgrader."""
    given = made.exercises[0].assignment
    if given.form == "nbgrader":
        sentence = _("Written: {path}.")
        yield sentence.format(path=f"`{out / made.exercises[0].path}`")
    else:
        n = len(made.exercises)
        sentence = ngettext(
            "{folder} has {n} exercise, in a folder named after the student's id.",
            "{folder} has {n} exercises, each in a folder named after the student's id.",
            n,
        )
        yield sentence.format(n=n, folder=f"`{out}`")
    if given.form != "script":
        wheel = made.wheel.name if made.wheel is not None else "nlp_course_companion-*.whl"
        sentence = _(
            "Keep {wheel} beside the notebook. If `course` is missing, the first cell installs it."
        )
        yield sentence.format(wheel=f"`{wheel}`")
    if made.seed is None:
        yield _("Every student has all bugs.")
    else:
        sentence = _("The bugs were chosen at random. {option} chooses the same bugs again.")
        yield sentence.format(option=f"`--seed {made.seed}`")
    pages = enumerate_words(f"`{page}`" for page in made.pages)
    yield _("For the students to read: {pages}.").format(pages=pages)
    yield _("{db} records which student got which bugs. Do not share it.").format(db=f"`{db}`")
    if teams:
        # A column of that name may mean something else to others.
        n, most = len(teams), max(map(len, teams.values()))
        sentence = ngettext(
            "The column {column} gives {n} group (the largest has {most}). What one member hands "
            "in counts for the whole group.",
            "The column {column} gives {n} groups (the largest has {most}). What one member hands "
            "in counts for the whole group.",
            n,
        )
        yield sentence.format(column="`group`", n=n, most=most)
    if given.form == "nbgrader":
        sentence = _("In {folder}, {command} creates the version for the students.")
        command = f"`nbgrader generate_assignment {given.stem}`"
        yield sentence.format(folder=f"`{out}`", command=command)
        sentence = _("{command} grades what nbgrader collects in {folder}.")
        command = f"`course class grade {out / 'submitted'} --db {db}`"
        yield sentence.format(folder=f"`{out}`", command=command)
