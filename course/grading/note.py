"""Notes on a submission: the sentences, and for whom they are."""

from typing import Literal

from course.base.i18n import N_, _, at_line, enumerate_words, numbers
from course.grading.collect.submission import REFUSALS
from course.grading.grade import GradeNote
from course.lesson.catalogue import catalogue

Reader = Literal["student", "teacher"]

FOR_STUDENTS: dict[str, str] = {
    # Ways around a bug, each of which earns nothing.
    "swallowed": N_("The script catches an error and goes on, so the fault still bites unseen."),
    "batch-of-one": N_("Batches of one example hide the missing padding; they do not mend it."),
    "one-process": N_("The training runs in only one process: start {processes} processes."),
    "fewer-labels": N_(
        "Only {found} of the {labels} labels are in the training data: train on all of them."
    ),
    "fewer-examples": N_(
        "The training uses only {found} of the {examples} examples: train on all of them."
    ),
    "no-metric": N_(
        "Nothing measures the model, since the script has no metric any more: put it back."
    ),
    "validation-data": N_(
        "The model is trained on the validation set, so its accuracy there means nothing: train "
        "it on the training set."
    ),
    "other-labels": N_(
        "The labels of the training data have been changed: leave them as they are."
    ),
    "other-evaluation": N_(
        "The evaluation is not on the whole validation set as it is, so its figures mean little: "
        "evaluate on that."
    ),
    "no-training": N_("The script never trains the model."),
    "below-baseline": N_(
        "The model is right in {accuracy} of the examples; the most frequent label alone is right "
        "in {baseline}."
    ),
    "own-evaluation": N_(
        "The model is right in {accuracy} of the examples; the most frequent label alone is right "
        "in {baseline}."
    ),
    "zero-rate": N_(
        "The learning rate is 0 at every step of the training, so the model learns nothing: "
        "choose one above 0."
    ),
    "taught-elsewhere": N_(
        "Something other than the training itself, such as a callback, also changed the weights. "
        "Only what the optimizer of the Trainer taught the model counts."
    ),
    "made-up-metric": N_(
        "{fault}: the evaluation reported a different accuracy from the one that we count with "
        "the same weights on the same data."
    ),
    "not-moved": N_("None of the model's weights changed in its training."),
    "part-not-moved": N_("A part of the model did not change in its training."),
    "no-gain": N_("The model is not better than before its training."),
    "other-model": N_("The model that was evaluated is not the one that was trained."),
    "not-measured": N_("Whether the model has learned could not be measured."),
    "not-finite": N_("From step {step} on, the loss is not a number (`nan` or `inf`)."),
    # What ended the examination early.
    "time-limit": N_("The script was stopped after {seconds} seconds."),
    "memory-limit": N_("The script was stopped: it took more than {cap} MB."),
    "process-limit": N_("The script was stopped: it started too many processes."),
    "output-limit": N_("The script was stopped: it wrote more than {cap} MB."),
    "died": N_("The process ended before the script did, without an exception."),
    "syntax": N_("This line is not valid Python."),
    "empty": N_("The file has no line of code: hand in the script itself."),
    "asks": N_(
        "This line waits for input, and no one can type while a class is graded. Remove the line."
    ),
    # Where the script was adapted to what is there, so that one line does not hide the others.
    "adapted-argument": N_(
        "`{name}` is called `{instead}` in the libraries of today: rename it. The script was "
        "examined as if you had."
    ),
    "dropped-argument": N_(
        "The libraries of today take no `{name}` any more: leave it out. The script was examined "
        "without it."
    ),
    "absent-service": N_(
        "`{name}` is not there while a script is graded; the line does nothing here."
    ),
    "absent-device": N_(
        "`{name}` needs a GPU, and there is none while a script is graded: it was left out."
    ),
    "other-checkpoint": N_(
        "The model `{name}` is not there while a script is graded; `{instead}` was taken in its "
        "place."
    ),
    "other-encoding": N_(
        "The file is saved as {encoding}, which Python cannot read: save it as UTF-8."
    ),
    "notebook-line": N_(
        "`{what}` works only in notebooks. We skipped such lines and examined the rest. Remove "
        "these lines from the script."
    ),
    "foreign-checkpoint": N_("The tokenizer and the model come from different checkpoints."),
    **{f"refused-{reason}": text for reason, text in REFUSALS.items()},
}
FOR_TEACHERS: dict[str, str] = {
    "held-out": N_(
        "The evaluation is on a part of the training set that is kept from the training."
    ),
    "own-loop": N_(
        "The script trains in its own loop. We examined its parts after that, and counted its "
        "accuracy with the trained weights."
    ),
    "own-model": N_(
        "The model is of a class that the script defines, so we cannot compute it ourselves: what "
        "we know of it comes from its own answers."
    ),
    "text-stands": N_(
        "{fault}: the buggy lines are unchanged, but their part of the script works correctly: it "
        "is mended elsewhere, so the point was given."
    ),
    "unproved": N_(
        "{fault}: the answers are right, but the script mends it in another way and did not "
        "finish a training, so they do not count. Look at it."
    ),
    "tampering": N_(
        "This line accesses the internals of the run ({what}). As long as it is there, the "
        "answers of the run do not count."
    ),
    "unusual": N_("This line is unusual in such a script ({what}). It costs nothing."),
    "own-account": N_(
        "{faults}: mended in another way. Only the report of the run itself shows that this is "
        "right. Look at it."
    ),
    "own-account-healthy": N_(
        "The script is not just our script with the bugs removed. So only the report of the run "
        "itself shows that its model learns."
    ),
    "vital-signs": N_(
        "These figures were measured in the submission's own process. {moved} of {learning} "
        "parameter tensors changed. Of {examples} examples, the model answers {accuracy} "
        "correctly; before its training it answered {before} correctly."
    ),
    "undecided": N_(
        "{faults}: it may be mended in another way, but no run shows that, so it does not count. "
        "Look at it."
    ),
    "hidden": N_(
        "{fault}: no run here fails because of this bug, and our own fix is not in the script. "
        "The script may have another fix. Look at it."
    ),
    "unreadable": N_("The run's report about itself is contradictory, so nothing of it counts."),
    "other-outputs": N_("The model has {found} outputs for {labels} labels."),
    "header": N_("The first line names another exercise than the one that was handed out."),
    "no-exam-header": N_(
        "The first line no longer says that this is an exam, so the student may have seen the "
        "fixes. Look at it."
    ),
    # Our own failure, whose traceback is a figure that no sentence tells.
    "internal-error": N_("Our own grading failed: {error}"),
}
NOTES = FOR_STUDENTS | FOR_TEACHERS
"""The sentence of each note, by its id."""


def describe_note(note: GradeNote) -> str:
    """Return the sentence of a note in the language in force; before it, the line that it is on.

    Faults are called by their titles, a share is in per cent, a size grouped.
    """
    figures = dict(note.figures)
    for name, value in note.figures.items():
        if name in ("accuracy", "baseline", "before") and isinstance(value, float):
            figures[name] = numbers.percent(value)
        elif name == "cap" and isinstance(value, int):
            figures[name] = numbers.whole(value)
        elif name in ("fault", "faults"):
            figures[name] = enumerate_words(map(_title, str(value).split(", ")))
    told = _(NOTES[note.id]).format(**figures)
    return at_line(told, figures["line"], figures.get("cell")) if figures.get("line") else told


def _title(fault: str) -> str:
    known = catalogue().get(fault)
    return f"{_(known.title)} (`{fault}`)" if known else fault


def reader(note: GradeNote) -> Reader:
    """For whom a note is; the teacher reads all of them."""
    return "student" if note.id in FOR_STUDENTS else "teacher"
