"""A state that goes on from one batch to the next, of other rows, by a script's text.

`out, self.h = self.rnn(x, self.h)`: where the rows of the next batch are drawn by chance, they
begin with what others have left.
"""

import ast
from collections.abc import Iterator

from course_probe.reading.script_text import last_part, names, parts, stored

DRAWS = {"randperm", "shuffle", "permutation", "sample"}


def carried_states(tree: ast.Module) -> list[int]:
    """Find the lines that begin with the state of the batch before, where batches are drawn.

    Of a network that has it as an attribute, which nothing sets back, or of a loop over batches.
    """
    shuffles = any(
        (last_part(call.func) in DRAWS)
        or (last_part(call.func) == "DataLoader" and "shuffle=True" in ast.unparse(call))
        for call in parts(tree, ast.Call)
    )
    return sorted({*_of_attributes(tree), *_of_loops(tree)}) if shuffles else []


def _of_attributes(tree: ast.Module) -> Iterator[int]:
    for kind in parts(tree, ast.ClassDef):
        methods = {each.name: each for each in kind.body if isinstance(each, ast.FunctionDef)}
        forward = methods.get("forward")
        if forward is None:
            continue
        own = set(ast.walk(forward)) | set(ast.walk(methods.get("__init__", forward)))
        elsewhere = {
            target.attr
            for each in parts(tree, ast.Assign)
            if each not in own
            for target in each.targets
            if isinstance(target, ast.Attribute)
        }
        # The call of another method that sets it back is one as well.
        for each in parts(forward, ast.Assign):
            for call in parts(each.value, ast.Call):
                given = {ast.unparse(one) for one in call.args[1:]}
                kept = {
                    ast.unparse(target)
                    for one in parts(forward, ast.Assign)
                    for target in _targets(one)
                    if isinstance(target, ast.Attribute) and target.attr not in elsewhere
                }
                is_set_back = any(
                    ast.unparse(value) == "None" or "zeros" in ast.unparse(value)
                    for one in parts(forward, ast.Assign)
                    for value in [one.value]
                    for target in one.targets
                    if ast.unparse(target) in given
                )
                if given & kept and not is_set_back:
                    yield call.lineno


def _targets(each: ast.Assign) -> Iterator[ast.expr]:
    for target in each.targets:
        yield from target.elts if isinstance(target, ast.Tuple) else [target]


def _of_loops(tree: ast.Module) -> Iterator[int]:
    for loop in parts(tree, ast.For):
        if not any(last_part(call.func) == "backward" for call in parts(loop, ast.Call)):
            continue
        if any(one is not loop for one in parts(loop, ast.For)):
            continue
        for each in parts(loop, ast.Assign):
            target = each.targets[0]
            if not isinstance(target, ast.Tuple) or not isinstance(each.value, ast.Call):
                continue
            given = {name for one in each.value.args[1:] for name in names(one)}
            carried = set(stored(target)) & given
            for name in carried:
                others = [
                    ast.unparse(one.value)
                    for one in parts(loop, ast.Assign)
                    if one is not each and name in stored(one)
                ]
                # Cut off, it goes on all the same.
                if all("detach" in one and name in one for one in others) and others:
                    yield each.lineno
