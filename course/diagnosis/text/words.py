"""The words of libraries that scripts are read by, as `lessons/reading/words.toml` lists them."""

from dataclasses import dataclass
from functools import cache

from course.base import paths, schema

FORMAT = 1
FOLDER = "reading"


@dataclass(frozen=True)
class Words:
    """The names of `libraries`, how the names of `optimizers`, `functions` and `classes` begin.

    `sources` are the files in which classes are written, by their full names, and `imports` the
    statements that import well-known names. `layers` that a model may end with are by the function
    that they apply, `losses` by what they compute.
    """

    libraries: frozenset[str]
    optimizers: tuple[str, ...]
    functions: tuple[str, ...]
    classes: tuple[str, ...]
    sources: dict[str, str]
    imports: dict[str, str]
    layers: dict[str, str]
    losses: dict[str, str]

    def import_of(self, name: str) -> str:
        """Return the statement that imports a well-known name, or nothing."""
        if name in self.imports:
            return self.imports[name]
        return f"from transformers import {name}" if name.startswith(self.classes) else ""


@cache
def words() -> Words:
    """All of them.

    Raises:
        ContentError: the file breaks the format; says where.

    """
    return schema.read(Words, paths.lessons() / FOLDER / "words.toml", FORMAT)
