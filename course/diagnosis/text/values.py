"""Where a script makes what stands in a line: by the names in it, and in what these were given.

A value that does not fit is often made far above the line that fails. Nothing is run, and no call
is followed into a function: names are looked for in the text, three times over.
"""

import ast
from collections.abc import Iterator, Sequence

from course.diagnosis.text.script_text import Function, ScriptText
from course_probe.reading.script_text import last_part

DEEPEST = 3
"""Names in the line, names in what these were given, and once more."""

HAND_ON = frozenset(
    {"DataLoader", "Subset", "enumerate", "iter", "tqdm", "zip", "to", "cuda", "shuffle", "map"}
)
"""Calls that change no value."""


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

    What is called comes behind what it is given, and what only hands a value on behind all else.
    """
    given = list(_given(script))
    codes: Sequence[ast.AST] = [node]
    seen, handed_on = {line}, list[int]()
    for _deep in range(DEEPEST):
        wanted = {name for code in codes for name in names(code)}
        calls = [n for code in codes for n in ast.walk(code) if isinstance(n, ast.Call)]
        called = {name for call in calls for name in names(call.func)}
        ranks = {
            value: (value.lineno > line, name in called, abs(line - value.lineno))
            for name, value in given
            if name in wanted and value.lineno not in seen
        }
        codes = found = sorted(ranks, key=ranks.__getitem__)
        yield from dict.fromkeys(value.lineno for value in found if not _hands_on(value))
        handed_on += [value.lineno for value in found if _hands_on(value)]
        seen.update(value.lineno for value in found)
    yield from handed_on


def _hands_on(value: ast.expr) -> bool:
    """Whether a value was made elsewhere, and is only passed on, or put into batches."""
    if isinstance(value, ast.Call):
        return last_part(value.func) in HAND_ON
    return isinstance(value, ast.Name | ast.Attribute | ast.Subscript | ast.Tuple)


def _given(script: ScriptText) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that are given a value, or one of its places: by assignments and loops."""
    yield from ((made.name, made.value) for made in script.made)
    for node in ast.walk(script.tree):
        if isinstance(node, ast.Assign):
            places = (each for each in node.targets if isinstance(each, ast.Subscript))
            yield from ((ast.unparse(each.value), node.value) for each in places)
        if isinstance(node, ast.For | ast.comprehension):
            targets = (each for each in ast.walk(node.target) if isinstance(each, ast.Name))
            yield from ((each.id, node.iter) for each in targets)


def _heads(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, ast.For | ast.AsyncFor):
        return [node.iter]
    if isinstance(node, ast.If | ast.While):
        return [node.test]
    if isinstance(node, ast.With | ast.AsyncWith):
        return [item.context_expr for item in node.items]
    return [] if isinstance(node, Function | ast.ClassDef | ast.Try) else [node]
