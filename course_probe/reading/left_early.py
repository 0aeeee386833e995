"""Loops over batches that add something up, and are left with the first batch all the same.

That a `return` stands one level too deep is only certain where it is reached in every case, and
where what it ends was to go on: sums and lists are made in it.
"""

import ast
from collections.abc import Iterable

GATHERING = {"append", "extend"}
"""Methods of a list that is to hold what each batch gives."""


def left_early(tree: ast.Module, lines: Iterable[int]) -> list[int]:
    """The lines of the `return` that ends such a loop, of those that began on some `lines`."""
    wanted = set(lines)
    return sorted(
        node.body[-1].lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.For)
        and not wanted.isdisjoint(range(node.lineno, (node.iter.end_lineno or node.lineno) + 1))
        and isinstance(node.body[-1], ast.Return)
        and any(_gathers(each) for each in node.body[:-1])
    )


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
