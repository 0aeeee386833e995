"""What the teacher knows of a student, and of the exercise that this student was given."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Form = Literal["script", "notebook", "nbgrader"]
"""How an exercise is given out: a script, a notebook, or the one that nbgrader has for all."""


@dataclass(frozen=True)
class Student:
    """One row of the roster. `id` is unique and a safe name of a folder; `lang` is one of ours.

    `aliases` are the numbers by which others know the student: `moodle:657737`, `canvas:340934`.
    `team` is the roster's `group`, empty for who works alone: one hand-in counts for all of it.
    """

    id: str
    name: str
    lang: str
    aliases: tuple[str, ...] = ()
    team: str = ""


def by_team(students: Iterable[Student]) -> dict[str, tuple[Student, ...]]:
    """Return each team's members by its name, in the order given; none who works alone."""
    teams: dict[str, tuple[Student, ...]] = {}
    for each in students:
        if each.team:
            teams[each.team] = (*teams.get(each.team, ()), each)
    return teams


@dataclass(frozen=True)
class Assignment:
    """An exercise as a student was given it.

    `bugs` are the faults that were drawn, in the order of the lesson; `digest` is the SHA-256 of
    the text that was handed out; `seed` is what it was drawn from. Either form may come back. In
    an `exam` the copy shows no fixes.
    """

    student: str
    lesson: str
    framework: str
    bugs: tuple[str, ...]
    lang: str
    seed: int
    digest: str
    form: Form = "script"
    exam: bool = False

    @property
    def stem(self) -> str:
        """The name of the file without its ending; to nbgrader, that of the assignment."""
        return f"{self.lesson}-{self.framework}"

    @property
    def file_name(self) -> str:
        """What the file is called as it is handed out."""
        return self.stem + (".py" if self.form == "script" else ".ipynb")
