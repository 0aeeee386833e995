"""What a student is told about a submission: whole sentences, in the language in force."""

import contextlib
import re
from collections.abc import Iterator, Mapping

from course.base import i18n
from course.base.i18n import _, at_line, enumerate_words, in_a_row, ngettext, numbers
from course.base.i18n import about as about  # the pages of the report take both from here
from course.base.i18n.numbers import percent as percent
from course.base.texts import sentences
from course.grading.collect.unmatched import describe
from course.grading.deadline import LatePenalty
from course.grading.distribute.assignment import Student
from course.grading.grade import BugGrade, Grade, GradeStatus, Healthy, NewFault, Value
from course.grading.note import describe_note, reader
from course.grading.student_result import Comment, Override, StudentResult
from course.judge import messages
from course.lesson.catalogue import catalogue
from course.lesson.signature import SilentSignature

STATUSES = sentences("statuses")
"""What became of a submission, as for a table; a failure of ours in sentences."""

KNOWN = sentences("bugs")
"""What is known of a bug that the student drew: the first three are gone."""

QUESTIONS = sentences("questions")
"""What was asked about a bug."""
MEASURED: dict[str, str] = {"figures": "", **sentences("measured")}
"""What a run was asked about a bug, where nobody asks the script's parts."""
FIGURE = "figure:"
"""Before the names of figures among the reasons of a mark."""

UNREACHED = sentences("unreached")
"""Why there is no outcome."""
ENOUGH = sentences("enough")
"""Why an outcome counts as not reached though the model is right often enough."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]+")


@contextlib.contextmanager
def speaking(lang: str) -> Iterator[None]:
    """Say everything in the language `lang` for a while; in English where we have no such one."""
    before = i18n.language()
    i18n.activate(i18n.normalise(lang) or i18n.SOURCE)
    try:
        yield
    finally:
        i18n.activate(before)


def who(student: Student) -> str:
    """Return a student's name, with the id where that is another: names are not unique."""
    name, own = printable(student.name), printable(student.id)
    return name if name in ("", own) else _("{title} ({name})").format(title=name, name=own)


def printable(text: str) -> str:
    """Return a foreign text on one line, without characters that no text file may hold."""
    return _CONTROL.sub(" ", text).strip()


def points(value: float) -> str:
    """Return a number of points as text, no longer than need be."""
    return numbers.at_most(value, 2)


def title(fault: str) -> str:
    """Return the title of a fault; its id where the catalogue does not know it."""
    known = catalogue().get(fault)
    return _(known.title) if known else fault


def status(name: GradeStatus) -> str:
    """Return the outcome of the submission, in one sentence."""
    return _(STATUSES[name])


def ungraded(standing: StudentResult) -> str:
    """Return the sentence that is shown where there is no grade."""
    if standing.unread:
        why = in_a_row(*map(describe, standing.unread))
        return about(_("Handed in, but not readable"), why)
    if not standing.came:
        return _("Nothing handed in")
    return _("Not graded yet")


def bug(grade: BugGrade) -> str:
    """Whether a bug is gone, how that is known, and what a student can check of it."""
    return in_a_row(_(KNOWN[grade.how]), *_reasons(grade))


def of_bug(grade: BugGrade) -> str:
    """Return the title of a bug, and what is known of it."""
    return about(title(grade.fault), bug(grade))


def _reasons(grade: BugGrade) -> Iterator[str]:
    """Why a bug counts as it does: what was asked and answered, or the line against it."""
    reason = grade.reason
    if "signature" in reason:
        yield from _shown(reason)
    if "exception" in reason:
        yield _raised(reason)
    if grade.how == "withheld" and reason.get("asked") != "setup":
        yield _withheld(reason)
    yield from _measured_of(reason)
    asked = QUESTIONS.get(str(reason.get("asked", "")))
    if asked is None or grade.how not in ("answers", "wrong-answer", "raised", "withheld"):
        return
    yield _(asked)
    answered, expected = (printable(str(reason.get(n, ""))) for n in ("answered", "expected"))
    if answered and answered == expected and grade.how == "wrong-answer":
        yield _("The script's answer: `{answered}`.").format(answered=answered)
        yield _("The form of the answer is right, but the values are not.")
    elif answered and expected:
        sentence = _("The script's answer: `{answered}`. Right: `{expected}`.")
        yield sentence.format(answered=answered, expected=expected)
    elif answered:
        yield _("The script's answer: `{answered}`.").format(answered=answered)


