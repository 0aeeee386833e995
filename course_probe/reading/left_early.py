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


def left_behind(
    tree: ast.Module, parted: Iterable[int], whole: Iterable[int], losses: Iterable[int]
) -> list[int]:
    """The lines of `losses` that send what the last turn of a loop has made, behind that loop.

    Its passes are on lines of which some are `parted` from others by what is sent; those of a state
    that goes from turn to turn are sent as a `whole`.
    """
    some, every, sent = [*parted], [*whole], [*losses]
    found = set[int]()
    for block in _blocks(tree):
        made = set[str]()
        for each in block:
            lines = range(each.lineno, (each.end_lineno or each.lineno) + 1)
            names = [node for node in ast.walk(each) if isinstance(node, ast.Name)]
            made -= {node.id for node in names if isinstance(node.ctx, ast.Store)}
            if made.intersection(node.id for node in names):
                found.update(line for line in sent if line in lines)
            is_parted = any(line in lines for line in some)
            if isinstance(each, ast.For) and is_parted and not any(e in lines for e in every):
                made |= {name for own in each.body for name in _made_anew(own)}
    return sorted(found)


def _blocks(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                yield block


def _made_anew(statement: ast.stmt) -> Iterator[str]:
    """The name that a statement gives a value in which it is not read itself."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            if not any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(value)):
                yield name


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
