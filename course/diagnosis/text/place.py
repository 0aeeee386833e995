"""Where a script's text has what a fault is mended in: calls, arguments, keys, functions."""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from course import paths, schema
from course.diagnosis.text.script_text import ScriptText
from course.diagnosis.text.words import FOLDER, FORMAT

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class _Places:
    """What to look for, by the fault; see `lessons/reading/places.toml`."""

    places: dict[str, tuple[str, ...]]
    fits: dict[str, tuple[str, ...]]
    trainers: dict[str, tuple[str, ...]]
    before: dict[str, tuple[str, ...]]


def listed() -> dict[str, tuple[str, ...]]:
    """What to look for, by the fault.

    Raises:
        ContentError: the list breaks its format; says where.

    """
    return _read().places


def listed_of_fits() -> dict[str, tuple[str, ...]]:
    """What to look for before that, by the fault, where a library's `fit` has failed.

    Raises:
        ContentError: the list breaks its format; says where.

    """
    return _read().fits


def listed_of_trainers() -> dict[str, tuple[str, ...]]:
    """What to look for before that, by the fault, where a Trainer's `train` has failed.

    Raises:
        ContentError: the list breaks its format; says where.

    """
    return _read().trainers


def listed_before() -> dict[str, tuple[str, ...]]:
    """What comes before the line of the traceback itself, by the fault.

    Raises:
        ContentError: the list breaks its format; says where.

    """
    return _read().before


@cache
def _read() -> _Places:
    return schema.read(_Places, paths.lessons() / FOLDER / "places.toml", FORMAT)


def lines(script: ScriptText, place: str) -> list[int]:
    """The lines of a place in the text, in their order.

    The last one first, or the first one alone, where that is asked.
    """
    first, last = place.endswith(" first"), place.endswith(" last")
    kind, _space, name = place.removesuffix(" first").removesuffix(" last").partition(" ")
    found = sorted(set(_lines(script.tree, kind, name)), reverse=last)
    return found[:1] if first else found


def _lines(tree: ast.Module, kind: str, name: str) -> Iterator[int]:
    look = KINDS[kind]
    for node in ast.walk(tree):
        yield from look(node, name)


def _call(node: ast.AST, name: str) -> Iterator[int]:
    if isinstance(node, ast.Call) and re.search(name, ast.unparse(node.func)):
        yield node.func.end_lineno or node.lineno


def _keyword(node: ast.AST, name: str) -> Iterator[int]:
    if isinstance(node, ast.keyword) and node.arg == name:
        yield node.value.lineno


def _argument(node: ast.AST, name: str) -> Iterator[int]:
    wanted, _equals, value = name.partition("=")
    if isinstance(node, ast.keyword) and node.arg == wanted:
        found = re.search(value, ast.unparse(node.value))
        yield from [node.value.lineno] if found else []


def _key(node: ast.AST, name: str) -> Iterator[int]:
    if isinstance(node, ast.Dict):
        yield from (key.lineno for key in node.keys if key is not None and _is_word(key, name))
    elif isinstance(node, ast.Subscript) and _is_word(node.slice, name):
        yield node.lineno


def _entry(node: ast.AST, name: str) -> Iterator[int]:
    if isinstance(node, ast.Dict):
        yield from (key.lineno for key in node.keys if key is not None and _is_word(key, name))


def _is_word(node: ast.expr, name: str) -> bool:
    """Whether this is a text that is written out, and of such a form."""
    value = node.value if isinstance(node, ast.Constant) else None
    return isinstance(value, str) and re.search(name, value) is not None


def _name(node: ast.AST, name: str) -> Iterator[int]:
    word = node.id if isinstance(node, ast.Name) else getattr(node, "attr", None)
    if isinstance(node, ast.expr) and isinstance(word, str) and re.search(name, word):
        yield node.end_lineno or node.lineno


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


def _evaluating(node: ast.AST, _name: str) -> Iterator[int]:
    """Loops without gradients."""
    heads: list[ast.expr] = []
    if isinstance(node, ast.With):
        heads = [item.context_expr for item in node.items]
    elif isinstance(node, FUNCTION):
        heads = node.decorator_list
    if any(re.search("no_grad|inference_mode", ast.unparse(head)) for head in heads):
        yield from (each.lineno for each in ast.walk(node) if isinstance(each, ast.For))


def _with(node: ast.AST, name: str) -> Iterator[int]:
    if isinstance(node, ast.With):
        heads = [each.context_expr for each in node.items]
        if any(isinstance(h, ast.Call) and re.search(name, ast.unparse(h.func)) for h in heads):
            yield node.lineno
            yield from (each.lineno for each in node.body)


def _def(node: ast.AST, name: str) -> Iterator[int]:
    if isinstance(node, FUNCTION) and re.search(name, node.name):
        yield node.lineno


def _return(node: ast.AST, name: str) -> Iterator[int]:
    if isinstance(node, FUNCTION) and re.search(name, node.name):
        yield from (each.lineno for each in ast.walk(node) if isinstance(each, ast.Return))


def _class(node: ast.AST, name: str) -> Iterator[int]:
    if isinstance(node, ast.ClassDef) and re.search(name, node.name):
        yield node.lineno


LISTS = (ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Tuple)
KINDS: dict[str, Callable[[ast.AST, str], Iterator[int]]] = {
    "call": _call,
    "keyword": _keyword,
    "argument": _argument,
    "key": _key,
    "entry": _entry,
    "name": _name,
    "assigned": _assigned,
    "number": _number,
    "listed": _listed,
    "evaluating": _evaluating,
    "with": _with,
    "def": _def,
    "return": _return,
    "class": _class,
}
"""What to look for in the text, by the first word of a place."""
