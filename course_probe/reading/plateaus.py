"""Schedules that cut a rate once a figure stops to fall, and are given one that is to rise.

`ReduceLROnPlateau` takes lower figures for better ones unless it is told `mode="max"`. What a
figure is, its computation says: a count of equal answers, or a loss.
"""

import ast
from collections.abc import Iterator

from course_probe.reading.figures import WORSE, FigureKinds
from course_probe.reading.flow import Flow, TextValue
from course_probe.reading.script_text import last_part, own_nodes, parts, scopes

KIND = "ReduceLROnPlateau"


def upside_down(tree: ast.Module) -> list[int]:
    """Find the calls of such schedules with a figure of which the other end is better."""
    if not any(last_part(call.func) == KIND for call in parts(tree, ast.Call)):
        return []
    found, flow, figures = [], Flow(tree), FigureKinds(tree)
    for scope in scopes(tree):
        for node in own_nodes(scope.body):
            match node:
                case ast.Call(func=ast.Attribute(value=owner, attr="step"), args=[figure, *_]):
                    made = [*flow.origins(TextValue(owner, scope))]
                    modes = {mode for each in made for mode in _modes(each, flow)}
                    worse = WORSE.get(modes.pop(), set()) if len(modes) == 1 else set()
                    kinds = set(figures.kinds(TextValue(figure, scope))) if worse else set()
                    if kinds and kinds <= worse:
                        found.append(node.lineno)
    return sorted(found)


def _modes(schedule: TextValue, flow: Flow) -> Iterator[str]:
    """Yield the modes that a schedule may be made with; none of other objects."""
    call = schedule.node
    if not isinstance(call, ast.Call) or last_part(call.func) != KIND:
        return
    told = [each.value for each in call.keywords if each.arg == "mode"] or call.args[1:2]
    for each in call.keywords if not told else ():
        if each.arg is None:
            # What settings hold, as `**config["schedule"]`.
            told.append(ast.Subscript(each.value, ast.Constant("mode"), ast.Load()))
    if not told:
        yield "min"
    for one in told:
        for origin in flow.origins(schedule.of(one)):
            yield str(origin.node.value) if isinstance(origin.node, ast.Constant) else ""
