"""`course class comment`: words and points of a teacher's, for one mark or for a shared reason."""

from collections.abc import Sequence
from pathlib import Path

import click

from course.base.errors import UserError
from course.base.i18n import N_, _, enumerate_words, ngettext
from course.base.schema import suggest_or_list
from course.cli.classroom.options import (
    describe_target,
    fw_option,
    gradebook_argument,
    lesson_option,
    who_option,
)
from course.cli.classroom.override import chosen, points, tell
from course.cli.terminal import consoles
from course.cli.terminal.options import json_option
from course.grading.collect.collector import Target, target
from course.grading.gradebook.gradebook import Gradebook
from course.grading.report import feedback
from course.grading.student_result import StudentResult

Shared = dict[tuple[str, str, str], list[StudentResult]]
"""Students by the reason that they share: lesson, framework, reason."""


@gradebook_argument
@click.argument(
    "whom",
    required=False,
    metavar="STUDENT|REASON",
    help=N_(
        "A student's id, or a reason that several marks share. If not given: a list of the reasons."
    ),
)
@click.argument(
    "text", required=False, metavar="TEXT", help=N_("The comment. Students can read it.")
)
@click.option(
    "--points",
    "added",
    type=points,
    metavar="N",
    help=N_("Points that the comment adds to each mark. A negative number takes points off."),
)
@who_option
@lesson_option
@fw_option
@click.option("--remove", is_flag=True, help=N_("Remove the comments and their points."))
@json_option
def comment(
    gradebook: Path,
    whom: str | None,
    text: str | None,
    added: float | None,
    who: str | None,
    lesson: str | None,
    fw: str | None,
    remove: bool,
    as_json: bool,
) -> None:
    """Write a comment into the gradebook, or list what can be commented on."""
    if whom is None:
        with Gradebook.open(gradebook, readonly=True) as book:
            standings = book.standings()
        _list(standings, as_json=as_json)
        return
    words = (text or "").strip()
    if bool(words) == remove or not (who and who.strip()):
        sentence = _("Give the text of a comment, or {remove}. Add your name with {who}.")
        raise UserError(sentence.format(remove="`--remove`", who="`--who NAME`"))
    with Gradebook.open(gradebook) as book:
        standings = book.standings()
        if ":" in whom:
            given, about = _sharing(_shared(standings), whom, lesson, fw), whom
        else:
            given, about = target(chosen(book.assignments(), whom, lesson, fw)), ""
        book.comment(given, about, words or None, added or 0.0, who)
        standings = tuple(s for s in book.standings() if _is_meant(s, given, about))
    if as_json:
        _document((), {}, standings)
    elif about:
        names = enumerate_words(feedback.who(s.student) for s in standings)
        sentence = ngettext(
            "The comment applies to {n} student: {names}.",
            "The comment applies to {n} students: {names}.",
            len(standings),
        )
        consoles.paragraph(consoles.out(), sentence.format(n=len(standings), names=names))
    else:
        for standing in standings:
            tell(standing)


def _shared(standings: Sequence[StudentResult]) -> Shared:
    found: Shared = {}
    for each in standings:
        grade = each.grade
        for reason in grade.reasons if grade and grade.judged else ():
            key = (each.assignment.lesson, each.assignment.framework, reason)
            found.setdefault(key, []).append(each)
    return found


def _sharing(shared: Shared, reason: str, lesson: str | None, fw: str | None) -> Target:
    """Return the exercise, of no student, in which a reason is shared.

    Raises:
        UserError: there is none, or several.

    """
    found = [k for k in shared if k[2] == reason and lesson in (None, k[0]) and fw in (None, k[1])]
    if not found:
        known = sorted({name for _lesson, _framework, name in shared})
        raise UserError(suggest_or_list(_("No mark has the reason {name}."), reason, known))
    if len(found) > 1:
        sentence = _("There are several exercises: {names}. Add {lesson} or {fw}.")
        names = enumerate_words(f"`{key[0]}-{key[1]}`" for key in found)
        raise UserError(sentence.format(names=names, lesson="`--lesson`", fw="`--fw`"))
    return "", found[0][0], found[0][1]


def _is_meant(standing: StudentResult, given: Target, about: str) -> bool:
    grade = standing.grade
    student, *exercise = target(standing.assignment)
    fits = about in grade.reasons if about and grade else student == given[0]
    return fits and (*exercise,) == given[1:]


def _list(standings: Sequence[StudentResult], *, as_json: bool) -> None:
    """Tell who asks what, and the reasons that students share."""
    shared, asking = _shared(standings), [s for s in standings if s.asks]
    if as_json:
        _document(asking, shared, ())
        return
    console = consoles.out()
    for each in asking:
        question = feedback.printable(each.asks.text if each.asks else "")
        consoles.paragraph(console, feedback.about(feedback.who(each.student), question))
    for (name, framework, reason), who in shared.items():
        many = ngettext("{n} student", "{n} students", len(who)).format(n=len(who))
        fault = reason.partition(":")[0]
        title = _("The model learns") if fault == "healthy" else feedback.title(fault)
        exercise = f"`{name}-{framework}` " if len({key[:2] for key in shared}) > 1 else ""
        consoles.paragraph(console, f"{exercise}`{reason}` · {many} · {title}")
    if not shared:
        consoles.paragraph(console, _("There are no marks yet."))


def _document(
    asking: Sequence[StudentResult], shared: Shared, marks: Sequence[StudentResult]
) -> None:
    """Print what there is to answer, the reasons, or the marks that a comment was for."""
    consoles.document(
        {
            "questions": [
                {**describe_target(target(s.assignment)), "text": s.asks and s.asks.text}
                for s in asking
            ],
            "reasons": [
                {
                    "lesson": lesson,
                    "framework": framework,
                    "reason": reason,
                    "students": [each.student.id for each in who],
                }
                for (lesson, framework, reason), who in shared.items()
            ],
            "marks": [{**describe_target(target(s.assignment)), "score": s.score} for s in marks],
        }
    )
