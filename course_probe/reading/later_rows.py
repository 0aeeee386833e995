"""Inputs that hold what comes later, by the text of a script that foretells a series.

A mean around each time holds the times behind it, and so does what is filled from behind. Of
windows that begin one step after another, each has nearly all numbers of its neighbours: drawn by
chance, the parts of a split hold the same times.
"""

import ast
from collections.abc import Iterator

from course_probe.reading.script_text import last_part, method, named, names, parts, stored

SPLITS = {"train_test_split", "random_split"}
MAKERS = {"array", "stack", "tensor", "TensorDataset", "from_numpy", "asarray", "astype"}


def seen_ahead(tree: ast.Module) -> list[int]:
    """Find the lines that take a mean around each time, or fill from behind, before a forecast."""
    if not any(_is_back(call) for call in parts(tree, ast.Call)):
        return []
    targets = {
        name
        for each in parts(tree, ast.Assign)
        if any(_is_back(call) for call in parts(each.value, ast.Call))
        for name in _columns(each)
    }
    found = set[int]()
    for each in parts(tree, ast.Assign):
        if targets & {*_columns(each)}:
            continue
        for call in parts(each.value, ast.Call):
            centred = named(call).get("center")
            is_centred = method(call) == "rolling" and isinstance(centred, ast.Constant)
            # What the first rows lack is filled from behind where nothing is before them.
            is_filled = method(call) in ("bfill", "backfill") and "ffill" not in ast.unparse(call)
            if (is_centred and bool(centred.value)) or is_filled:  # type: ignore[union-attr]
                found.add(call.lineno)
    return sorted(found)


def _columns(each: ast.Assign) -> Iterator[str]:
    for target in each.targets:
        yield ast.unparse(target)


def _is_back(call: ast.Call) -> bool:
    """Return whether a column is moved so that each row has the value of a later one."""
    if method(call) != "shift" or not call.args:
        return False
    return ast.unparse(call.args[0]).startswith("-")


def windows_drawn(tree: ast.Module) -> list[int]:
    """Find the lines that split by chance windows of one series that begin one after the other."""
    windows = set[str]()
    for each in parts(tree, ast.Assign):
        if any(_is_of_windows(one) for one in ast.walk(each.value)):
            windows |= set(stored(each))
    for loop in parts(tree, ast.For):
        for call in parts(loop, ast.Call):
            given = ast.walk(call.args[0]) if method(call) == "append" and call.args else ()
            if _is_step(loop.iter) and any(_is_window(e, names(loop.target)) for e in given):
                windows |= names(call.func)
    for each in parts(tree, ast.Assign):
        # What is only made an array, or a data set, of them.
        made = last_part(each.value.func) if isinstance(each.value, ast.Call) else ""
        if made in MAKERS and names(each.value) & windows:
            windows |= set(stored(each))
    return sorted(
        call.lineno
        for call in parts(tree, ast.Call)
        if last_part(call.func) in SPLITS
        if call.args and names(call.args[0]) & windows
        if not _is_false(named(call).get("shuffle"))
    )


def _is_false(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def _is_step(node: ast.expr) -> bool:
    """Return whether a loop goes on by one: `range(n)`, without a step."""
    return isinstance(node, ast.Call) and last_part(node.func) == "range" and len(node.args) < 3


def _is_of_windows(node: ast.AST) -> bool:
    if not isinstance(node, ast.ListComp | ast.GeneratorExp):
        return False
    first = node.generators[0]
    turns = names(first.target)
    return _is_step(first.iter) and any(_is_window(each, turns) for each in ast.walk(node.elt))


def _is_window(node: ast.AST, turns: set[str]) -> bool:
    """Return whether this is `series[i : i + n]`."""
    match node:
        case ast.Subscript(slice=ast.Slice(lower=ast.Name(id=begin), upper=ast.BinOp() as end)):
            return begin in turns and begin in names(end) and isinstance(end.op, ast.Add)
    return False