def _measured_of(reason: Mapping[str, Value]) -> Iterator[str]:
    """Yield what a run was asked, what it showed and what is right; its exception says it all."""
    asked = MEASURED.get(str(reason.get("asked", "")))
    if asked is not None and "exception" not in reason:
        if asked:
            yield _(asked)
        sentence = _("The script's answer: `{answered}`. Right: `{expected}`.")
        yield sentence.format(answered=reason.get("answered"), expected=reason.get("expected"))


def _shown(reason: Mapping[str, Value]) -> Iterator[str]:
    """Yield the sentence on the run's evidence of a silent fault, with its figures."""
    fault = catalogue().get(str(reason.get("shows", "")))
    place = reason["signature"]
    if fault is None or not isinstance(place, int) or not 0 <= place < len(fault.signatures):
        return
    signature = fault.signatures[place]
    figures = {
        name.removeprefix(FIGURE): float(value)
        for name, value in reason.items()
        if name.startswith(FIGURE)
    }
    if isinstance(signature, SilentSignature) and (told := messages.silent(signature, figures)):
        yield " ".join(told.split())


def _raised(reason: Mapping[str, Value]) -> str:
    """Return the sentence on the exception that stands against a bug, or ended the script."""
    words = printable(str(reason.get("message", "")))
    stops = _("The run stops with {error}")
    stops = stops.format(error=f"`{printable(str(reason['exception']))}`")
    return at_line(about(stops, words), reason.get("line"), reason.get("cell"))


def _withheld(reason: Mapping[str, Value]) -> str:
    """Why a point is withheld, and what to change."""
    if reason.get("asked") == "evaluation" and "line" not in reason:
        return _(
            "When we called the metric function, its answer was right. But the accuracy that it "
            "reported during the training is not the accuracy that we measured. So its answer does "
            "not count."
        )
    if "line" not in reason:
        return _(
            "With this change, the script did not finish a training. If you fix the error that "
            "ends the training, you get the point."
        )
    sentence = _(
        "This line accesses internal data of the program that checks the run ({what}). The answers "
        "of the run do not count until this line is removed."
    )
    return at_line(sentence.format(**reason), reason["line"], reason.get("cell"))


def healthy(outcome: Healthy) -> str:
    """How the training came out, in one sentence or two."""
    if outcome.accuracy is None:
        sentence = _(UNREACHED.get(outcome.why or "", UNREACHED["not-tried"]))
        return in_a_row(sentence, _wanted(outcome))
    measured = _measured(outcome.epochs, outcome.accuracy)
    compared = _(
        "A model that always gives the most frequent label is right in {baseline} of the examples."
    )
    compared = compared.format(baseline=percent(outcome.baseline or 0.0))
    if outcome.reached:
        return in_a_row(measured, compared, _("The script trains, and the model has learned."))
    if is_enough(outcome):
        why = ENOUGH.get(outcome.why or "around", ENOUGH["around"])
        fault = title(outcome.fault) if outcome.fault else ""
        return in_a_row(measured, compared, _needed(outcome), _(why).format(fault=fault))
    return in_a_row(measured, compared, _needed(outcome))


def is_enough(outcome: Healthy) -> bool:
    """Whether a model is right often enough, and the outcome counts as not reached all the same."""
    if outcome.reached or outcome.accuracy is None:
        return False
    return outcome.accuracy >= (outcome.baseline or 0.0) + outcome.margin


def _wanted(outcome: Healthy) -> str:
    """Return what an outcome that was not measured has to reach, as far as that is known."""
    if outcome.baseline is not None:
        return _needed(outcome)
    sentence = _(
        "The model counts as trained if its accuracy is at least {margin} above that of a model "
        "that always gives the most frequent label."
    )
    return sentence.format(margin=numbers.at_most(outcome.margin, 2))


