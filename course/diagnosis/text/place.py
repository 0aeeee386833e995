"""Where a script's text has what a fault is mended in: calls, arguments, numbers, functions."""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from course.base import paths, schema
from course.diagnosis.text.script_text import Function, ScriptText
from course.diagnosis.text.words import FOLDER, FORMAT


@dataclass(frozen=True)
class PlaceList:
    """What to look for, by the fault; see `lessons/reading/places.toml`.

    Where a library's `fit` or a Trainer's `train` has failed, `fits` and `trainers` come first;
    `before` comes before the line of the traceback itself.
    """

    places: dict[str, tuple[str, ...]]
    fits: dict[str, tuple[str, ...]]
    trainers: dict[str, tuple[str, ...]]
    before: dict[str, tuple[str, ...]]


@cache
def listed() -> PlaceList:
    """Read the list of places.

    Raises:
        ContentError: it breaks its format; says where.

    """
    return schema.read(PlaceList, paths.lessons() / FOLDER / "places.toml", FORMAT)


def lines(script: ScriptText, place: str) -> list[int]:
    """Find the lines of a place in the text, in their order.

    The last one first, or the first one alone, where that is asked.
    """
    first, last = place.endswith(" first"), place.endswith(" last")
    kind, _space, name = place.removesuffix(" first").removesuffix(" last").partition(" ")
    look = KINDS[kind]
    found = {line for node in ast.walk(script.tree) for line in look(node, name)}
    return sorted(found, reverse=last)[: 1 if first else None]


def _call(node: ast.AST, name: str) -> Iterator[int]:
    if isinstance(node, ast.Call) and re.search(name, ast.unparse(node.func)):
        yield node.func.end_lineno or node.lineno


def _keyword(node: ast.AST, name: str) -> Iterator[int]:
    """Yield the line of an argument of this name, with such a value where one is asked."""
    wanted, _equals, value = name.partition("=")
    if isinstance(node, ast.keyword) and node.arg == wanted:
        yield from [node.value.lineno] if re.search(value, ast.unparse(node.value)) else []


def _is_word(node: ast.expr, name: str) -> bool:
    """Whether this is a text that is written out, and of such a form."""
    value = node.value if isinstance(node, ast.Constant) else None
    return isinstance(value, str) and re.search(name, value) is not None


def _assigned(node: ast.AST, name: str) -> Iterator[int]:
    if isinstance(node, ast.Assign):
        yield from (t.lineno for t in node.targets if re.search(name, ast.unparse(t)))


def _number(node: ast.AST, name: str) -> Iterator[int]:
    """Where a number stands under a name: a constant, a setting, the default of an option."""
    match node:
        case ast.Assign(targets=[target], value=value) if _is_number(value):
            yield from [target.lineno] if re.search(name, ast.unparse(target)) else []
        case ast.AnnAssign(target=target, value=ast.expr() as value) if _is_number(value):
            yield from [target.lineno] if re.search(name, ast.unparse(target)) else []
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            yield from (k.lineno for k, v in pairs if k and _is_word(k, name) and _is_number(v))
        case ast.Call(func=ast.Attribute(attr="add_argument"), args=options):
            if any(_is_word(option, name) for option in options):
                yield from (k.value.lineno for k in node.keywords if k.arg == "default")


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _listed(node: ast.AST, _name: str) -> Iterator[int]:
    """Layers that an object keeps in a list or a mapping, where nobody finds them."""
    if isinstance(node, ast.Assign) and isinstance(node.value, LISTS):
        is_own = ast.unparse(node.targets[0]).startswith("self.")
        made = (each for each in ast.walk(node.value) if isinstance(each, ast.Call))
        if is_own and any(re.search(r"(^|\.)[A-Z]\w*$", ast.unparse(m.func)) for m in made):
            yield node.lineno


def _def(node: ast.AST, name: str) -> Iterator[int]:
    if isinstance(node, Function) and re.search(name, node.name):
        yield node.lineno


def _return(node: ast.AST, name: str) -> Iterator[int]:
    if isinstance(node, Function) and re.search(name, node.name):
        yield from (each.lineno for each in ast.walk(node) if isinstance(each, ast.Return))


LISTS = (ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Tuple)
KINDS: dict[str, Callable[[ast.AST, str], Iterator[int]]] = {
    "call": _call,
    "keyword": _keyword,
    "assigned": _assigned,
    "number": _number,
    "listed": _listed,
    "def": _def,
    "return": _return,
}
"""What to look for in the text, by the first word of a place."""
