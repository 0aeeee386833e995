"""Loops over the folds of a cross-validation, by a script's text."""

import ast
from collections.abc import Iterable

from course_probe.reading.names import Names
from course_probe.reading.script_text import (
    calls_in,
    last_part,
    method,
    parts,
)

SPLITTERS = {
    *("KFold", "StratifiedKFold", "GroupKFold", "RepeatedKFold", "RepeatedStratifiedKFold"),
    *("StratifiedGroupKFold", "LeaveOneOut", "LeavePOut", "LeaveOneGroupOut", "ShuffleSplit"),
    *("StratifiedShuffleSplit", "GroupShuffleSplit"),
}
"""Of scikit-learn; a training that goes on in time, as `TimeSeriesSplit` has it, may be one."""
BRINGING_BACK = {"load_state_dict", "deepcopy", "reset_parameters", "apply", "copy_", "load"}
"""Functions and methods that may give a model the weights of its beginning."""


def split_calls(tree: ast.Module) -> list[ast.Call]:
    """Find the calls that give the places of what is trained on, and of what is held out."""

    def is_splitter(node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and last_part(node.func) in SPLITTERS

    made = Names(parts(tree, ast.Assign)).that_hold(is_splitter)

    def is_split(call: ast.Call) -> bool:
        if method(call) != "split" or not isinstance(call.func, ast.Attribute):
            return False
        whose = call.func.value
        return is_splitter(whose) or last_part(whose) in made

    return [each for each in parts(tree, ast.Call) if is_split(each)]


def fold_loops(tree: ast.Module) -> list[int]:
    """Find the loops of which each turn has other rows to train on, and the rest held out."""
    splits = split_calls(tree)
    loops = parts(tree, ast.For)
    return sorted(e.lineno for e in loops if any(c in splits for c in parts(e.iter, ast.Call)))


def going_on(tree: ast.Module, sent: Iterable[int]) -> list[int]:
    """Find those of them that train in each turn, and bring back no weights.

    Losses are `sent` on some lines: in the loop, or in a function that it calls.
    """
    text = ast.unparse(tree)
    if "ShuffleSplit" in text or "n_splits=1" in text:
        # One split may be all there is.
        return []
    lines, losses = set(fold_loops(tree)), set(sent)
    training = {f.name for f in parts(tree, ast.FunctionDef) if losses & _lines(f)}

    def trains(loop: ast.For) -> bool:
        called = calls_in(loop)
        return bool(losses & _lines(loop) or called & training) and not called & BRINGING_BACK

    return sorted(
        loop.lineno
        for loop in parts(tree, ast.For)
        if loop.lineno in lines and trains(loop)
        # One turn of several may be chosen.
        if not any(isinstance(each, ast.Break | ast.Continue) for each in ast.walk(loop))
    )


def _lines(node: ast.For | ast.FunctionDef) -> set[int]:
    return {*range(node.lineno, (node.end_lineno or node.lineno) + 1)}
