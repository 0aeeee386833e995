"""What a report shows of a student's code: the rows, and what is said at their lines."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from course.base.i18n import _
from course.grading import location
from course.grading.grade import Grade, Value
from course.grading.note import Reader, describe_note, reader
from course.grading.report import feedback
from course.grading.report.class_results import Register
from course.grading.report.code import handed_out, side_by_side
from course.grading.report.code.handed_out import HandedOut
from course.grading.report.code.side_by_side import MOST_LINES, CodeHunk
from course.grading.student_result import StudentResult

SHOWN = 100_000
"""Bytes of a submission that a page shows at most."""


@dataclass(frozen=True)
class CodeView:
    """The code of a submission beside the exercise, and what is to be known of it besides."""

    hunks: tuple[CodeHunk, ...]
    remarks: tuple[str, ...]

    @property
    def changes(self) -> int:
        """Count the rows that are not the same on both sides."""
        return sum(row.kind != "same" for hunk in self.hunks for row in hunk.rows)


def of(standing: StudentResult, register: Register, eyes: Reader) -> CodeView | None:
    """Return the code that counts, in the language in force; None where there is none.

    A student sees a point's reason where the bug stood once it is gone, a teacher always.
    """
    content = register.content(standing)
    if content is None:
        return None
    text = handed_out.read(content)
    lines = handed_out.split(text)
    exercise = handed_out.of(standing, text) or HandedOut(())
    grade = standing.grade
    at_old: dict[int, list[str]] = defaultdict(list)
    at_new: dict[int, list[str]] = defaultdict(list)
    if grade is not None:
        for bug in grade.bugs:
            if bug.fault in exercise.places and (bug.gone or eyes == "teacher"):
                sentence = feedback.of_bug(bug)
                at_old[exercise.places[bug.fault]].append(sentence)
        for figures, sentence in _at_lines(grade, eyes):
            line = location.line_of(lines, figures)
            if line is not None and sentence not in at_new[line]:
                at_new[line].append(sentence)
    rows = side_by_side.hunks(exercise.lines, lines, at_old, at_new)
    cut = len(content) >= SHOWN or len(lines) > MOST_LINES
    return CodeView(rows, tuple(_remarks(exercise, cut=cut)))


def _remarks(exercise: HandedOut, *, cut: bool) -> Iterator[str]:
    if not exercise.is_same:
        yield _(
            "Our version of this exercise has changed since the student got the exercise. The "
            "comparison uses the current version."
        )
    if cut:
        yield _("The file is too long. Its end is not shown.")


def _at_lines(grade: Grade, eyes: Reader) -> Iterator[tuple[Mapping[str, Value], str]]:
    """Yield the remarks on lines of the submission: where, and the sentence."""
    for note in grade.notes:
        if "line" in note.figures and (eyes == "teacher" or reader(note) == "student"):
            yield note.figures, describe_note(note)
    for found in grade.new_faults:
        if found.line is not None:
            place = {"line": found.line} | ({} if found.cell is None else {"cell": found.cell})
            yield place, feedback.new_fault(found)
    for bug in grade.bugs:
        if bug.how == "withheld" and "line" in bug.reason:
            sentence = feedback.of_bug(bug)
            yield bug.reason, sentence
