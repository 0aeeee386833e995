"""Where a script makes what stands in a line: by the names in it.

A value that does not fit is often made far above the line that fails. Nothing is run, and no call
is followed into a function: names are looked for in the text.
"""

import ast
from collections.abc import Iterator

from course.diagnosis.text.script_text import Function, ScriptText


def names(node: ast.AST) -> list[str]:
    """List the names, and own attributes, that code takes; of a loop or branch only its head."""
    found = (each for head in _heads(node) for each in ast.walk(head) if isinstance(each, ast.expr))
    return [
        ast.unparse(each)
        for each in found
        if (isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load))
        or (isinstance(each, ast.Attribute) and ast.unparse(each.value) == "self")
    ]


def follow(script: ScriptText, node: ast.AST, line: int) -> Iterator[int]:
    """Yield the lines that give the names in some code their values, the likeliest first.

    What is called comes behind what it is given.
    """
    wanted = names(node)
    calls = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
    called = {name for call in calls for name in names(call.func)}
    ranks = {
        made.value.lineno: (
            made.value.lineno > line,
            made.name in called,
            abs(made.value.lineno - line),
        )
        for made in script.made
        if made.name in wanted and made.value.lineno != line
    }
    yield from sorted(ranks, key=ranks.__getitem__)


def _heads(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, ast.For | ast.AsyncFor):
        return [node.iter]
    if isinstance(node, ast.If | ast.While):
        return [node.test]
    if isinstance(node, ast.With | ast.AsyncWith):
        return [item.context_expr for item in node.items]
    return [] if isinstance(node, Function | ast.ClassDef | ast.Try) else [node]
