"""The text of what runs in this process: of the script, of a module beside it, of a cell."""

import ast
import linecache
import sys


def parsed(name: str | None = None) -> ast.Module | None:
    """The syntax tree of the script, or of the code of this name; None where it can't be read."""
    file = name or str(getattr(sys.modules["__main__"], "__file__", ""))
    text = "".join(linecache.getlines(file))
    try:
        return ast.parse(text) if text else None
    except (ValueError, SyntaxError, RecursionError):
        return None


def count_calls(tree: ast.Module, name: str) -> int:
    """How many places of a script call a method of this name."""
    calls = (each.func for each in ast.walk(tree) if isinstance(each, ast.Call))
    return sum(isinstance(called, ast.Attribute) and called.attr == name for called in calls)


def last_part(node: ast.expr) -> str:
    """The last part of the name of what is called."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
