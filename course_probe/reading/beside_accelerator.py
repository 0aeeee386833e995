"""Losses that a script sends backward itself, where its `Accelerator` is to gather them."""

import ast

from course_probe.reading.script_text import last_part

GATHERS = "gradient_accumulation_steps"


def backwards_beside(tree: ast.Module) -> list[int]:
    """The lines of each `backward()`, if an `Accelerator` is to gather, and is given no loss."""
    sent = [
        each
        for each in ast.walk(tree)
        if isinstance(each, ast.Call)
        and isinstance(each.func, ast.Attribute)
        and each.func.attr == "backward"
    ]
    if any(each.args for each in sent) or not any(map(_gathers, ast.walk(tree))):
        return []
    return sorted(each.lineno for each in sent)


def _gathers(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and last_part(node.func) == "Accelerator"
        and any(e.arg == GATHERS and ast.unparse(e.value) != "1" for e in node.keywords)
    )
