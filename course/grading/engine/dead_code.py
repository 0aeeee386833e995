"""Code that never runs, as far as its text tells: what stands there mends nothing."""

import ast
from collections.abc import Iterable
from typing import TypeGuard

LEAVING = {"exit", "quit", "sys.exit", "os._exit", "os.abort"}
"""Calls that nothing comes back from."""
BLOCKS = ("body", "orelse", "finalbody")


def without(tree: ast.Module) -> ast.Module:
    """Take out of a script what is never reached, and the functions nobody names."""
    tree.body = _living(tree.body)
    while True:
        named = {name for each in ast.walk(tree) if (name := _named(each)) is not None}
        kept = [each for each in tree.body if not _is_definition(each) or each.name in named]
        if len(kept) == len(tree.body):
            return tree
        tree.body = kept


def _living(block: Iterable[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of a block that may be reached."""
    found: list[ast.stmt] = []
    for statement in block:
        taken = _taken(statement)
        for each in taken:
            _clear(each)
        found += taken
        if any(map(_leaves, taken)):
            break
    return found


def _taken(statement: ast.stmt) -> list[ast.stmt]:
    """Return a statement, or the statements run of one whose condition is a constant."""
    if isinstance(statement, ast.If | ast.While) and isinstance(statement.test, ast.Constant):
        if not statement.test.value:
            return _living(statement.orelse)
        if isinstance(statement, ast.If):
            return _living(statement.body)
    return [statement]


def _clear(statement: ast.stmt) -> None:
    """Take what is never reached out of the blocks within a statement."""
    for name in BLOCKS:
        block: list[ast.stmt] = getattr(statement, name, [])
        if block:
            setattr(statement, name, _living(block) or [ast.Pass()])
    for handler in getattr(statement, "handlers", []):
        handler.body = _living(handler.body) or [ast.Pass()]


def _leaves(statement: ast.stmt) -> bool:
    """Whether nothing behind a statement in its block is reached."""
    if isinstance(statement, ast.Return | ast.Raise | ast.Break | ast.Continue):
        return True
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return ast.unparse(statement.value.func) in LEAVING
    if isinstance(statement, ast.While) and isinstance(statement.test, ast.Constant):
        within = (each for part in statement.body for each in ast.walk(part))
        return not any(isinstance(each, ast.Break) for each in within)
    return False


def _named(node: ast.AST) -> str | None:
    """Return the name that a node reads, however it does: also in a text, as `getattr` would."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return None


def _is_definition(
    statement: ast.stmt,
) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Whether a statement only makes something for later, with nothing that calls it at once."""
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return isinstance(statement, definitions) and not statement.decorator_list
