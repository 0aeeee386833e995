"""Notes on a submission: the sentences, and for whom they are."""

from typing import Literal

from course.base.i18n import N_, _, at_line, enumerate_words, numbers
from course.grading.collect.submission import REFUSALS
from course.grading.grade import GradeNote
from course.judge.verdict import PROBLEMS
from course.lesson.catalogue import catalogue

Reader = Literal["student", "teacher"]

OF_ANY_SCRIPT = (
    "swallowed", "batch-of-one", "one-process", "fewer-labels", "fewer-examples", "not-moved",
    "other-model", "not-measured", "not-finite", "died", "no-training",
)  # fmt: skip
"""Notes that `course run` has the same sentences for."""

FOR_STUDENTS: dict[str, str] = {
    # Ways around a bug, each of which earns nothing, and what else a run shows of any script.
    **{name: PROBLEMS[name] for name in OF_ANY_SCRIPT},
    "no-metric": N_(
        "The script has no metric any more, so the quality of the model is not measured. Put the "
        "metric back."
    ),
    "validation-data": N_(
        "The model is trained on the validation set, so its accuracy there means nothing. Train "
        "the model on the training set."
    ),
    "other-labels": N_(
        "The labels of the training data have been changed. Use the original labels."
    ),
    "other-evaluation": N_(
        "The evaluation does not use the whole, unchanged validation set, so its results cannot be "
        "trusted. Evaluate the model on that whole set."
    ),
    "below-baseline": N_(
        "The model is right in {accuracy} of the examples. A model that always gives the most "
        "frequent label is right in {baseline}."
    ),
    "own-evaluation": N_(
        "The model is right in {accuracy} of the examples. A model that always gives the most "
        "frequent label is right in {baseline}."
    ),
    "zero-rate": N_(
        "The learning rate is 0 at every step of the training, so the model learns nothing. Use a "
        "learning rate above 0."
    ),
    "taught-elsewhere": N_(
        "Something other than the training itself, such as a callback, also changed the "
        "weights. Only the changes by the optimizer of the Trainer count."
    ),
    "made-up-metric": N_(
        "{fault}: with the same weights on the same data, the evaluation reported a different "
        "accuracy than we counted."
    ),
    "part-not-moved": N_("The weights of a part of the model did not change in the training."),
    "no-gain": N_("The model is not better than before its training."),
    # What ended the examination early.
    "time-limit": N_("The script was stopped after {seconds} seconds."),
    "memory-limit": N_("The script was stopped: it used more than {cap} MB of memory."),
    "process-limit": N_("The script was stopped: it started too many processes."),
    "output-limit": N_("The script was stopped: it wrote more than {cap} MB."),
    "syntax": N_("This line is not valid Python."),
    "empty": N_("The file has no line of code. Hand in the script itself."),
    "asks": REFUSALS["notebook-input"],
    # Where the script was adapted to what is there, so that one line does not hide the others.
    "adapted-argument": N_(
        "In the current libraries, `{name}` is called `{instead}`. Rename it. The script was "
        "examined with the new name."
    ),
    "dropped-argument": N_(
        "The current libraries do not accept `{name}` any more. Remove it. The script was examined "
        "without it."
    ),
    "absent-service": N_("`{name}` is not available in the grading. The line does nothing there."),
    "absent-device": N_("`{name}` needs a GPU, but the grading has no GPU. So this was left out."),
    "other-checkpoint": N_(
        "The model `{name}` is not available in the grading. `{instead}` was used instead."
    ),
    "other-encoding": N_(
        "The file is saved as {encoding}. Python cannot read that. Save the file as UTF-8."
    ),
    "notebook-line": N_(
        "`{what}` works only in notebooks. We skipped such lines and examined the rest. Remove "
        "these lines from the script."
    ),
    "foreign-checkpoint": N_("The tokenizer and the model come from different checkpoints."),
    **{f"refused-{reason}": text for reason, text in REFUSALS.items()},
}
FOR_TEACHERS: dict[str, str] = {
    "held-out": N_("The evaluation uses a part of the training set that is not used for training."),
    "own-loop": N_(
        "The script trains in its own loop. We examined its parts after the training, and counted "
        "the accuracy with the trained weights."
    ),
    "own-model": N_(
        "The script defines the class of the model itself, so we cannot run the model ourselves. "
        "All that we know about the model comes from its own answers."
    ),
    "text-stands": N_(
        "{fault}: the lines with the bug are unchanged, but this part of the script works "
        "correctly. The fix is in another place, so the point was given."
    ),
    "unproved": N_(
        "{fault}: the answers are right, but the script has another fix than ours and did not "
        "finish a training. So the answers do not count. Check the script yourself."
    ),
    "tampering": N_(
        "This line accesses internal data of the program that checks the run ({what}). The answers "
        "of the run do not count until this line is removed."
    ),
    "unusual": N_("This line is unusual in such a script ({what}). It costs no points."),
    "own-account": N_(
        "{faults}: the script has another fix than ours. We know only from what the run reported "
        "that it works. Check the script yourself."
    ),
    "own-account-healthy": N_(
        "The script differs from ours in more than the bugs. So only the run's own report says "
        "that the model learns."
    ),
    "vital-signs": N_(
        "These numbers come from the process in which the submission itself ran. {moved} of "
        "{learning} parameter tensors changed. Of {examples} examples, the model answers "
        "{accuracy} correctly; before its training it answered {before} correctly."
    ),
    "undecided": N_(
        "{faults}: the script may have another fix than ours, but no run shows this. So it does "
        "not count. Check the script yourself."
    ),
    "hidden": N_(
        "{fault}: our fix is not in the script, but no run here fails because of this bug. The "
        "script may have another fix. Check the script yourself."
    ),
    "unreadable": N_(
        "The reports of the run about itself contradict each other, so none of them counts."
    ),
    "other-outputs": N_("The model has {found} outputs for {labels} labels."),
    "header": N_("The first line does not name the exercise that the student got."),
    "no-exam-header": N_(
        "The first line no longer says that this is an exam. So the student may have seen the "
        "fixes. Check this yourself."
    ),
    # Our own failure, whose traceback is a figure that no sentence tells.
    "internal-error": N_("The grading program failed: {error}"),
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
