"""What the teacher knows of a student, and of the exercise that this student was given."""

from dataclasses import dataclass
from typing import Literal

Form = Literal["script", "notebook", "nbgrader"]
"""How an exercise is given out: a script, a notebook, or the one that nbgrader has for all."""


@dataclass(frozen=True)
class Student:
    """One row of the roster. `id` is unique and a safe name of a folder; `lang` is one of ours.

    `aliases` are the numbers by which others know the student: `moodle:657737`, `canvas:340934`.
    """

    id: str
    name: str
    lang: str
    aliases: tuple[str, ...] = ()


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
