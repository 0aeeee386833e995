"""Inputs that hold what comes later, by the text of a script that foretells a series.

A mean around each time holds the times behind it, and so does what is filled from behind. Of
windows that begin one step after another, each has nearly all numbers of its neighbours: drawn by
chance, the parts of a split hold the same times.
"""

import ast
from collections.abc import Iterable, Iterator

from course_probe.reading.script_text import (
    last_part,
    method,
    methods_of,
    names,
    parts,
    says,
    stored,
)

SPLITS = {"train_test_split", "random_split"}
MAKERS = {"array", "stack", "tensor", "TensorDataset", "from_numpy", "asarray", "astype"}


def seen_ahead(tree: ast.Module) -> list[int]:
    """Find the lines that take a mean around each time, or fill from behind, before a forecast."""
    given = parts(tree, ast.Assign)
    targets = {name for each in given if _moves_back(each.value) for name in _columns(each)}
    found = set[int]()
    for each in given if _moves_back(tree) else ():
        if targets & _columns(each):
            continue
        for call in parts(each.value, ast.Call):
            is_centred = method(call) == "rolling" and says(call, "center", True)
            # What the first rows lack is filled from behind where nothing is before them.
            is_filled = method(call) in ("bfill", "backfill") and "ffill" not in ast.unparse(call)
            if is_centred or is_filled:
                found.add(call.lineno)
    return sorted(found)


def _columns(each: ast.Assign) -> set[str]:
    return {*map(ast.unparse, each.targets)}


def _moves_back(node: ast.AST) -> bool:
    """Return whether a column is moved so that each row has the value of a later one."""
    moves = (each for each in parts(node, ast.Call) if method(each) == "shift" and each.args)
    return any(ast.unparse(each.args[0]).startswith("-") for each in moves)


def windows_drawn(tree: ast.Module) -> list[int]:
    """Find the lines that split by chance windows of one series that begin one after the other."""
    windows = {name for name, _series in windows_of(tree, ast.walk(tree))}
    kinds = {kind.name for kind in parts(tree, ast.ClassDef) if _gives_windows(kind)}
    for each in parts(tree, ast.Assign):
        # What is only made an array, or a data set, of them.
        made = last_part(each.value.func) if isinstance(each.value, ast.Call) else ""
        if made in kinds or (made in MAKERS and names(each.value) & windows):
            windows |= set(stored(each))
    return sorted(
        call.lineno
        for call in parts(tree, ast.Call)
        if last_part(call.func) in SPLITS
        if call.args and names(call.args[0]) & windows
        if not says(call, "shuffle", False)
    )


def _gives_windows(kind: ast.ClassDef) -> bool:
    """Return whether the rows of a data set are windows of what it has, one after the other."""
    getter = methods_of(kind).get("__getitem__")
    if getter is None:
        return False
    # A place that is made another one is not gone on by one.
    return any(_cut(getter, {each.arg for each in getter.args.args[1:2]} - {*stored(getter)}))


def windows_of(tree: ast.Module, nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names of windows that begin one step after another, each with its series.

    Made by a loop, or by a function of the script's that is given the series first.
    """
    cutting = {
        function.name
        for function in parts(tree, ast.FunctionDef)
        if function.args.args
        for _name, series in _windows(ast.walk(function))
        if ast.unparse(series) == function.args.args[0].arg
    }
    nodes = list(nodes)
    yield from _windows(nodes)
    for each in nodes:
        match each:
            case ast.Assign(value=ast.Call(func=func, args=[series, *_])):
                if last_part(func) in cutting:
                    yield from ((name, series) for name in stored(each))


def _windows(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    for node in nodes:
        match node:
            case ast.Assign(value=value):
                for made in (each for one in ast.walk(value) for each in _of_turns(one)):
                    yield from ((name, made) for name in stored(node))
            case ast.For(target=target, iter=steps) if _is_step(steps):
                cut = [(e, [*_cut(e.value, names(target))]) for e in parts(node, ast.Assign)]
                kept = {name: series for each, series in cut for name in stored(each)}
                for call in parts(node, ast.Call):
                    if method(call) == "append" and call.args:
                        one = call.args[0]
                        of = kept.get(one.id, []) if isinstance(one, ast.Name) else []
                        for series in (*_cut(one, names(target)), *of):
                            yield from ((name, series) for name in names(call.func))


def _of_turns(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the series of which a comprehension makes windows."""
    if isinstance(node, ast.ListComp | ast.GeneratorExp) and _is_step(node.generators[0].iter):
        yield from _cut(node.elt, names(node.generators[0].target))


def _cut(node: ast.AST, turns: set[str]) -> Iterator[ast.expr]:
    """Yield the series of each `series[i : i + n]`, and of each `series[i - n : i]`."""
    for each in parts(node, ast.Subscript):
        place = each.slice.elts[0] if isinstance(each.slice, ast.Tuple) else each.slice
        match place:
            case ast.Slice(lower=ast.Name(id=begin), upper=ast.BinOp(op=ast.Add()) as end):
                # Of one place each, none has what another has.
                is_wide = not (isinstance(end.right, ast.Constant) and end.right.value == 1)
                if begin in turns and begin in names(end) and is_wide:
                    yield each.value
            case ast.Slice(lower=ast.BinOp(op=ast.Sub()) as begins, upper=ast.Name(id=place_of)):
                is_wide = not (isinstance(begins.right, ast.Constant) and begins.right.value == 1)
                if place_of in turns and place_of in names(begins.left) and is_wide:
                    yield each.value


def _is_step(node: ast.expr) -> bool:
    """Return whether a loop goes on by one: `range(n)`, without a step."""
    return isinstance(node, ast.Call) and last_part(node.func) == "range" and len(node.args) < 3
