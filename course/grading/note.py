"""Notes on a submission: the sentences, and for whom they are."""

from dataclasses import dataclass
from typing import Literal

from course.base.i18n import N_, _, at_line, enumerate_words, numbers
from course.grading.collect.submission import REFUSALS
from course.grading.grade import GradeNote
from course.lesson.catalogue import catalogue

Reader = Literal["student", "teacher"]


@dataclass(frozen=True)
class NoteKind:
    """For whom a note is, its sentence, and the `doubt` that it casts on a mark (`doubts.KINDS`).

    Before one that is `at_line`, the line is told.
    """

    reader: Reader
    text: str
    at_line: bool = False
    doubt: str = ""


NOTES: dict[str, NoteKind] = {
    # Ways around a bug, each of which earns nothing.
    "swallowed": NoteKind(
        "student", N_("The script catches an error and goes on, so the fault still bites unseen.")
    ),
    "batch-of-one": NoteKind(
        "student", N_("Batches of one example hide the missing padding; they do not mend it.")
    ),
    "fewer-labels": NoteKind(
        "student",
        N_("Only {found} of the {labels} labels are in the training data: train on all of them."),
    ),
    "fewer-examples": NoteKind(
        "student", N_("The training data hold {found} of the {examples} examples: keep them all.")
    ),
    "no-metric": NoteKind(
        "student",
        N_("Nothing measures the model, since the script has no metric any more: put it back."),
    ),
    "validation-data": NoteKind(
        "student",
        N_(
            "The model is trained on the validation set, so its accuracy there means nothing: "
            "train it on the training set."
        ),
    ),
    "other-labels": NoteKind(
        "student", N_("The labels of the training data have been changed: leave them as they are.")
    ),
    "other-evaluation": NoteKind(
        "student",
        N_(
            "The evaluation is not on the whole validation set as it is, so its figures mean "
            "little: evaluate on that."
        ),
    ),
    "no-training": NoteKind("student", N_("The script never trains the model.")),
    "below-baseline": NoteKind(
        "student",
        N_(
            "After {epochs} epochs the model is right in {accuracy} of the examples that it has "
            "never seen; the most frequent label alone is right in {baseline}."
        ),
    ),
    "own-evaluation": NoteKind(
        "student",
        N_(
            "In the script's own evaluation the model is right in {accuracy} of the examples; the "
            "most frequent label alone is right in {baseline}."
        ),
    ),
    "zero-rate": NoteKind(
        "student",
        N_(
            "The learning rate is 0 at every step of the training, so the model learns nothing: "
            "choose one above 0."
        ),
    ),
    "taught-elsewhere": NoteKind(
        "student",
        N_(
            "Something other than the training itself, such as a callback, also changed the "
            "weights. Only what the optimizer of the Trainer taught the model counts."
        ),
    ),
    "made-up-metric": NoteKind(
        "student",
        N_(
            "{fault}: the evaluation reported a different accuracy from the one that we count "
            "with the same weights on the same data."
        ),
    ),
    "not-moved": NoteKind("student", N_("None of the model's weights changed in its training.")),
    "part-not-moved": NoteKind(
        "student", N_("A part of the model did not change in its training.")
    ),
    "no-gain": NoteKind("student", N_("The model is not better than before its training.")),
    "other-model": NoteKind(
        "student", N_("The model that was evaluated is not the one that was trained.")
    ),
    "not-measured": NoteKind("student", N_("Whether the model has learned could not be measured.")),
    "not-finite": NoteKind(
        "student", N_("From step {step} on, the loss is not a number (`nan` or `inf`).")
    ),
    # What ended the examination early.
    "time-limit": NoteKind("student", N_("The script was stopped after {seconds} seconds.")),
    "memory-limit": NoteKind("student", N_("The script was stopped: it took more than {cap} MB.")),
    "process-limit": NoteKind(
        "student", N_("The script was stopped: it started too many processes.")
    ),
    "output-limit": NoteKind("student", N_("The script was stopped: it wrote more than {cap} MB.")),
    "died": NoteKind(
        "student", N_("The process ended before the script did, without an exception.")
    ),
    "syntax": NoteKind(
        "student",
        N_("This line is not valid Python."),
        at_line=True,
    ),
    "empty": NoteKind("student", N_("The file has no line of code: hand in the script itself.")),
    "asks": NoteKind(
        "student",
        N_(
            "This line waits for input, and no one can type while a class is graded. Remove the "
            "line."
        ),
        at_line=True,
    ),
    # Where the script was adapted to what is there, so that one line does not hide the others.
    "adapted-argument": NoteKind(
        "student",
        N_(
            "`{name}` is called `{instead}` in the libraries of today: rename it. The script was "
            "examined as if you had."
        ),
        at_line=True,
        doubt="adapted",
    ),
    "dropped-argument": NoteKind(
        "student",
        N_(
            "The libraries of today take no `{name}` any more: leave it out. The script was "
            "examined without it."
        ),
        at_line=True,
        doubt="adapted",
    ),
    "absent-service": NoteKind(
        "student",
        N_("`{name}` is not there while a script is graded; the line does nothing here."),
        at_line=True,
        doubt="adapted",
    ),
    "absent-device": NoteKind(
        "student",
        N_("`{name}` needs a GPU, and there is none while a script is graded: it was left out."),
        at_line=True,
        doubt="adapted",
    ),
    "other-checkpoint": NoteKind(
        "student",
        N_(
            "The model `{name}` is not there while a script is graded; `{instead}` was taken in "
            "its place."
        ),
        at_line=True,
        doubt="adapted",
    ),
    "other-encoding": NoteKind(
        "student",
        N_("The file is saved as {encoding}, which Python cannot read: save it as UTF-8."),
        doubt="adapted",
    ),
    "notebook-line": NoteKind(
        "student",
        N_(
            "`{what}` works only in notebooks. We skipped such lines and examined the rest. "
            "Remove these lines from the script."
        ),
        at_line=True,
        doubt="adapted",
    ),
    "foreign-checkpoint": NoteKind(
        "student", N_("The tokenizer and the model come from different checkpoints.")
    ),
    # For the teacher only.
    "held-out": NoteKind(
        "teacher",
        N_("The evaluation is on a part of the training set that is kept from the training."),
    ),
    "own-loop": NoteKind(
        "teacher",
        N_(
            "The script trains in its own loop. We examined its parts after that, and counted its "
            "accuracy with the trained weights."
        ),
    ),
    "own-model": NoteKind(
        "teacher",
        N_(
            "The model is of a class that the script defines, so we cannot compute it ourselves: "
            "what we know of it comes from its own answers."
        ),
        doubt="claimed",
    ),
    "text-stands": NoteKind(
        "teacher",
        N_(
            "{fault}: the buggy lines are unchanged, and the part that they belong to answers "
            "rightly: it is mended elsewhere, so the point was given."
        ),
    ),
    "unproved": NoteKind(
        "teacher",
        N_(
            "{fault}: the answers are right, but the script mends it in another way and did not "
            "get through a training, so they are not counted. Look at it."
        ),
        doubt="withheld",
    ),
    "tampering": NoteKind(
        "teacher",
        N_(
            "This line accesses the internals of the run ({what}). The answers of this run do not "
            "count."
        ),
        at_line=True,
        doubt="withheld",
    ),
    "unusual": NoteKind(
        "teacher",
        N_("This line is unusual in such a script ({what}). It costs nothing."),
        at_line=True,
    ),
    "own-account": NoteKind(
        "teacher",
        N_(
            "{faults}: mended in another way. Only the report of the run itself shows that this "
            "is right. Look at it."
        ),
        doubt="claimed",
    ),
    "own-account-healthy": NoteKind(
        "teacher",
        N_(
            "The script is not just our script with the bugs removed. So only the report of the "
            "run itself shows that its model learns."
        ),
        doubt="claimed",
    ),
    "vital-signs": NoteKind(
        "teacher",
        N_(
            "These figures were measured in the submission's own process. {moved} of {learning} "
            "parameter tensors changed. Of {examples} examples, the model answers {accuracy} "
            "correctly; before its training it answered {before} correctly."
        ),
    ),
    "undecided": NoteKind(
        "teacher",
        N_(
            "{faults}: it may be mended in another way, but no run shows that, so it does not "
            "count. Look at it."
        ),
        doubt="withheld",
    ),
    "hidden": NoteKind(
        "teacher",
        N_(
            "{fault}: no run here fails because of this bug, and our own fix is not in the "
            "script. The script may have another fix. Look at it."
        ),
        doubt="withheld",
    ),
    "unreadable": NoteKind(
        "teacher",
        N_("The run's report about itself is contradictory, so nothing of it counts."),
        doubt="withheld",
    ),
    "other-outputs": NoteKind("teacher", N_("The model has {found} outputs for {labels} labels.")),
    "header": NoteKind(
        "teacher",
        N_("The first line names another exercise than the one that was handed out."),
        doubt="header",
    ),
    "no-exam-header": NoteKind(
        "teacher",
        N_(
            "The first line no longer says that this is an exam, so the student may have seen the "
            "fixes. Look at it."
        ),
        doubt="header",
    ),
    # Our own failure, whose traceback is a figure that no sentence tells.
    "internal-error": NoteKind("teacher", N_("Our own grading failed: {error}"), doubt="ours"),
    "late": NoteKind("student", N_("It was handed in after the deadline.")),
}
"""By the id of a note."""

NOTES |= {f"refused-{reason}": NoteKind("student", text) for reason, text in REFUSALS.items()}


def describe_note(note: GradeNote) -> str:
    """Return the sentence of a note in the language in force.

    Faults are called by their titles, a share is in per cent, a size grouped.
    """
    known = NOTES[note.id]
    figures = dict(note.figures)
    for name, value in note.figures.items():
        if name in ("accuracy", "baseline", "before") and isinstance(value, float):
            figures[name] = numbers.percent(value)
        elif name == "cap" and isinstance(value, int):
            figures[name] = numbers.whole(value)
        elif name in ("fault", "faults"):
            figures[name] = enumerate_words(map(_title, str(value).split(", ")))
    told = _(known.text).format(**figures)
    is_placed = known.at_line and figures.get("line")
    return at_line(told, figures["line"], figures.get("cell")) if is_placed else told


def _title(fault: str) -> str:
    known = catalogue().get(fault)
    return f"{_(known.title)} (`{fault}`)" if known else fault


def reader(note: GradeNote) -> Reader:
    """For whom a note is; the teacher reads all of them."""
    return NOTES[note.id].reader
