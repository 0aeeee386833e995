"""Environments that give out their own state, and change it in place, by a script's text.

What is kept of one step is then the same array as that of the next: all that was kept shows the
newest state.
"""

import ast
from collections.abc import Iterator

from course_probe.reading.script_text import (
    Scope,
    calls_in,
    given_back,
    last_part,
    methods_of,
    names,
    own_nodes,
    parts,
    scopes,
    stored,
)

KEEPING = {"append", "push", "add", "store", "remember", "put"}
TAKING_STEPS = "step"


def given_out(tree: ast.Module) -> list[int]:
    """Find the lines that give out a state which the next step changes, where states are kept."""
    own = {e.name: e for e in parts(tree, ast.FunctionDef) if e.name in KEEPING}
    copying = {name for name, each in own.items() if not _keeps_as_given(each)}
    if not any(_keeps(each, KEEPING - copying) for each in scopes(tree)):
        return []
    found = set[int]()
    for kind in parts(tree, ast.ClassDef):
        methods = methods_of(kind)
        step = methods.get(TAKING_STEPS)
        if step is None:
            continue
        # Behind the state come what was earned, and more.
        ends = [each for value in given_back(step) for each in _parts_of(value)[:1]]
        # `return self.observe(), reward, done`
        asked = [
            methods[call.func.attr]
            for call in ends
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
            if _is_own(call.func) and call.func.attr in methods and not call.args
        ]
        ends += [each for one in asked for value in given_back(one) for each in _parts_of(value)]
        changed = {*_changed(step)} - {*_set(step)}
        found.update(e.lineno for e in ends if _is_own(e) and ast.unparse(e) in changed)
    return sorted(found)


def _keeps_as_given(function: ast.FunctionDef) -> bool:
    """Return whether a function of the script's puts what it is given into a list as it is."""
    state = next((e.arg for e in function.args.args if e.arg != "self"), "")
    return any(
        isinstance(one, ast.Name) and one.id == state
        for call in parts(function, ast.Call)
        if last_part(call.func) == "append"
        for arg in call.args
        for one in _parts_of(arg)
    )


def _keeps(scope: Scope, keeping: set[str]) -> bool:
    """Return whether something is kept as an environment gives it: nothing has copied it."""
    nodes = [*own_nodes(scope.body)]
    given, plain = set[str](), list[tuple[str, ast.expr]]()
    for each in (e for e in nodes if isinstance(e, ast.Assign)):
        if isinstance(each.value, ast.Call) and last_part(each.value.func) in (
            TAKING_STEPS,
            "reset",
        ):
            # Behind the state, a step gives what was earned, and whether this is the end.
            given |= {*stored(each)[:1]}
        else:
            plain += ((name, each.value) for name in stored(each))
    made_anew = {name for name, value in plain if not names(value) & given or calls_in(value)}
    return any(
        isinstance(one, ast.Name) and one.id in given - made_anew
        for call in nodes
        if isinstance(call, ast.Call) and last_part(call.func) in keeping
        for arg in call.args
        for one in _parts_of(arg)
    )


def _parts_of(value: ast.expr) -> list[ast.expr]:
    return value.elts if isinstance(value, ast.Tuple) else [value]


def _is_own(node: ast.expr) -> bool:
    """Return whether this is an attribute of the object itself."""
    return isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self"


def _changed(function: ast.FunctionDef) -> Iterator[str]:
    """Yield the attributes of which a function gives places another value."""
    for each in parts(function, ast.Subscript):
        if isinstance(each.ctx, ast.Store) and _is_own(each.value):
            yield ast.unparse(each.value)


def _set(function: ast.FunctionDef) -> Iterator[str]:
    """Yield the attributes that a function gives another value as a whole."""
    for each in parts(function, ast.Attribute):
        if isinstance(each.ctx, ast.Store):
            yield ast.unparse(each)
