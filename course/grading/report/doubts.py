"""Whose mark is uncertain, and why: whom a teacher looks at, the most uncertain first.

That a script is another than ours is no doubt: what was asked of it and answered rightly counts.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from course.base.i18n import _, in_a_row, ngettext
from course.base.texts import sentences
from course.grading.collect.collector import Target, target
from course.grading.collect.unmatched import describe
from course.grading.grade import Grade, GradeStatus, Healthy
from course.grading.note import describe_note
from course.grading.report import alike, feedback
from course.grading.report.class_results import Group, Register
from course.grading.report.code import handed_out
from course.grading.student_result import StudentResult

KINDS = sentences("doubts")
"""Kinds of doubt, the gravest first, and what each is called."""
RANKS = tuple(KINDS)
OF_NOTES = {
    "own-model": "claimed", "own-account": "claimed", "own-account-healthy": "claimed",
    "unproved": "withheld", "tampering": "withheld", "undecided": "withheld",
    "hidden": "withheld", "unreadable": "withheld", "internal-error": "ours",
    "header": "header", "no-exam-header": "header",
    "adapted-argument": "adapted", "dropped-argument": "adapted", "absent-service": "adapted",
    "absent-device": "adapted", "other-checkpoint": "adapted", "other-encoding": "adapted",
    "notebook-line": "adapted",
}  # fmt: skip
"""The doubt that a note casts on a mark."""
LIMITS: tuple[GradeStatus, ...] = (
    "time-limit", "memory-limit", "output-limit", "process-limit",
)  # fmt: skip
OWN_LINES = 3
"""So many lines of a student's own, or more, that another has too are no accident."""
NAMED = 5
"""So many of those with the same lines are named."""


@dataclass(frozen=True)
class Doubt:
    """Why a mark is uncertain: one of `RANKS`, and a sentence for the teacher."""

    kind: str
    text: str

    @property
    def rank(self) -> int:
        """Its place among the kinds, 0 for the gravest."""
        return RANKS.index(self.kind)


Uncertain = tuple[StudentResult, list[Doubt]]
"""A student whose mark is uncertain, and why, the gravest first."""


def uncertain(group: Group, register: Register) -> list[Uncertain]:
    """Students whose mark is uncertain, each with the reasons, the gravest first.

    A mark of the teacher's own is certain, unless its student has asked about it since.
    """
    own, built = _own(group, register)
    same: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for id_, lines in own.items():
        if len(lines) >= OWN_LINES:
            same[lines].append(id_)
    names = {s.student.id: feedback.who(s.student) for s in group.standings}
    listed = []
    for standing in group.standings:
        id_ = standing.student.id
        others = same.get(own.get(id_, ()), [])
        mates = {id_, *(mate.id for mate in standing.team)}
        twins = [names[each] for each in others if each not in mates]
        like = [names[each] for each in built.get(id_, ()) if each not in {*others, *mates}]
        of_it = _of(standing, is_plain=own.get(id_) == (), twins=twins, like=like)
        found = dict.fromkeys(of_it)
        if standing.override is not None:
            found = {doubt: None for doubt in found if doubt.kind == "asked"}
        if found:
            listed.append((standing, sorted(found, key=lambda doubt: doubt.rank)))
    return sorted(listed, key=lambda each: (each[1][0].rank, -len(each[1])))


def by_assignment(register: Register) -> Mapping[Target, list[Doubt]]:
    """Why marks are uncertain, by student, lesson and framework; those that are certain are not."""
    return {
        target(each.assignment): found
        for group in register.groups
        for each, found in uncertain(group, register)
    }


