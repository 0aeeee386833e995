"""Schedules that cut a rate once a figure stops to fall, and are given one that is to rise.

`ReduceLROnPlateau` takes lower figures for better ones unless it is told `mode="max"`. What a
figure is, its computation says: a count of equal answers, or a loss.
"""

import ast

from course_probe.reading.figures import WORSE, FigureKinds
from course_probe.reading.flow import TextValue
from course_probe.reading.script_text import bound, last_part, named, own_nodes, parts, scopes


def upside_down(tree: ast.Module) -> list[int]:
    """Find the calls of such schedules with a figure of which the other end is better."""
    modes: dict[str, set[str]] = {}
    for each in parts(tree, ast.Assign):
        for target, value in bound(each):
            if isinstance(value, ast.Call) and last_part(value.func) == "ReduceLROnPlateau":
                modes.setdefault(ast.unparse(target), set()).add(_mode(value))
    found = []
    figures = FigureKinds(tree)
    for scope in scopes(tree) if modes else ():
        for node in own_nodes(scope.body):
            match node:
                case ast.Call(func=ast.Attribute(value=owner, attr="step"), args=[figure, *_]):
                    worse = [WORSE.get(each, set()) for each in modes.get(ast.unparse(owner), ())]
                    is_one = len(worse) == 1
                    kinds = set(figures.kinds(TextValue(figure, scope))) if is_one else set()
                    if kinds and kinds <= worse[0]:
                        found.append(node.lineno)
    return sorted(found)


def _mode(call: ast.Call) -> str:
    given = named(call).get("mode", call.args[1] if len(call.args) > 1 else ast.Constant("min"))
    return str(given.value) if isinstance(given, ast.Constant) else ""
