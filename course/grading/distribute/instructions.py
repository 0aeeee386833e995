"""The page of instructions that goes with the exercises, in Markdown."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType

from course.base import paths
from course.base.errors import UserError
from course.base.i18n import _, enumerate_words, numbers
from course.base.texts import load_table
from course.exercise.practice import IN_AN_EXAM
from course.grading.collect import asked
from course.grading.distribute.assignment import Form, Student
from course.grading.report import feedback
from course.grading.rubric import Rubric
from course.lesson import lesson
from course.lesson.lesson import Part
from course.runs.embedded_names import HubThing, names
from course.runs.environment import runtime

SENTENCES = load_table("messages")["instructions"]
"""Each name has a sentence, or a list of such."""
DISTRIBUTION = "nlp-course-companion"
OFTEN_USED = "scikit-learn>=1.3"
"""What students ask for, whatever the lesson does; the runtime may lack it."""


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
        yield _say("due", deadline=f"**{numbers.moment(self.deadline)}**", zone=zone)
        late = self.rubric.late
        if late is None or not late.per_day:
            yield _say("late-free")
        else:
            shares = {"per_day": late.per_day, "most": late.most}
            yield _say("late", **{k: numbers.percent(v) for k, v in shares.items()})


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
    here = ["run-notebook"] if kind == "notebook" else []
    ends = IN_AN_EXAM if exam else SENTENCES["check"]
    new = ["to-do"] if form == "nbgrader" else ["to-do", "drawn"]
    sections = (
        (_("What to do"), _each(*new)),
        (_("How to get the program"), [] if terms.program else _each("program")),
        (_("How to run it"), [*_each(*["wheel"] * bool(wheel), *here, "run"), ends]),
        (_("How marks are given"), _each("marks-of-questions" if part.exam else "marks-of-a-run")),
        (_("What earns nothing"), _each("no-marks")),
        (_("Where it is graded"), _place(part, words)),
        (_("How to hand it in"), _each(f"hand-in-{form}", "hand-in", "asking")),
    )
    title = _(lesson.load(part.lesson).title)
    lines = [f"# {title}", _say("introduction", **words)]
    for heading, items in sections:
        lines.append(f"## {heading}")
        told = [_(item).format(**words) for item in items] or [terms.program]
        if items is sections[-1][1]:
            told = [*terms.describe(), *told]
        lines.append("\n".join(f"- {sentence}" for sentence in told))
    if teams:
        members = "\n".join(f"- {_members(name, who)}" for name, who in teams.items())
        lines += ["## " + _("Groups"), _say("together"), members]
    return "\n\n".join(lines) + "\n"


def _members(team: str, students: Sequence[Student]) -> str:
    return feedback.about(f"**{team}**", enumerate_words(each.name for each in students))


def _place(part: Part, words: dict[str, str]) -> list[str]:
    """Return the sentences on the place of grading; on libraries if they are installed here."""
    told = ["models", "place"]
    if part.exam is not None:
        told, words["checkpoint"] = ["one-model", "place"], f"`{part.exam.checkpoint}`"
    for requires in ((*part.requires, OFTEN_USED), part.requires):
        with contextlib.suppress(UserError):
            found = runtime.find(part.framework, requires).versions
            words["libraries"] = ", ".join(f"{name} {version}" for name, version in found.items())
            return _each("libraries", *told)
    return _each(*told)


def _each(*names: str) -> list[str]:
    """Return all the sentences of these names, to be translated."""
    texts = (SENTENCES[name] for name in names)
    return [each for text in texts for each in ([text] if isinstance(text, str) else text)]


def _say(name: str, **words: str) -> str:
    return _(SENTENCES[name]).format(**words)


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