def _of(
    standing: StudentResult, *, is_plain: bool, twins: Sequence[str], like: Sequence[str]
) -> Iterator[Doubt]:
    """Why a student's mark is uncertain.

    `is_plain`: there is no line that is neither the exercise's nor our solution's; `twins` are
    called those who have the same such lines, and `like` the same statements under other names.
    """
    if standing.asks:
        yield Doubt("asked", feedback.comment(standing.asks))
    if standing.unread:
        yield Doubt("unread", in_a_row(*map(describe, standing.unread)))
    grade = standing.grade
    if grade is None:
        return
    if grade.status == "internal-error":
        yield Doubt("ours", feedback.status(grade.status))
    elif grade.status == "refused":
        yield Doubt("unread", in_a_row(*feedback.notes(grade) or [feedback.status("refused")]))
    elif grade.status in LIMITS:
        yield Doubt("limit", feedback.status(grade.status))
    for note in grade.notes:
        if kind := OF_NOTES.get(note.id):
            yield Doubt(kind, describe_note(note))
    yield from _of_bugs(grade, is_plain=is_plain)
    if twins:
        yield _of_others("twin", twins)
    if like:
        yield _of_others("alike", like)


def _of_bugs(grade: Grade, *, is_plain: bool) -> Iterator[Doubt]:
    if grade.healthy is not None and _is_odd(grade.healthy):
        yield Doubt("above", feedback.healthy(grade.healthy))
    learned = grade.healthy is not None and grade.healthy.reached
    told = [str(note.figures.get("faults", "")) for note in grade.notes]
    for bug in grade.bugs:
        if bug.how == "withheld":
            yield Doubt("withheld", feedback.of_bug(bug))
        # What the text tells is certain where all of it is ours, and where the model learns.
        elif (bug.how == "text" and not learned and not is_plain) or (
            bug.how == "run" and not any(bug.fault in faults for faults in told)
        ):
            yield Doubt("claimed", feedback.of_bug(bug))
    left = [bug for bug in grade.bugs if not bug.gone and bug.how != "withheld"]
    if learned and left:
        sentence = _(
            "The model learns, but points are missing. Perhaps the script's fix is different from "
            "ours."
        )
        yield Doubt("missed", in_a_row(sentence, *map(feedback.of_bug, left)))
    else:
        # A part that is not where it was may be somewhere else.
        yield from (Doubt("missed", feedback.of_bug(bug)) for bug in left if bug.how == "missing")


def _is_odd(outcome: Healthy) -> bool:
    """Whether a model is right often enough without a point, and a bug that is left explains none.

    A script that trains with a silent bug in it says itself how right it is.
    """
    is_explained = outcome.why == "bugs-left" and outcome.epochs is None
    return feedback.is_enough(outcome) and not is_explained


def _own(
    group: Group, register: Register
) -> tuple[Mapping[str, tuple[str, ...]], Mapping[str, list[str]]]:
    """Compare the scripts of students, by their ids.

    Returns the lines that are neither the exercise's nor our solution's, without blanks; and those
    whose own statements are the same under other names. Scripts with few lines of their own are
    not compared: all who mend a bug mend it alike.
    """
    lines, statements = {}, {}
    for standing in group.standings:
        content, id_ = register.content(standing), standing.student.id
        if content is None:
            continue
        text = handed_out.read(content)
        exercise = handed_out.of(standing, text)
        ours = (exercise.lines, exercise.solution) if exercise else ()
        known = {line.strip() for version in ours for line in version}
        lines[id_] = tuple(
            line
            for line in map(str.strip, handed_out.split(text))
            if line not in known and any(map(str.isalnum, line))
        )
        if len(lines[id_]) >= OWN_LINES:
            statements[id_] = alike.changed(text, ours)
    return lines, alike.pairs(statements)


def _of_others(kind: str, others: Sequence[str]) -> Doubt:
    """Name those whose scripts are, by their lines or by their structure, the same."""
    if kind == "twin":
        sentence = ngettext(
            "The lines that the student wrote are exactly the same as those of {n} other student: "
            "{names}.",
            "The lines that the student wrote are exactly the same as those of {n} other students: "
            "{names}.",
            len(others),
        )
    else:
        sentence = ngettext(
            "Apart from names, the student's own statements are the same as those of {n} other "
            "student: {names}. This may be chance. Compare the scripts.",
            "Apart from names, the student's own statements are the same as those of {n} other "
            "students: {names}. This may be chance. Compare the scripts.",
            len(others),
        )
    names = ", ".join((*others[:NAMED], *(["…"] if others[NAMED:] else [])))
    return Doubt(kind, sentence.format(n=len(others), names=names))
