"""Loops over the folds of a cross-validation, by a script's text."""

import ast

from course_probe.reading.script_text import last_part, method, parts

SPLITTERS = {
    *("KFold", "StratifiedKFold", "GroupKFold", "RepeatedKFold", "RepeatedStratifiedKFold"),
    *("StratifiedGroupKFold", "LeaveOneOut", "LeavePOut", "LeaveOneGroupOut", "ShuffleSplit"),
    *("StratifiedShuffleSplit", "GroupShuffleSplit"),
}
"""Of scikit-learn; a training that goes on in time, as `TimeSeriesSplit` has it, may be one."""
BRINGING_BACK = {"load_state_dict", "deepcopy", "reset_parameters", "apply", "copy_", "load"}
"""Functions and methods that may give a model the weights of its beginning."""


def fold_loops(tree: ast.Module) -> list[int]:
    """Find the loops of which each turn has other rows to train on, and the rest held out."""
    made = {
        target.id
        for node in parts(tree, ast.Assign)
        if isinstance(node.value, ast.Call) and last_part(node.value.func) in SPLITTERS
        for target in node.targets
        if isinstance(target, ast.Name)
    }

    def is_split(call: ast.Call) -> bool:
        if method(call) != "split" or not isinstance(call.func, ast.Attribute):
            return False
        whose = call.func.value
        if isinstance(whose, ast.Call):
            return last_part(whose.func) in SPLITTERS
        return last_part(whose) in made

    loops = parts(tree, ast.For)
    return sorted(e.lineno for e in loops if any(map(is_split, parts(e.iter, ast.Call))))


def going_on(tree: ast.Module) -> list[int]:
    """Find those of them that leave out no turn, and bring back no weights."""
    lines = set(fold_loops(tree))
    return sorted(
        loop.lineno
        for loop in parts(tree, ast.For)
        if loop.lineno in lines
        and not parts(loop, ast.Break)
        and not any(last_part(call.func) in BRINGING_BACK for call in parts(loop, ast.Call))
    )
