"""Pictures that are turned, by the text of a script, and what belongs to them that is not."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

TURN = re.compile(r"^(flip|fliplr|flipud|hflip|vflip|rot90|roll)$")
"""Functions and methods that put the places of a picture into another order."""
AXES = re.compile(r"^(?:\w+=)?[\[(]?-\d+(?:, ?-\d+)*,?[\])]?$")
"""Axes that are counted from the last one, which pictures and masks have alike."""


@dataclass(frozen=True)
class TurnedApart:
    """A line that turns one of two that belong together; `both` where the script turns the other.

    What is never turned may have no places, as the class of a picture.
    """

    line: int
    turned: str
    other: str
    both: bool


@dataclass
class _Turns:
    lines: list[int] = field(default_factory=list)
    ways: list[str] = field(default_factory=list)


def turned_apart(tree: ast.Module) -> list[TurnedApart]:
    """The first line of each function in which two are turned otherwise."""
    found = []
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        turns: dict[str, _Turns] = {}
        for name, value in _assigned(function):
            way = _turn(name, value)
            if way is not None:
                each = turns.setdefault(name, _Turns())
                each.lines.append(value.lineno)
                each.ways.append(way)
        for one, other in _pairs(function):
            for name, beside in ((one, other), (other, one)):
                if name in turns and _is_apart(turns[name], turns.get(beside, _Turns())):
                    line = _line(turns[name], turns.get(beside, _Turns()))
                    found.append(TurnedApart(line, name, beside, beside in turns))
                    break
    return found


def _is_apart(mine: _Turns, theirs: _Turns) -> bool:
    """Whether one is turned more often, or as often along other axes."""
    if len(mine.ways) != len(theirs.ways):
        return len(mine.ways) > len(theirs.ways)
    known = all(AXES.match(way) for way in (*mine.ways, *theirs.ways))
    return known and sorted(mine.ways) != sorted(theirs.ways)


def _line(mine: _Turns, theirs: _Turns) -> int:
    alone = [line for line in mine.lines if line not in theirs.lines]
    pairs = zip(mine.lines, mine.ways, theirs.ways, strict=False)
    return next(iter(alone), next((line for line, a, b in pairs if a != b), mine.lines[0]))


def _assigned(function: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    yield target.id, node.value
                elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    for each, value in zip(target.elts, node.value.elts, strict=False):
                        if isinstance(each, ast.Name):
                            yield each.id, value


def _turn(name: str, value: ast.expr) -> str | None:
    """By what a name is turned, where it is: the arguments of the call beside it."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return None
    if not TURN.match(value.func.attr):
        return None
    given = [ast.unparse(each) for each in (value.func.value, *value.args)]
    if name not in given:
        return None
    rest = (
        [*value.args, *value.keywords] if given[0] == name else [*value.args[1:], *value.keywords]
    )
    return ", ".join(map(ast.unparse, rest))


def _pairs(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """Two that a function is given together, takes apart, or returns."""
    groups = [[each.arg for each in function.args.args if each.arg not in ("self", "cls")]]
    for node in ast.walk(function):
        if isinstance(node, ast.Return | ast.Yield) and isinstance(node.value, ast.Tuple):
            firsts = [next(_names(each), "") for each in node.value.elts]
            groups.append(firsts)
        elif isinstance(node, ast.Assign | ast.For):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            groups += [[*_names(each)] for each in targets if isinstance(each, ast.Tuple)]
    seen = set()
    for group in groups:
        if len(group) == 2 and all(group) and frozenset(group) not in seen:
            seen.add(frozenset(group))
            yield group[0], group[1]


def _names(node: ast.expr) -> Iterator[str]:
    return (each.id for each in ast.walk(node) if isinstance(each, ast.Name) and each.id != "torch")
