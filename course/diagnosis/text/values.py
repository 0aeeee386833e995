"""Where a script makes the names that stand in a line, and then the names that stand there.

A value that does not fit is often made far above the line that fails.
"""

import ast
from collections.abc import Iterator

from course.diagnosis.text.script_text import Function, ScriptText


def names(node: ast.AST) -> list[str]:
    """List the names, and own attributes, that code takes; of a loop or branch only its head."""
    heads: list[ast.AST] = [node]
    if isinstance(node, ast.For | ast.AsyncFor):
        heads = [node.iter]
    elif isinstance(node, ast.If | ast.While):
        heads = [node.test]
    elif isinstance(node, ast.With | ast.AsyncWith):
        heads = [item.context_expr for item in node.items]
    elif isinstance(node, Function | ast.ClassDef | ast.Try):
        heads = []
    found = (each for head in heads for each in ast.walk(head) if isinstance(each, ast.expr))
    return [
        ast.unparse(each)
        for each in found
        if (isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load))
        or (isinstance(each, ast.Attribute) and ast.unparse(each.value) == "self")
    ]


def follow(script: ScriptText, node: ast.AST, line: int) -> Iterator[int]:
    """Yield the lines that made the names of some code, and then the names that stand there."""
    known, at = names(node), 0
    while at < len(known):
        made = [each.value for each in script.made if each.name == known[at]]
        before = [value for value in made if value.lineno < line] or made
        if before and before[-1].lineno != line:
            yield before[-1].lineno
            known += [each for each in names(before[-1]) if each not in known]
        at += 1
