"""Inputs that hold what comes later, by the text of a script that foretells a series.

A mean around each time holds the times behind it, and so does what is filled from behind. Of
windows that begin one step after another, each has nearly all numbers of its neighbours: drawn by
chance, the parts of a split hold the same times.
"""

import ast
from collections.abc import Iterable, Iterator

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
        if not _is_false(named(call).get("shuffle"))
    )


def _gives_windows(kind: ast.ClassDef) -> bool:
    """Return whether the rows of a data set are windows of what it has, one after the other."""
    return any(
        function.name == "__getitem__" and any(_cut(function, place))
        for function in parts(kind, ast.FunctionDef)
        # A place that is made another one is not gone on by one.
        for place in [{each.arg for each in function.args.args[1:2]} - {*stored(function)}]
    )


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
                for call in parts(node, ast.Call):
                    if method(call) == "append" and call.args:
                        for series in _cut(call.args[0], names(target)):
                            yield from ((name, series) for name in names(call.func))


def _of_turns(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the series of which a comprehension makes windows."""
    if isinstance(node, ast.ListComp | ast.GeneratorExp) and _is_step(node.generators[0].iter):
        yield from _cut(node.elt, names(node.generators[0].target))


def _cut(node: ast.AST, turns: set[str]) -> Iterator[ast.expr]:
    """Yield the series of each `series[i : i + n]`."""
    for each in parts(node, ast.Subscript):
        place = each.slice.elts[0] if isinstance(each.slice, ast.Tuple) else each.slice
        match place:
            case ast.Slice(lower=ast.Name(id=begin), upper=ast.BinOp(op=ast.Add()) as end):
                # Of one place each, none has what another has.
                is_wide = not (isinstance(end.right, ast.Constant) and end.right.value == 1)
                if begin in turns and begin in names(end) and is_wide:
                    yield each.value


def _is_false(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def _is_step(node: ast.expr) -> bool:
    """Return whether a loop goes on by one: `range(n)`, without a step."""
    return isinstance(node, ast.Call) and last_part(node.func) == "range" and len(node.args) < 3
