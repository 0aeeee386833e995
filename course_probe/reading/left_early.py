"""Loops over batches that are left with the first batch.

That a `return` stands one level too deep is only certain where it is reached in every case, and
where what it ends was to go on: sums and lists are made in it. A `break` asks for the first turn.
"""

import ast
from collections.abc import Iterable, Iterator

from course_probe.reading.script_text import last_part

GATHERING = {"append", "extend"}
"""Methods of a list that is to hold what each batch gives."""


def left_early(tree: ast.Module, lines: Iterable[int]) -> list[int]:
    """The lines of the `return` that ends such a loop, of those that began on some `lines`."""
    return sorted(
        loop.body[-1].lineno
        for loop in _loops(tree, lines)
        if isinstance(loop.body[-1], ast.Return)
        and any(_gathers(each) for each in loop.body[:-1])
        and not any(isinstance(each, ast.Continue) for each in ast.walk(loop))
    )


def left_at_once(tree: ast.Module, lines: Iterable[int]) -> list[int]:
    """The lines of a `break` that is for the first turn of a loop that began on some `lines`."""
    return sorted(
        each.body[-1].lineno
        for loop in _loops(tree, lines)
        for each in loop.body
        if isinstance(each, ast.If) and isinstance(each.body[-1], ast.Break)
        if _is_first(each.test, loop)
    )


def _loops(tree: ast.Module, lines: Iterable[int]) -> Iterator[ast.For]:
    wanted = set(lines)
    for node in ast.walk(tree):
        if isinstance(node, ast.For):
            first = range(node.lineno, (node.iter.end_lineno or node.lineno) + 1)
            if not wanted.isdisjoint(first):
                yield node


def _is_first(test: ast.expr, loop: ast.For) -> bool:
    """Whether a condition is that a loop is in its first turn, counted from 0."""
    match loop.target, loop.iter:
        case ast.Name(id=name), ast.Call(args=[_] | [ast.Constant(value=0), *_]) as call:
            counts = "range"
        case ast.Tuple(elts=[ast.Name(id=name), *_]), ast.Call(args=[_]) as call:
            counts = "enumerate"
        case _:
            return False
    match test:
        case ast.Compare(
            left=ast.Name(id=asked),
            ops=[ast.Eq() | ast.GtE()],
            comparators=[ast.Constant(value=0)],
        ):
            return asked == name and last_part(call.func) == counts
    return False


def _gathers(statement: ast.stmt) -> bool:
    """Whether a statement adds to what is to be known of all batches."""
    return any(
        isinstance(each, ast.AugAssign)
        or (
            isinstance(each, ast.Call)
            and isinstance(each.func, ast.Attribute)
            and each.func.attr in GATHERING
        )
        for each in ast.walk(statement)
    )
