"""Loops that evaluate, by the text of a script, in which the network is never asked."""

import ast
from collections.abc import Iterable

MODES = {"eval", "train"}


def unasked(tree: ast.Module, lines: Iterable[int]) -> list[int]:
    """Of the loops that begin on some `lines` those in a function that uses a network for nothing.

    The function has the network change to evaluation mode, and does nothing else with it.
    """
    wanted = sorted(set(lines))
    found: list[int] = []
    for node in ast.walk(tree) if wanted else ():
        if not isinstance(node, ast.FunctionDef):
            continue
        inside = [each for each in wanted if node.lineno <= each <= (node.end_lineno or 0)]
        if inside and _is_unasked(node):
            found += inside
    return sorted(found)


def _is_unasked(function: ast.FunctionDef) -> bool:
    """Whether there is a network that has its mode set, and all else is a matter of the loop."""
    switched = [
        ast.unparse(node.func.value)
        for node in ast.walk(function)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in MODES
    ]
    is_evaluated = any(
        isinstance(node, ast.Attribute) and node.attr == "eval" for node in ast.walk(function)
    )
    is_returned = any(isinstance(n, ast.Return) and n.value for n in ast.walk(function))
    uses = [
        ast.unparse(node)
        for node in ast.walk(function)
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
    ]
    return (
        is_evaluated
        and is_returned
        and all(uses.count(name) == switched.count(name) for name in switched)
    )
