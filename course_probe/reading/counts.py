"""Sums over batches that are divided by the number of rows, and the reverse, by a script's text.

`total += loss.item()` of a loss that is a mean, and `total / len(loader.dataset)` after the loop.
"""

import ast

from course_probe.reading.names import Names
from course_probe.reading.script_text import (
    around,
    given_back,
    last_part,
    method,
    named,
    names,
    parents,
    parts,
)
from course_probe.reading.totals import MEAN, is_mean

PASSED_ON = {"item", "float", "detach", "cpu", "mean", "double"}
"""Calls that give the same number."""


def divided_by_others(tree: ast.Module) -> list[tuple[int, bool]]:
    """Find the lines that divide a sum by another count than its own; True where that is of rows.

    Only where each sum of a name is of one kind, and nothing else scales the quotient.
    """
    within = parents(tree)
    known = Names(parts(tree, ast.Assign))
    data = {
        ast.unparse(call.args[0])
        for call in parts(tree, ast.Call)
        if last_part(call.func) == "DataLoader" and call.args
    }
    found = []
    for scope in (tree, *parts(tree, ast.FunctionDef)):
        sums = _sums(scope, tree, within, data)
        for node in ast.walk(scope):
            match node:
                case ast.AugAssign(target=ast.expr() as total, op=ast.Div(), value=count):
                    pass
                case ast.BinOp(
                    left=(ast.BinOp(left=ast.Constant(), op=ast.Mult(), right=total) | total),
                    op=ast.Div(),
                    right=count,
                ) if not isinstance(within[node], ast.BinOp):
                    pass
                case _:
                    continue
            by_rows = _is_count(count, data, known)
            if by_rows is not None and sums.get(ast.unparse(total)) == {not by_rows}:
                found.append((node.lineno, by_rows))
    return sorted(set(found))


def _sums(
    scope: ast.AST, tree: ast.Module, within: dict[ast.AST, ast.AST], data: set[str]
) -> dict[str, set[bool | None]]:
    """Return what loops add up: by name: True of rows, False of a mean, None if unknown."""
    found: dict[str, set[bool | None]] = {}
    for added in parts(scope, ast.AugAssign):
        loops = [each for each in around(added, within) if isinstance(each, ast.For)]
        # Of rows that come one by one there are as many as of their losses.
        is_by_rows = any(
            ".dataset" in ast.unparse(loop.iter)
            or (names(loop.iter) & data and "DataLoader" not in names(loop.iter))
            for loop in loops
        )
        if isinstance(added.op, ast.Add) and loops and not is_by_rows:
            found.setdefault(ast.unparse(added.target), set()).add(_kind(added.value, tree))
    return found


def _kind(value: ast.expr, tree: ast.Module) -> bool | None:
    """Return True where a count of rows is added, False of a mean, None where it is neither."""
    while isinstance(value, ast.Call) and not value.keywords:
        owner = value.func.value if isinstance(value.func, ast.Attribute) else None
        if last_part(value.func) not in PASSED_ON or not (owner or value.args):
            break
        value = owner or value.args[0]
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Compare(), attr="sum"), args=[]):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Call() as inner, attr="sum"), args=[]):
            return True if last_part(inner.func) == "eq" else None
        case ast.Call():
            return False if is_mean(value) or _is_own_mean(value, tree) else None
        case ast.Name(id=name):
            kinds = {
                _kind(each.value, tree)
                for each in parts(tree, ast.Assign)
                if [*map(ast.unparse, each.targets)] == [name] and isinstance(each.value, ast.Call)
            }
            return kinds.pop() if len(kinds) == 1 else None
    return None


def _is_own_mean(call: ast.Call, tree: ast.Module) -> bool:
    """Return whether all losses that a script makes are means, and this is a call of one."""
    functions = {each.name: each for each in parts(tree, ast.FunctionDef)}
    if (function := functions.get(last_part(call.func))) is not None:
        return _gives_mean(function)
    own = {
        kind.name: each
        for kind in parts(tree, ast.ClassDef)
        for each in parts(kind, ast.FunctionDef)
        if each.name == "forward" and "loss" in kind.name.lower()
    }
    made = [
        (ast.unparse(target), each.value)
        for each in parts(tree, ast.Assign)
        if isinstance(each.value, ast.Call)
        if MEAN.search(last_part(each.value.func)) or last_part(each.value.func) in own
        for target in each.targets
    ]
    return any(ast.unparse(call.func) == name for name, _made in made) and all(
        _gives_mean(own[name]) if (name := last_part(each.func)) in own else is_mean(each)
        for _name, each in made
    )


def _gives_mean(function: ast.FunctionDef) -> bool:
    """Return whether all that a function gives back is the mean of all there is, or minus that."""
    ends = given_back(function)
    ends = [end.operand if isinstance(end, ast.UnaryOp) else end for end in ends]
    return bool(ends) and all(
        isinstance(end, ast.Call)
        and not end.keywords
        and (is_mean(end) or (method(end) == "mean" and len(end.args) == _by_torch(end)))
        for end in ends
    )


def _by_torch(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "torch"


def _is_count(node: ast.expr, data: set[str], known: Names) -> bool | None:
    """Return whether a divisor counts rows; False of batches, None where it counts neither."""
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Attribute(attr="dataset")]):
            return True
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name) as one]):
            if name in data:
                return True
            made = known.only(one)
            if isinstance(made, ast.Call) and last_part(made.func) == "DataLoader":
                size = named(made).get("batch_size", made.args[1] if made.args[1:] else None)
                is_one = size is None or (
                    isinstance(size, ast.Constant) and size.value in (1, None)
                )
                return None if is_one else False
    return None
