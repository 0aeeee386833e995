"""Items of a dataset that differ at each visit, by the text of a script.

A row that `__getitem__` changes by chance is augmented: meant for a training, not for an
evaluation.
"""

import ast
import re
from collections.abc import Iterator

from course_probe.reading.script_text import (
    last_part,
    own_nodes,
    parts,
)

RANDOM = re.compile(r"^(?:rand\w*|bernoulli|normal|uniform|gauss|choice)_?$")
"""Calls that draw a number by chance, by the last part of their name."""
ON_PURPOSE = re.compile(
    r"(?i)robust|corrupt|denois|attack|\btta\b|test_time|contrast|simclr|snr|awgn"
)
"""What marks a chance that an evaluation is meant to have."""


def augmented_items(tree: ast.Module) -> list[int]:
    """Find the lines of `__getitem__` that change an input by chance, and not its label."""
    if ON_PURPOSE.search(ast.unparse(tree)):
        return []
    drawing = {each.name for each in parts(tree, ast.FunctionDef) if _draws(each)}
    drawing |= {each.name for each in parts(tree, ast.ClassDef) if _draws(each)}
    found = {each: _Item(each, drawing).augmented() for each in _getters(tree)}
    made = parts(tree, ast.Call)
    for each in parts(tree, ast.ClassDef):
        getter = next((one for one in each.body if one in found), None)
        calls = [call for call in made if last_part(call.func) == each.name]
        # What is made without chance as well has a part of its own for the evaluation.
        if getter is not None and ((not found[getter] and calls) or _flags_differ(calls)):
            return []
    return [line for line in found.values() if line]


def _flags_differ(calls: list[ast.Call]) -> bool:
    """Return whether a class is made with a flag that is on, and with one that is off, or none."""
    flags = [
        tuple(
            repr(each.value)
            for each in (*call.args, *(k.value for k in call.keywords))
            if isinstance(each, ast.Constant) and isinstance(each.value, bool | None)
        )
        for call in calls
    ]
    return len(set(flags)) > 1


def getters(tree: ast.Module) -> dict[str, int]:
    """Return the lines on which classes say how a row is read, by the class."""
    return {
        each.name: one.lineno
        for each in parts(tree, ast.ClassDef)
        for one in each.body
        if isinstance(one, ast.FunctionDef) and one.name == "__getitem__"
    }


def _getters(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for each in parts(tree, ast.ClassDef):
        for one in each.body:
            if isinstance(one, ast.FunctionDef) and one.name == "__getitem__":
                yield one


def _draws(node: ast.AST) -> bool:
    """Return whether something draws a number by chance."""
    return any(RANDOM.match(last_part(each.func)) for each in parts(node, ast.Call))


class _Item:
    """What `__getitem__` makes each name of: places of what is stored, and chance."""

    def __init__(self, getter: ast.FunctionDef, drawing: set[str]) -> None:
        self._getter = getter
        self._drawing = drawing
        self._sources: dict[str, set[str]] = {}
        self._chance: dict[str, int] = {}

    def augmented(self) -> int:
        """Return the line that changes an input by chance; 0 where none does, or labels too."""
        self._run(self._getter.body, 0)
        returned = [each.value for each in own_nodes(self._getter.body) if type(each) is ast.Return]
        if len(returned) != 1:
            return 0
        match returned[0]:
            case ast.Tuple(elts=values) if len(values) > 1:
                *inputs, label = values
            case ast.Dict(values=values, keys=keys) if len(values) > 1:
                named = [isinstance(k, ast.Constant) and "label" in str(k.value) for k in keys]
                if sum(named) != 1:
                    return 0
                label = values[named.index(True)]
                inputs = [value for value in values if value is not label]
            case _:
                return 0
        made = set[str]().union(*(self._made_of(each) for each in inputs))
        of_label = self._made_of(label)
        if self._drawn(label) or not made or not of_label or made & of_label:
            return 0
        return max(map(self._drawn, inputs))

    def _run(self, body: list[ast.stmt], by_chance: int) -> None:
        for each in body:
            if isinstance(each, ast.If):
                chance = self._drawn(each.test) or by_chance
                self._run(each.body, chance)
                self._run(each.orelse, chance)
            elif isinstance(each, ast.Assign):
                self._set(each.targets[0], each.value, by_chance and each.lineno)
            elif isinstance(each, ast.AugAssign) and isinstance(each.target, ast.Name):
                value = ast.BinOp(ast.Name(each.target.id), each.op, each.value)
                self._set(each.target, value, by_chance and each.lineno)
            elif isinstance(each, ast.For | ast.With | ast.While):
                self._run(each.body, by_chance)

    def _set(self, target: ast.expr, value: ast.expr, line: int) -> None:
        made, chance = self._made_of(value), line or self._drawn(value)
        match target:
            case ast.Name(id=name):
                # Of what is set by chance only, the rest is what it was.
                kept = self._sources.get(name, set()) if line else set()
                self._sources[name] = made | kept
                self._chance[name] = chance
            case ast.Tuple(elts=elts):
                for place, each in enumerate(elts):
                    if isinstance(each, ast.Name):
                        self._sources[each.id] = {f"{one}[{place}]" for one in made}
                        self._chance[each.id] = chance

    def _made_of(self, value: ast.expr) -> set[str]:
        """Return what is stored that a value is made of: `self.rows['text']`."""
        match value:
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id="self"), attr=attr)):
                return {attr}
            case ast.Subscript(value=inner, slice=ast.Constant(value=key)):
                return {f"{one}[{key!r}]" for one in self._made_of(inner)}
            case ast.Name(id=name):
                return self._sources.get(name, set())
        found = (each for each in ast.iter_child_nodes(value) if isinstance(each, ast.expr))
        return set[str]().union(*map(self._made_of, found))

    def _drawn(self, value: ast.AST) -> int:
        """Return the line at which chance comes into a value; which part is taken is none."""
        match value:
            # Which part of a row is taken is how long rows are read.
            case ast.Subscript(value=inner):
                return self._drawn(inner)
            case ast.Name(id=name):
                return self._chance.get(name, 0)
            case ast.Call(func=func) if RANDOM.match(last_part(func)):
                return value.lineno
            case ast.Call(func=func) if last_part(func) in self._drawing:
                return value.lineno
        return next((one for e in ast.iter_child_nodes(value) if (one := self._drawn(e))), 0)
