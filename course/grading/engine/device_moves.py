"""Where a script moves its batches to a device: where there is only one, no run can show it."""

import ast

FAULT = "devices-differ"
"""The bug that is gone once each loop moves its batches."""
LOOPS = 2
"""A training and an evaluation."""
MOVING = ("to", "cuda")
OF_MODELS = ("parameters", "named_parameters", "train", "eval", "state_dict", "zero_grad")
"""Methods by which a model is told from a batch."""


def each_loop_moves(text: str) -> bool:
    """Whether so many statements move data as there are loops, or a library does it for all.

    What is moved and learns is a model, which says nothing of the batches; so is what was just
    loaded. False where the text is no Python.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    methods = _methods(tree)
    if any(method.attr == "prepare" for method in methods):
        return True
    models = {ast.unparse(m.value) for m in methods if m.attr in OF_MODELS}
    moving = {
        statement.lineno
        for statement in ast.walk(tree)
        if isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr | ast.Return)
        for method in _methods(statement)
        if method.attr in MOVING
        and not isinstance(method.value, ast.Call)
        and ast.unparse(method.value) not in models
    }
    return len(moving) >= LOOPS


def _methods(node: ast.AST) -> list[ast.Attribute]:
    """The methods that are called anywhere in a part of a script."""
    called = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    return [each for each in called if isinstance(each, ast.Attribute)]