def _needed(outcome: Healthy) -> str:
    needed = percent((outcome.baseline or 0.0) + outcome.margin)
    return _("The model counts as trained if at least {needed} of its answers are right.").format(
        needed=needed
    )


def _measured(epochs: float | None, accuracy: float) -> str:
    """Return the sentence on a model's accuracy, after the grader's training or the script's."""
    if epochs is None:
        sentence = _(
            "In the script's own evaluation the model is right in {accuracy} of the examples."
        )
        return sentence.format(accuracy=percent(accuracy))
    return ngettext(
        "After {n} epoch the model is right in {accuracy} of the examples that it had never seen.",
        "After {n} epochs the model is right in {accuracy} of the examples that it had never seen.",
        # A broken number goes with the plural.
        round(epochs) if epochs == round(epochs) else 2,
    ).format(n=points(epochs), accuracy=percent(accuracy))


def new_fault(found: NewFault) -> str:
    """Return a sentence about a fault of the student's own."""
    what = title(found.fault) if found.fault else printable(found.exception or "")
    if message := printable(found.message or ""):
        what = about(what, message)
    return at_line(_("A new fault: {what}").format(what=what), found.line, found.cell)


def unsafe() -> str:
    """Return the sentence on marks that were made without a sandbox."""
    return _(
        "Graded with `--unsafe`: the submissions ran without a sandbox and could have changed "
        "these results."
    )


def override(mark: Override) -> str:
    """Say that the teacher set the mark, and why."""
    sentence = _("{who} set the mark to {score}. The reason: {reason}")
    return sentence.format(
        who=printable(mark.who), score=points(mark.score), reason=printable(mark.reason)
    )


def comment(told: Comment) -> str:
    """Say what a student asks, or what a teacher says of a mark, and what it adds."""
    text = printable(told.text)
    if not told.who:
        return _("Question: {text}").format(text=text)
    words = about(printable(told.who), text)
    if not told.points:
        return words
    added = f"{'+' if told.points > 0 else '−'}{points(abs(told.points))}"
    return in_a_row(words, _("Points for this: {points}.").format(points=added))


def penalty(taken: LatePenalty) -> str:
    """Say how much is taken off a mark for being late."""
    sentence = ngettext(
        "The submission came {n} day late and loses {share} of its points.",
        "The submission came {n} days late and loses {share} of its points.",
        taken.days,
    )
    return sentence.format(n=taken.days, share=percent(taken.share))


def team(standing: StudentResult) -> str:
    """For whom else the submission counts."""
    sentence = _("The submission counts for the whole group {group}: {names}.")
    names = enumerate_words(printable(each.name) for each in standing.team)
    return sentence.format(group=printable(standing.student.team), names=names)


def notes(grade: Grade) -> tuple[str, ...]:
    """Return the notes that are for the student."""
    measured = grade.healthy is not None and grade.healthy.accuracy is not None
    # What the outcome says by itself is not said twice.
    left_out = {"below-baseline", "own-evaluation"} if measured else set()
    chosen = (note for note in grade.notes if note.id not in left_out)
    return tuple(describe_note(note) for note in chosen if reader(note) == "student")


def asides(grade: Grade | None) -> list[str]:
    """Return the notes that are for the teacher only."""
    notes = grade.notes if grade else ()
    return [describe_note(note) for note in notes if reader(note) == "teacher"]


def student_sentences(standing: StudentResult) -> tuple[str, ...]:
    """Everything that a student is told of the whole submission, a sentence each."""
    grade = standing.grade
    sentences = []
    if grade is None:
        sentences.append(ungraded(standing))
    else:
        sentences += [status(grade.status), *notes(grade)]
        sentences += [new_fault(found) for found in grade.new_faults]
    if standing.attempt is not None and standing.team:
        sentences.append(team(standing))
    sentences += map(comment, standing.comments)
    if standing.override is not None:
        sentences.append(override(standing.override))
    elif standing.penalty is not None:
        sentences.append(penalty(standing.penalty))
    return tuple(sentences)
