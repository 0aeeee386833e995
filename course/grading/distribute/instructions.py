"""The page of instructions that goes with the exercises, in Markdown."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType

from course.base import paths
from course.base.errors import UserError
from course.base.i18n import N_, _, enumerate_words, numbers
from course.exercise.practice import IN_AN_EXAM
from course.grading.collect import asked
from course.grading.distribute.assignment import Form, Student
from course.grading.report import feedback
from course.grading.rubric import Rubric
from course.lesson import lesson
from course.lesson.lesson import Part
from course.runs.embedded_names import HubThing, names
from course.runs.environment import runtime

INTRODUCTION = N_(
    "You have received {file}, a training script with bugs. Fix the bugs until the trained model "
    "has really learned something."
)
PROGRAM = (
    N_("You need Python 3.11 or newer, and the folder {folder} from your teacher."),
    N_(
        "Go to the directory that contains that folder, and run {posix} (Linux, macOS) or "
        "{windows} (Windows, in PowerShell). Then start the program with {posix_course} or "
        "{windows_course}."
    ),
)
IN_A_TERMINAL = (
    N_("{run} runs the exercise once and names its fault."),
    N_("{watch} runs the exercise again after each save."),
    N_("{hint} gives a hint. Each call gives one more hint."),
)
CHECK = N_("{check} checks the exercise as the grading does, and gives the reason for each point.")
RUNNING = {
    "script": IN_A_TERMINAL,
    "notebook": (
        N_("Run the cells from the top. Begin with the first one: it prepares the others."),
        N_("In a cell of your own, {hint_here} gives a hint and {check_here} checks everything."),
        *IN_A_TERMINAL,
    ),
}
WHEEL = N_("Keep {wheel} beside the notebook. If `course` is missing, the first cell installs it.")
DUE = N_("Deadline: {deadline} ({zone}).")
LATE_FREE = N_("A later file counts only if nothing came before the deadline. It loses no points.")
LATE = N_(
    "A later file counts only if nothing came before the deadline. For each day, it loses "
    "{per_day} of its points. A part of a day counts as a day. It loses at most {most}."
)
ASKING = N_(
    "You do not agree with a mark? Write your question into a text file {question}, and hand in "
    "this file in the same way. The next report will have the answer."
)
NEWEST = N_("You may hand in several times. The newest submission before the deadline counts.")
ALONE = N_("Your file is run alone, without a network. It must contain everything that it needs.")
FROM_THE_TOP = N_("The cells are run from top to bottom, even if you ran them in another order.")
HANDING_IN: dict[Form, tuple[str, ...]] = {
    "script": (N_("Hand in {file} alone, or a zip with just this file in it."), *(NEWEST, ALONE)),
    "notebook": (
        N_("Hand in {file} alone, or a zip with just this file in it."),
        *(FROM_THE_TOP, NEWEST, ALONE),
    ),
    "nbgrader": (
        N_("Save the notebook and submit the assignment {assignment}. The outputs do not count."),
        N_(
            "Even if nbgrader says that your notebook is valid, bugs may still be in it. Points "
            "are given later."
        ),
        *(FROM_THE_TOP, NEWEST, ALONE),
    ),
}
TO_DO = (
    N_("Keep the name of the file: {file}."),
    N_("Run the exercise, read the error, find the cause, fix it, and run the exercise again."),
    N_("Some bugs raise no error: the script continues, but the model learns nothing."),
)
DRAWN = N_("Your bugs may differ from those of your classmates.")
EACH_BUG = N_("You get one point for each bug that you fix. The order does not matter.")
OTHER_POINTS = N_("Your teacher may give a different number of points.")
MARKS = (
    EACH_BUG,
    N_(
        "You get one more point if the model learns. After a short training, its accuracy on new "
        "examples must be at least {margin} percentage points higher than if it always gave the "
        "most frequent label."
    ),
    OTHER_POINTS,
)
MARKS_OF_A_RUN = (
    EACH_BUG,
    N_(
        "You may fix the bugs in your own way. A fix that differs from ours counts if the training "
        "runs and shows that the bug is gone."
    ),
    N_(
        "You get one more point if the model learns. The training and the evaluation must run to "
        "the end. In this evaluation, the accuracy must be at least {margin} percentage points "
        "higher than if the model always gave the most frequent label."
    ),
    OTHER_POINTS,
)
NO_MARKS = (
    N_("Catching an error and continuing, instead of fixing the cause."),
    N_("Leaving out a label or more than 30 % of the examples, or using batches of one example."),
    N_("Removing the metric, or training on the validation set."),
    N_("Printing a good result that the model did not reach."),
)


MODELS = N_(
    "The models are tiny and have the names of the real ones: {models}. Metrics of {evaluate}: "
    "{metrics}."
)
ONE_MODEL = N_(
    "The model: {checkpoint}. It is a tiny model with the name of the real one. It is used even if "
    "a script names another model. Metrics of {evaluate}: {metrics}."
)
PLACE = (
    N_("At most {seconds} s of CPU time. Other programs on the machine do not shorten this time."),
    N_("No network, no GPU, no display, no login."),
)
TOGETHER = N_(
    "All members of a group have the same bugs. One member hands in for the whole group. The "
    "group's newest submission before the deadline counts, and each member gets its mark."
)
DISTRIBUTION = "nlp-course-companion"
OFTEN_USED = "scikit-learn>=1.3"
"""What students ask for, whatever the lesson does; the runtime may lack it."""
LIBRARIES = N_("Libraries: {libraries}.")


@dataclass(frozen=True)
class Terms:
    """What holds for a class: how students get the `program`, the deadline, the rubric.

    An empty `program` is the folder of `docs/install.md`.
    """

    program: str = ""
    deadline: datetime | None = None
    rubric: Rubric = field(default_factory=Rubric)

    def describe(self) -> Iterator[str]:
        """Yield the sentences on the deadline and on what it costs to miss it."""
        if self.deadline is None:
            return
        zone = self.deadline.strftime("UTC%z")
        zone = f"{zone[:6]}:{zone[6:]}"
        yield _(DUE).format(deadline=f"**{numbers.moment(self.deadline)}**", zone=zone)
        late = self.rubric.late
        if late is None or not late.per_day:
            yield _(LATE_FREE)
        else:
            shares = {"per_day": late.per_day, "most": late.most}
            yield _(LATE).format(**{k: numbers.percent(v) for k, v in shares.items()})


USUAL = Terms()


def page_name(lang: str) -> str:
    """Return the file name of the page in a language, as in `instructions.en.md`."""
    return f"instructions.{lang}.md"


def page(
    part: Part,
    form: Form = "script",
    teams: Mapping[str, Sequence[Student]] = MappingProxyType({}),
    *,
    exam: bool = False,
    wheel: str | None = None,
    terms: Terms = USUAL,
) -> str:
    """Make the page of instructions for students, in the language in force, with the teams.

    `teams` are the members by the name of the team, `wheel` is the file beside each notebook.
    """
    rubric = terms.rubric.settled(part.exam or part.outcome)
    stem = f"{part.lesson}-{part.framework}"
    kind = "script" if form == "script" else "notebook"
    file = stem + (".py" if form == "script" else ".ipynb")
    words = {
        "file": f"`{file}`",
        "assignment": f"`{stem}`",
        "run": f"`course run ./{file}`",
        "watch": f"`course watch ./{file}`",
        "hint": f"`course hint ./{file}`",
        "check": f"`course class check ./{file}`",
        "hint_here": "`%course hint`",
        "check_here": "`%course check`",
        "wheel": f"`{wheel}`",
        "margin": str(round(100 * (rubric.margin or 0.0))),
        "seconds": numbers.whole(rubric.limits.cpu),
        "question": f"`{stem}-{asked.FILE}`",
    }
    words |= _surroundings() | _commands()
    running = (WHEEL, *RUNNING[kind]) if wheel else RUNNING[kind]
    marks = MARKS if part.exam else MARKS_OF_A_RUN
    sections = (
        (_("What to do"), TO_DO if form == "nbgrader" else (*TO_DO, DRAWN)),
        (_("How to get the program"), PROGRAM if not terms.program else ()),
        (_("How to run it"), (*running, IN_AN_EXAM if exam else CHECK)),
        (_("How marks are given"), marks),
        (_("What earns nothing"), NO_MARKS),
        (_("Where it is graded"), _place(part, words)),
        (_("How to hand it in"), (*HANDING_IN[form], ASKING)),
    )
    title = _(lesson.load(part.lesson).title)
    lines = [f"# {title}", _(INTRODUCTION).format(**words)]
    for heading, items in sections:
        lines.append(f"## {heading}")
        told = [_(item).format(**words) for item in items] or [terms.program]
        if items is sections[-1][1]:
            told = [*terms.describe(), *told]
        lines.append("\n".join(f"- {sentence}" for sentence in told))
    if teams:
        members = "\n".join(f"- {_members(name, who)}" for name, who in teams.items())
        lines += ["## " + _("Groups"), _(TOGETHER), members]
    return "\n\n".join(lines) + "\n"


def _members(team: str, students: Sequence[Student]) -> str:
    return feedback.about(f"**{team}**", enumerate_words(each.name for each in students))


def _place(part: Part, words: dict[str, str]) -> tuple[str, ...]:
    """Return the sentences on the place of grading; on libraries if they are installed here."""
    models = MODELS
    if part.exam is not None:
        models, words["checkpoint"] = ONE_MODEL, f"`{part.exam.checkpoint}`"
    for requires in ((*part.requires, OFTEN_USED), part.requires):
        with contextlib.suppress(UserError):
            found = runtime.find(part.framework, requires).versions
            words["libraries"] = ", ".join(f"{name} {version}" for name, version in found.items())
            return (LIBRARIES, models, *PLACE)
    return (models, *PLACE)


def _commands() -> dict[str, str]:
    """Return what installs the program out of a folder, and what it is called then."""
    # Its own environment is that of the first framework.
    what = f"{DISTRIBUTION}[{paths.frameworks()[0]}]"
    source = "--no-index --find-links handout"
    return {
        "folder": "`handout`",
        "posix": f"`python3 -m venv nlp && nlp/bin/pip install {source} '{what}'`",
        "posix_course": "`nlp/bin/course`",
        "windows": f'`py -m venv nlp; nlp\\Scripts\\pip install {source} "{what}"`',
        "windows_course": "`nlp\\Scripts\\course`",
    }


def _surroundings() -> dict[str, str]:
    """Return the models and metrics of the embedded hub."""
    things: tuple[HubThing, ...] = ("models", "metrics")
    return {
        **{thing: enumerate_words(f"`{name}`" for name in names(thing)) for thing in things},
        "evaluate": "`evaluate`",
    }
