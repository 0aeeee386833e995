"""What the text of a script does with the column of numbers that `predict` has given it.

A table of n rows and one column beside n numbers makes n × n, each with each. What stands beside it
is told by name, and looked up while the script runs.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from course_probe.reading.script_text import in_order, last_part, method, named, names, parts

KEEPING = {
    "round",
    "rint",
    "sign",
    "exp",
    "expm1",
    "abs",
    "sqrt",
    "astype",
    "copy",
    "clip",
}
"""Calls that give each number another in its place."""
EXTREMES = {"argmax", "argmin"}


class Column(NamedTuple):
    """What a call of `predict` gave, from its `first` line to its `last`, or what was made of it.

    `single` are names that it was reckoned with: it is still a column if they are numbers.
    """

    first: int
    last: int
    single: frozenset[str] = frozenset()


class ColumnBeside(NamedTuple):
    """A column of predictions beside something `other`, by line."""

    line: int
    column: Column
    other: ast.expr


@dataclass
class Predictions:
    """What one function, or the script outside of any, does with them.

    `extremes` are those columns of which the highest or lowest number of a row is looked for.
    """

    pairings: list[ColumnBeside] = field(default_factory=list)
    extremes: list[Column] = field(default_factory=list)


def predictions(tree: ast.Module) -> dict[str, Predictions]:
    """Return the predictions of each function by name, and of the script by `<module>`.

    Where two functions have one name, nothing is known of either.
    """
    found = {"<module>": _Statements().follow(tree.body)}
    doubtful = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            doubtful |= {node.name} & found.keys()
            found[node.name] = _Statements().follow(node.body)
    return {name: each for name, each in found.items() if name not in doubtful}


class _Statements:
    """The statements of one function, one after the other."""

    def __init__(self) -> None:
        self._columns: dict[str, Column] = {}
        self._found = Predictions()

    def follow(self, body: list[ast.stmt]) -> Predictions:
        for each in in_order(body):
            for node in self._expressions(each):
                self._look(node)
            if isinstance(each, ast.Assign):
                column = self._column(each.value)
                for target in each.targets:
                    self._bind(target, column)
            elif isinstance(each, ast.AnnAssign | ast.AugAssign | ast.For):
                self._bind(each.target, None)
            elif isinstance(each, ast.With):
                for item in each.items:
                    if item.optional_vars is not None:
                        self._bind(item.optional_vars, None)
        return self._found

    @staticmethod
    def _expressions(each: ast.stmt) -> Iterator[ast.expr]:
        for child in ast.iter_child_nodes(each):
            if isinstance(child, ast.expr):
                yield from (node for node in ast.walk(child) if isinstance(node, ast.expr))

    def _bind(self, target: ast.expr, column: Column | None) -> None:
        if isinstance(target, ast.Name) and column is not None:
            self._columns[target.id] = column
            return
        # What is unpacked, or changed in a part of it, is no longer known.
        for name in names(target):
            self._columns.pop(name, None)

    def _look(self, node: ast.expr) -> None:
        if isinstance(node, ast.BinOp):
            self._pair(node.left, node.right)
        elif isinstance(node, ast.Compare) and len(node.comparators) == 1:
            self._pair(node.left, node.comparators[0])
        elif isinstance(node, ast.Call) and last_part(node.func) in EXTREMES:
            self._look_for_extreme(node)

    def _look_for_extreme(self, call: ast.Call) -> None:
        """Note where a column's highest is looked for: by its method, or by a function of it."""
        given = [axis] if (axis := named(call).get("axis")) is not None else []
        of = self._column(call.func.value) if isinstance(call.func, ast.Attribute) else None
        if of is not None:
            given += call.args
        elif call.args:
            of = self._column(call.args[0])
            given += call.args[1:]
        if of is not None and [_number(each) for each in given] in ([1], [-1]):
            self._found.extremes.append(of)

    def _pair(self, left: ast.expr, right: ast.expr) -> None:
        for one, other in ((left, right), (right, left)):
            column = self._column(one)
            if column is None or self._is_of_predictions(other):
                continue
            root = other.value if isinstance(other, ast.Subscript) else other
            if isinstance(root, ast.Name):
                self._found.pairings.append(ColumnBeside(other.lineno, column, other))

    def _is_of_predictions(self, node: ast.expr) -> bool:
        return bool(names(node) & self._columns.keys()) or any(
            map(_is_predict, parts(node, ast.Call))
        )

    def _column(self, node: ast.expr) -> Column | None:
        """Return the predictions that something is a column of; None for anything else."""
        match node:
            case ast.Name():
                return self._columns.get(node.id)
            case ast.Call() if _is_predict(node):
                return Column(node.lineno, node.end_lineno or node.lineno)
            case ast.Call() if last_part(node.func) in KEEPING:
                inner = node.func.value if isinstance(node.func, ast.Attribute) else None
                found = self._column(inner) if inner is not None else None
                return self._column(node.args[0]) if found is None and node.args else found
            case ast.UnaryOp():
                return self._column(node.operand)
            case ast.BinOp():
                return self._reckoned(node.left, node.right)
            case ast.Compare() if len(node.comparators) == 1:
                return self._reckoned(node.left, node.comparators[0])
        return None

    def _reckoned(self, left: ast.expr, right: ast.expr) -> Column | None:
        for one, other in ((left, right), (right, left)):
            column = self._column(one)
            if column is None:
                continue
            if _number(other) is not None:
                return column
            if isinstance(other, ast.Name) and other.id not in self._columns:
                return column._replace(single=column.single | {other.id})
        return None


def _is_predict(call: ast.Call) -> bool:
    return method(call) == "predict"


def _number(node: ast.expr) -> float | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return -inner if inner is not None else None
    value = node.value if isinstance(node, ast.Constant) else None
    return float(value) if isinstance(value, int | float) else None
