"""Where gradients are to be clipped, and an iterator of parameters is used up before.

What `filter`, `parameters()` or a generator gives can be gone through once: an optimizer does.
"""

import ast
from collections.abc import Iterator

from course_probe.reading.script_text import last_part

ONCE = {"filter", "map", "parameters", "chain"}
"""What gives an iterator: by these names, or as a generator."""
CLIPS = {"clip_grad_norm_", "clip_grad_value_"}
WHOLE = {"list", "tuple", "set", "sum", *CLIPS}
"""Calls that go through all that they are given."""


def clips_nothing(tree: ast.Module) -> list[tuple[int, str]]:
    """The lines that clip what an iterator has left, and its name."""
    stored = [each for each in ast.walk(tree) if isinstance(each, ast.Name | ast.arg)]
    names = [e.arg if isinstance(e, ast.arg) else e.id for e in stored if _is_stored(e)]
    made = set(_iterators(tree))
    calls = sorted(
        (each for each in ast.walk(tree) if isinstance(each, ast.Call) and each.args),
        key=lambda each: each.lineno,
    )
    found, used = [], set[str]()
    for call in calls:
        given, name = call.args[0], last_part(call.func)
        if not isinstance(given, ast.Name) or given.id not in made or names.count(given.id) > 1:
            continue
        if name in CLIPS and given.id in used:
            found.append((call.lineno, given.id))
        elif name in WHOLE or "optim" in ast.unparse(call.func):
            used.add(given.id)
    return found


def _is_stored(node: ast.Name | ast.arg) -> bool:
    return isinstance(node, ast.arg) or isinstance(node.ctx, ast.Store)


def _iterators(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.GeneratorExp()):
                yield name
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=called)):
                if last_part(called) in ONCE:
                    yield name
