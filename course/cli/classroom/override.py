"""`course class override`: a teacher's own score in the place of ours."""

from dataclasses import asdict
from pathlib import Path

import click

from course.base.errors import UserError
from course.base.i18n import N_, _, enumerate_words, numbers
from course.base.schema import suggest_or_list
from course.cli.classroom.options import (
    describe_target,
    expect_reason,
    fw_option,
    gradebook_argument,
    lesson_option,
    who_option,
)
from course.cli.terminal import consoles
from course.cli.terminal.options import either, json_option
from course.grading.collect.collector import target
from course.grading.distribute.assignment import Assignment
from course.grading.gradebook.gradebook import Gradebook
from course.grading.student_result import StudentResult


def points(text: str | float) -> float:
    """Read a score as whoever gives it writes numbers.

    Raises:
        UserError: it is no number.

    """
    try:
        return numbers.read(str(text))
    except ValueError as error:
        sentence = _("{text} is not a score. Write a number from 0 up, such as {example}.")
        example = f"`{numbers.decimal(3.5, 1)}`"
        raise UserError(sentence.format(text=f"`{text}`", example=example)) from error


@gradebook_argument
@click.argument("student", metavar="STUDENT", help=N_("The student's id."))
@click.argument(
    "score", type=points, required=False, metavar="SCORE", help=N_("The score, zero or more.")
)
@click.option("--reason", metavar="TEXT", help=N_("The reason. It is saved with the change."))
@who_option
@lesson_option
@fw_option
@click.option(
    "--remove",
    is_flag=True,
    help=N_("Remove the score that you set by hand. The automatic score counts again."),
)
@json_option
def override(
    gradebook: Path,
    student: str,
    score: float | None,
    reason: str | None,
    who: str | None,
    lesson: str | None,
    fw: str | None,
    remove: bool,
    as_json: bool,
) -> None:
    """Write the score into the gradebook, and say what counts now."""
    if remove != (score is None):
        raise either("SCORE", "--remove")
    why, name = expect_reason(reason, who)
    with Gradebook.open(gradebook) as book:
        found = chosen(book.assignments(), student, lesson, fw)
        given = target(found)
        book.override(*given, score, why, name)
        standing = next(s for s in book.standings() if s.assignment == found)
    if not as_json:
        tell(standing)
        return
    grade = standing.grade
    own = standing.override
    consoles.document(
        {
            **describe_target(given),
            "score": standing.score,
            "max_score": grade.max_score if grade else None,
            "override": own and {**asdict(own), "at": own.at.isoformat()},
        }
    )


def chosen(
    known: tuple[Assignment, ...], student: str, lesson: str | None, fw: str | None
) -> Assignment:
    """Choose the one exercise of a student's that is meant.

    Raises:
        UserError: there is none, or several.

    """
    own = [a for a in known if a.student == student]
    if not own:
        sentence = _("There is no student {name} in the gradebook.")
        ids = list(dict.fromkeys(a.student for a in known))
        raise UserError(
            suggest_or_list(sentence, student, ids) if ids else sentence.format(name=f"`{student}`")
        )
    fitting = [a for a in own if lesson in (None, a.lesson) and fw in (None, a.framework)]
    if len(fitting) == 1:
        return fitting[0]
    names = enumerate_words(f"`{a.lesson}-{a.framework}`" for a in fitting or own)
    sentence = (
        _("There are several exercises: {names}. Add {lesson} or {fw}.")
        if fitting
        else _("{student} does not have this exercise, only {names}. Change {lesson} or {fw}.")
    )
    options = {"lesson": "`--lesson`", "fw": "`--fw`"}
    raise UserError(sentence.format(student=f"`{student}`", names=names, **options))


def tell(standing: StudentResult) -> None:
    """Say which score a student has now."""
    console = consoles.out()
    given = standing.assignment
    words = {"student": f"`{given.student}`", "exercise": f"`{given.lesson}-{given.framework}`"}
    if standing.score is None:
        sentence = _("For {exercise}, no teacher has set a score for {student}.")
        consoles.paragraph(console, sentence.format(**words))
        return
    sentence = _("{student} now has the score {score} for {exercise}.")
    consoles.paragraph(console, sentence.format(score=numbers.significant(standing.score), **words))
    grade = standing.grade
    if grade is not None and 0 < grade.max_score < standing.score:
        more = _("The new score is above the highest possible score, {most}.")
        consoles.note(more.format(most=numbers.significant(grade.max_score)))
