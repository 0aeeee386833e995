"""Evaluations in which a network is told the right values of the places before, by a script's text.

`model(source, target)` of a network that takes a share of teacher forcing: while it is trained it
may be told. Who evaluates it gives a share of 0, since in use nothing is known ahead.
"""

import ast
import re
from collections.abc import Iterator

from course_probe.reading.flow import Flow, TextValue
from course_probe.reading.script_text import (
    Scope,
    calls_in,
    last_part,
    methods_of,
    named,
    own_nodes,
    parts,
    scopes,
)

FORCED = re.compile(r"(?i)teacher|forcing|^tf_?(?:ratio|rate|prob|p)?$")
"""What marks the name of how often a network is told."""
WITHOUT = {"no_grad", "inference_mode"}
ANSWERS = {"argmax", "topk", "max", "eq", "abs", "mse_loss", "l1_loss", "square", "pow"}
"""What is done with answers that are measured, and not only with their loss."""


def forced_evaluations(tree: ast.Module) -> list[int]:
    """Find the calls of an evaluation that tell a network what it is to find itself."""
    takers = dict(_takers(tree))
    flow, found = Flow(tree), set[int]()
    for scope in scopes(tree) if takers else ():
        if not _is_evaluation(scope):
            continue
        measured = {
            e.func.attr for e in parts(scope, ast.Call) if isinstance(e.func, ast.Attribute)
        }
        # What is given no target is told nothing.
        calls = (e for e in own_nodes(scope.body) if isinstance(e, ast.Call))
        for call in (e for e in calls if len(e.args) + len(e.keywords) > 1):
            taken = _taker(TextValue(call, scope), flow, takers)
            share = _share(call, taken) if taken is not None else 0.0
            # Told everything, a network is asked for the loss of each place, as in its training.
            if 0 < share < 1 or (share == 1 and measured & ANSWERS):
                found.add(call.lineno)
    return sorted(found)


def _takers(tree: ast.Module) -> Iterator[tuple[str, ast.arguments]]:
    """Yield the networks that take such a share by a name; none where any asks for its own mode."""
    if re.search(r"self\.training|is_grad_enabled", ast.unparse(tree)):
        return
    for kind in parts(tree, ast.ClassDef):
        forward = methods_of(kind).get("forward")
        if forward is not None and any(FORCED.search(each.arg) for each in forward.args.args):
            yield kind.name, forward.args


def _is_evaluation(scope: Scope) -> bool:
    is_asked = isinstance(scope, ast.FunctionDef) and any(
        last_part(e.func if isinstance(e, ast.Call) else e) in WITHOUT for e in scope.decorator_list
    )
    called = calls_in(scope)
    return (is_asked or bool(called & WITHOUT)) and "backward" not in called


def _taker(call: TextValue, flow: Flow, takers: dict[str, ast.arguments]) -> ast.arguments | None:
    """Return what the network that is called takes, if it is one of these."""
    assert isinstance(call.node, ast.Call)
    made = [each.node for each in flow.origins(call.of(call.node.func))]
    kinds = {last_part(each.func) for each in made if isinstance(each, ast.Call)}
    return takers.get(kinds.pop()) if len(kinds) == 1 else None


def _share(call: ast.Call, taken: ast.arguments) -> float:
    """Return how often a call has the network told; 0 where that is not written out."""
    names = [each.arg for each in taken.args][1:]
    place = next(n for n, name in enumerate(names) if FORCED.search(name))
    defaults = dict(zip(names[len(names) - len(taken.defaults) :], taken.defaults, strict=True))
    given = named(call).get(names[place], call.args[place] if call.args[place:] else None)
    if any(isinstance(each, ast.Starred) for each in call.args) or None in named(call):
        return 0.0
    value = given if given is not None else defaults.get(names[place])
    told = value.value if isinstance(value, ast.Constant) else None
    return float(told) if isinstance(told, int | float) else 0.0
