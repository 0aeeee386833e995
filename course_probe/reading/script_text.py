"""The text of what runs in this process: of the script, of a module beside it, of a cell."""

import ast
import linecache
import sys
from collections import Counter


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


def called_names(tree: ast.Module) -> Counter[str]:
    """How often a script's text calls something by a name, whatever stands before it."""
    return Counter(last_part(each.func) for each in ast.walk(tree) if isinstance(each, ast.Call))


def sets_rates(tree: ast.Module) -> bool:
    """Whether a script sets learning rates itself.

    As in `group["lr"] = 0.1`, `optimizer.learning_rate = 0.1`, `optimizer.learning_rate.assign(…)`,
    or in a callback of Keras that may do so.
    """
    return any(map(_sets_rate, ast.walk(tree)))


def _sets_rate(node: ast.AST) -> bool:
    match node:
        case ast.Subscript(slice=ast.Constant(value="lr"), ctx=ast.Store()):
            return True
        case ast.Attribute(attr="lr" | "learning_rate", ctx=ast.Store()):
            return True
        case ast.Attribute(value=ast.Attribute(attr="lr" | "learning_rate"), attr="assign"):
            return True
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name in ("LearningRateScheduler", "LambdaCallback")
        case ast.ClassDef(bases=bases):
            return any(last_part(base) == "Callback" for base in bases)
    return False


def last_part(node: ast.expr) -> str:
    """The last part of the name of what is called."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
