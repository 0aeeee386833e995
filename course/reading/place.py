"""The line of a script in which a fault is mended that raises nothing, as its text suggests."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from course import paths, schema
from course.reading.script_text import ScriptText
from course.reading.words import FOLDER, FORMAT


@dataclass(frozen=True)
class _Places:
    """What to look for, by the fault; see `lessons/reading/places.toml`."""

    places: dict[str, tuple[str, ...]]


@cache
def listed() -> dict[str, tuple[str, ...]]:
    """What to look for, by the fault.

    Raises:
        ContentError: the list breaks its format; says where.

    """
    return schema.read(_Places, paths.lessons() / FOLDER / "places.toml", FORMAT).places


def find(script: ScriptText, fault: str) -> int | None:
    """The line that the mend of a fault most likely is in; None where the text has no such place.

    Raises:
        ContentError: the list of places breaks its format; says where.

    """
    for place in listed().get(fault, ()):
        wanted, last = place.removesuffix(" last"), place.endswith(" last")
        kind, _space, name = wanted.partition(" ")
        lines = sorted(_lines(script.tree, kind, name))
        if lines:
            return lines[-1 if last else 0]
    return None


def _lines(tree: ast.Module, kind: str, name: str) -> Iterator[int]:
    for node in ast.walk(tree):
        if kind == "call" and isinstance(node, ast.Call):
            if re.search(name, ast.unparse(node.func)):
                yield node.func.end_lineno or node.lineno
        elif kind == "keyword" and isinstance(node, ast.keyword):
            if node.arg == name:
                yield node.value.lineno
        elif kind == "def" and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if re.search(name, node.name):
                yield node.lineno
        elif kind == "class" and isinstance(node, ast.ClassDef) and re.search(name, node.name):
            yield node.lineno
