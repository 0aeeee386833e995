"""The table that Moodle imports as grades: the report `moodle`.

It is mapped by `ID number`, which is the roster's id. Each exercise has two columns, the mark and
what the student is told, in the student's language: Moodle wants both mapped, or loses one. A
column that says that marks were made without a sandbox is there only when they were, and is not
to be mapped. It begins with a byte order mark, which Moodle takes off.
"""

from course.grading.report import csv_safe, feedback, marks
from course.grading.report.class_results import Register, counted
from course.grading.report.csv_safe import CellValue
from course.grading.student_result import StudentResult
from course.i18n import in_a_row

COLUMNS = ("ID number", "Full name")


def text(register: Register) -> str:
    """Write the class results as a CSV file that Moodle imports, with a feedback for each grade."""
    groups = register.groups
    heads = [head for group in groups for head in (group.name, f"{group.name} feedback")]
    unsafe: tuple[CellValue, ...] = (True,) if register.unsafe else ()
    rows: list[tuple[CellValue, ...]] = [(*COLUMNS, *heads, *(["Unsafe"] if unsafe else []))]
    sentence = _feedback(register)
    for id_, standings in marks.by_student(register).items():
        cells: list[CellValue] = []
        for group in groups:
            standing = standings.get(group.name)
            cells.append(marks.mark(group, standing) if standing else None)
            cells.append(sentence.get((id_, group.name)))
        student = next(iter(standings.values())).student
        rows.append((id_, student.name, *cells, *unsafe))
    return csv_safe.text(rows, bom=True)


def _feedback(register: Register) -> dict[tuple[str, str], str]:
    """What each student is told of each exercise; one language after the other."""
    found = {}
    for lang in dict.fromkeys(s.student.lang for s in register.standings):
        with feedback.speaking(lang):
            for group in register.groups:
                for standing in group.standings:
                    if standing.student.lang == lang:
                        found[standing.student.id, group.name] = _comment(standing)
    return found


def _comment(standing: StudentResult) -> str:
    grade = counted(standing)
    sentences = list(feedback.student_sentences(standing))
    for bug in grade.bugs if grade else ():
        sentences.append(feedback.about(feedback.title(bug.fault), feedback.bug(bug)))
    if grade is not None and grade.healthy is not None:
        sentences.append(feedback.healthy(grade.healthy))
    return in_a_row(*sentences)
