"""Rows in the order of a loader that shuffles, beside rows as they are stored, by a script's text.

`for i, (x, y) in enumerate(loader)` and `soft[i * 32 : (i + 1) * 32]`: the loader has drawn another
order. What such a loop gathers is in that order as well.
"""

import ast
import itertools
from collections.abc import Iterator

from course_probe.reading.label_names import LABELS
from course_probe.reading.names import Names
from course_probe.reading.script_text import (
    calls_in,
    gone_over,
    last_part,
    names,
    own_nodes,
    parts,
    root,
    says,
    scopes,
    stored,
)

TOGETHER = {
    *("cat", "stack", "concatenate", "concat", "tensor", "array", "vstack", "hstack", "asarray"),
}
SCORES = {"accuracy_score", "confusion_matrix", "classification_report", "TensorDataset", "zip"}
GATHERING = {"append", "extend"}


def positional(tree: ast.Module) -> list[tuple[int, str, str]]:
    """Find the lines that take rows by the number of a batch, in a loop over a shuffled loader.

    With what is taken so, and the loader.
    """
    found = set[tuple[int, str, str]]()
    for loop, loader in _loops(tree):
        match loop.target:
            case ast.Tuple(elts=[ast.Name(id=count), _]) if "enumerate(" in ast.unparse(loop.iter):
                pass
            case _:
                continue
        inside = set(stored(loop))
        turns = {count} | {
            name
            for each in own_nodes(loop.body)
            if isinstance(each, ast.Assign) and _is_place(each.value, {count})
            for name in stored(each)
        }
        for node in parts(loop, ast.Subscript):
            if not isinstance(node.ctx, ast.Load) or not isinstance(node.slice, ast.Slice):
                continue
            lower, upper = node.slice.lower, node.slice.upper
            is_part = lower is not None and upper is not None
            if is_part and _is_place(lower, turns) and not names(node.value) & inside:
                found.add((node.lineno, ast.unparse(node.value), loader))
    return sorted(found)


def _is_place(node: ast.expr | None, turns: set[str]) -> bool:
    """Return whether this is where the rows of a batch begin: its number, times their count."""
    match node:
        case ast.BinOp(op=ast.Mult()):
            return bool(names(node) & turns)
        case ast.Name(id=name):
            return name in turns and len(turns) > 1
    return False


def gathered(tree: ast.Module) -> list[tuple[int, str, str]]:
    """Find the lines that set what a shuffled loader gave, one after the other, beside stored rows.

    With what was gathered, and the other.
    """
    found = set[tuple[int, str, str]]()
    makers = set(_makers(tree))
    loaders = shuffled(tree)
    for scope in scopes(tree):
        nodes = list(own_nodes(scope.body))
        mine = {
            name
            for loop in nodes
            if isinstance(loop, ast.For) and _over(loop) in loaders
            for name in _filled(loop)
        }
        ours = {
            name
            for node in nodes
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
            if _is_of_loader(node.value, makers, loaders)
            for name in stored(node)
        }
        for node in nodes:
            if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
                continue
            if _is_together(node.value) and names(node.value) & mine:
                ours.add(node.targets[0].id)
        known = (
            {name for loop in nodes if isinstance(loop, ast.For) for name in stored(loop)}
            | mine
            | ours
        )
        given = [name for node in nodes if isinstance(node, ast.Assign) for name in stored(node)]
        ours -= {name for name in ours if given.count(name) > 1 and name not in mine}
        for node in nodes:
            for one, other in itertools.permutations(_sides(node), 2):
                is_ours = names(one) & (ours | mine)
                if is_ours and _is_rows(other) and not names(other) & known:
                    found.add((one.lineno, ast.unparse(one), ast.unparse(other)))
    return sorted(found)[:1]


def _sides(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
            return [left, right]
        case ast.Call(func=func, args=args):
            return args if last_part(func) in SCORES or last_part(func).endswith("_score") else []
    return []


def _is_rows(node: ast.expr) -> bool:
    """Return whether these are rows by a name, or a part of them; no number, and no class."""
    match node:
        case ast.Name(id=name):
            return bool(LABELS.search(name)) or name.split("_")[0] in ("y", "truth", "inputs", "x")
        case ast.Subscript(value=value, slice=ast.Slice()):
            return _is_rows(value)
        case ast.Attribute(value=ast.Name(), attr=name):
            return name in ("labels", "targets", "y")
        case ast.Call(func=ast.Attribute(value=value, attr=name)):
            return name in ("numpy", "cpu", "long", "to") and _is_rows(value)
    return False


def _is_together(node: ast.expr) -> bool:
    return bool(calls_in(node) & TOGETHER)


def _is_of_loader(call: ast.Call, makers: set[str], loaders: set[str]) -> bool:
    given = {each.id for each in call.args if isinstance(each, ast.Name)}
    return last_part(call.func) in makers and bool(given & loaders)


def _makers(tree: ast.Module) -> Iterator[str]:
    """Yield functions that give only what a loop over something they are given has gathered."""
    for function in parts(tree, ast.FunctionDef):
        given = {each.arg for each in function.args.args}
        nodes = list(own_nodes(function.body))
        filled = {
            name
            for loop in nodes
            if isinstance(loop, ast.For) and _over(loop) in given
            for name in _filled(loop)
        }
        ends = [each.value for each in nodes if isinstance(each, ast.Return) and each.value]
        several = ends[0].elts if len(ends) == 1 and isinstance(ends[0], ast.Tuple) else ends
        held = Names(nodes)
        # Under whatever name they were put together: `made.numpy()`.
        made = [
            each if _is_together(each) else held.last(ast.unparse(root(each))) for each in several
        ]
        is_all = all(of and names(of) & filled and _is_together(of) for of in made)
        if len(ends) == 1 and made and is_all:
            yield function.name


def _filled(loop: ast.For) -> Iterator[str]:
    """Yield the lists that a loop fills with what it makes of each batch."""
    for call in parts(loop, ast.Call):
        match call.func:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if attr in GATHERING:
                yield name


def _loops(tree: ast.Module) -> Iterator[tuple[ast.For, str]]:
    loaders = shuffled(tree)
    return ((e, _over(e)) for e in parts(tree, ast.For) if _over(e) in loaders)


def _over(loop: ast.For) -> str:
    return ast.unparse(gone_over(loop))


def shuffled(tree: ast.Module) -> set[str]:
    """Return the names of loaders that draw an order, whatever else they are called."""
    found, others = set[str](), set[str]()
    for each in parts(tree, ast.Assign):
        called = {*map(ast.unparse, each.targets)}
        if isinstance(each.value, ast.Call) and last_part(each.value.func) == "DataLoader":
            (found if says(each.value, "shuffle", True) else others).update(called)
        else:
            others |= called & found
    return found - others
