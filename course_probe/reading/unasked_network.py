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


def asks_none(tree: ast.Module) -> list[int]:
    """The loops of functions that use a network for nothing, and call nothing that might.

    That no network is asked elsewhere has to be measured.
    """
    imported = {
        (each.asname or each.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for each in node.names
    }
    made = {
        node.id if isinstance(node, ast.Name) else node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    }
    return [
        loop.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and _is_unasked(node)
        if all(_is_known(each, node, imported, made) for each in ast.walk(node))
        for loop in ast.walk(node)
        if isinstance(loop, ast.For)
    ]


def _is_known(node: ast.AST, function: ast.FunctionDef, imported: set[str], made: set[str]) -> bool:
    """Whether it calls nothing that the script has made, but methods of what a batch gives."""
    if not isinstance(node, ast.Call):
        return True
    given = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
    if isinstance(node.func, ast.Name):
        return node.func.id not in (made | given) - imported
    if not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr in MODES:
        return True
    local = {
        each.id
        for each in ast.walk(function)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    root: ast.expr = node.func
    while isinstance(root, ast.Attribute | ast.Subscript | ast.Call | ast.BinOp | ast.Compare):
        match root:
            case ast.Attribute() | ast.Subscript():
                root = root.value
            case ast.Call():
                root = root.func
            case ast.BinOp() | ast.Compare():
                root = root.left
    return isinstance(root, ast.Name) and root.id in imported | (local - given)


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
