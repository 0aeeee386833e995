"""Where a script makes what its names stand for."""

import ast
from collections.abc import Iterator

from course.diagnosis.text.script_text import ScriptText


def find_makers(script: ScriptText) -> Iterator[tuple[str, ast.expr]]:
    """What each name, and each attribute, is given anywhere, in the order of the text."""
    found = []
    for node in ast.walk(script.tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                found += list(_pairs(target, node.value))
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            found += list(_pairs(node.target, node.value))
    return iter(sorted(found, key=lambda pair: pair[1].lineno))


def find_sources(script: ScriptText, name: str) -> list[str]:
    """The names that a loop takes a name from: what it is lies in these, not in the loop."""
    found = []
    for node in ast.walk(script.tree):
        if not isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            continue
        if any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(node.target)):
            found += find_names(node.iter)
    return found


def follow(script: ScriptText, names: list[str], line: int) -> Iterator[int]:
    """The lines in which the names of a line were made, and then the names that stand there."""
    seen: set[str] = set()
    while names:
        further: list[str] = []
        for name in names:
            if name in seen:
                continue
            seen.add(name)
            further += find_sources(script, name)
            made = [value for known, value in find_makers(script) if known == name]
            before = [value for value in made if value.lineno < line] or made
            if before and before[-1].lineno != line:
                yield before[-1].lineno
                further += find_names(before[-1])
        names = further


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Attribute):
        yield target.attr, value
    elif isinstance(target, ast.Tuple | ast.List):
        values = value.elts if isinstance(value, ast.Tuple | ast.List) else ()
        is_even = len(values) == len(target.elts)
        for number, each in enumerate(target.elts):
            yield from _pairs(each, values[number] if is_even else value)


def find_names(node: ast.AST) -> list[str]:
    """The names that a statement or an expression takes; of a loop or a branch only its head's."""
    heads: list[ast.AST] = [node]
    if isinstance(node, ast.For | ast.AsyncFor):
        heads = [node.iter]
    elif isinstance(node, ast.If | ast.While):
        heads = [node.test]
    elif isinstance(node, ast.With | ast.AsyncWith):
        heads = [item.context_expr for item in node.items]
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Try):
        heads = []
    found = []
    for head in heads:
        for each in ast.walk(head):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
                found.append(each.id)
            elif isinstance(each, ast.Attribute) and ast.unparse(each.value) == "self":
                found.append(each.attr)
    return found
