"""Held-out rows that are scaled by figures of their own, by a script's text.

A scaler is fitted to the rows of the training, and changes all others by the same figures. If it is
fitted to the others anew, one number means one thing here and another thing there.
"""

import ast
from collections.abc import Iterator

from course_probe.reading.held_out_names import HELD_OUT
from course_probe.reading.script_text import last_part, names, own_nodes, parts

SPREADS = {"std", "max", "amax", "ptp"}
ROWS = {"0", "axis=0", "dim=0"}


def scaled_by_own(tree: ast.Module) -> list[int]:
    """Find the lines that scale held-out rows by their own mean and spread, where others are too.

    By `fit_transform` of one scaler, by a function of the script's, or by hand.
    """
    scalers: dict[str, list[tuple[str, int]]] = {}
    for call in parts(tree, ast.Call):
        match call:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=scaler), attr="fit_transform"),
                args=[given, *_],
            ):
                scalers.setdefault(scaler, []).append((ast.unparse(given), call.lineno))
    for function in parts(tree, ast.FunctionDef):
        first = function.args.args[0].arg if function.args.args else ""
        if first and _is_scaled(own_nodes(function.body), first):
            for call in parts(tree, ast.Call):
                if last_part(call.func) == function.name and call.args:
                    fit = (ast.unparse(call.args[0]), call.lineno)
                    scalers.setdefault(f"{function.name}()", []).append(fit)
    for each in parts(tree, ast.Assign):
        for name in names(each.value):
            if _is_scaled(ast.walk(each.value), name):
                scalers.setdefault("", []).append((name, each.lineno))
    return sorted({line for fits in scalers.values() for line in _held_out(fits)})


def _held_out(fits: list[tuple[str, int]]) -> Iterator[int]:
    of_others = [name for name, _line in fits if not HELD_OUT.search(name.lower())]
    for name, line in fits if of_others else ():
        if HELD_OUT.search(name.lower()):
            yield line


def _is_scaled(nodes: Iterator[ast.AST], name: str) -> bool:
    """Return whether rows of this name lose their own mean, and are divided by their own spread."""
    asked = {
        call.func.attr
        for call in nodes
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        if ast.unparse(call.func.value) == name
        if {ast.unparse(e) for e in (*call.args, *call.keywords)} & ROWS
    }
    return bool(asked & SPREADS) and bool(asked & {"mean", "min", "amin"})
