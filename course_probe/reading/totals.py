"""Sums that go on from one epoch to the next, or stand beside a mean, by a script's text.

`correct = 0` before the loop over the epochs, `correct += ...` in the loop over the batches, and
`correct / len(data)` after it: from the second epoch on, earlier ones count, too.
"""

import ast
import re
from collections.abc import Iterator, Sequence

from course_probe.reading.script_text import (
    bound,
    last_part,
    loops_of,
    method,
    named,
    names,
    parts,
    stored,
)

MEAN = re.compile(
    r"^(?:mse|l1|smooth_l1|huber|nll)_loss$|cross_entropy|^(?:MSE|L1|BCE\w*|NLL)Loss$"
)
"""Losses that are a mean, unless told otherwise."""
ADDING = {"update", "add"}
"""Methods of a metric that add a batch to it."""


def carried_totals(tree: ast.Module) -> list[int]:
    """Find the lines that add to a sum which no epoch begins anew, though it is told as a mean."""
    scopes: list[ast.Module | ast.FunctionDef] = [tree, *parts(tree, ast.FunctionDef)]
    return sorted({line for scope in scopes for line in _carried(scope.body)})


def _carried(body: Sequence[ast.stmt]) -> Iterator[int]:
    for epochs in loops_of(body):
        for at, batches in enumerate(epochs.body):
            if not isinstance(batches, ast.For):
                continue
            after = epochs.body[at + 1 :]
            added = {e.target.id: e for e in _own(batches) if isinstance(e.target, ast.Name)}
            # What is set, anywhere in an epoch, begins anew.
            anew = {name for node in _sets(epochs) for name in stored(node)}
            carried = {name: each for name, each in added.items() if name not in anew}
            # How long all has taken, and how much was seen, is asked of all epochs.
            turns = names(epochs.target) if isinstance(epochs, ast.For) else set(stored(epochs))
            trains = _trains(batches)
            for statement in after:
                for ratio in parts(statement, ast.BinOp):
                    if not isinstance(ratio.op, ast.Div):
                        continue
                    over = names(ratio.right)
                    if over & turns or (trains and over & carried.keys()):
                        continue
                    if isinstance(ratio.left, ast.Name) and ratio.left.id in carried:
                        yield carried[ratio.left.id].lineno


def _own(loop: ast.For) -> Iterator[ast.AugAssign]:
    return (each for each in parts(loop, ast.AugAssign) if isinstance(each.op, ast.Add))


def _sets(loop: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(loop):
        if isinstance(node, ast.Assign):
            yield from node.targets
        elif isinstance(node, ast.AnnAssign | ast.For | ast.NamedExpr):
            yield node.target


def _trains(loop: ast.For) -> bool:
    return any(each.attr in ("backward", "step") for each in parts(loop, ast.Attribute))


def never_reset(tree: ast.Module) -> list[int]:
    """Find the lines that add to a metric of the script's own that lasts, and is never reset.

    It has a method for that, which only it calls itself.
    """
    kinds = {
        kind.name: {each.name for each in kind.body if isinstance(each, ast.FunctionDef)}
        for kind in parts(tree, ast.ClassDef)
    }
    meters = {name for name, has in kinds.items() if "reset" in has and ADDING & has}
    classes = (kind for kind in parts(tree, ast.ClassDef) if kind.name in meters)
    own = {node for kind in classes for node in ast.walk(kind)}
    if any(method(call) == "reset" for call in parts(tree, ast.Call) if call not in own):
        return []
    begun = (f.body for f in parts(tree, ast.FunctionDef) if f.name == "__init__")
    lasting = {
        ast.unparse(target)
        for body in (tree.body, *begun)
        for each in body
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Call)
        for target in each.targets
        if last_part(each.value.func) in meters
    }
    return sorted(
        call.lineno
        for loop in (*parts(tree, ast.For), *parts(tree, ast.While))
        for call in parts(loop, ast.Call)
        if isinstance(call.func, ast.Attribute) and call.func.attr in ADDING
        if ast.unparse(call.func.value) in lasting
    )


def uneven_terms(tree: ast.Module) -> list[int]:
    """Find the lines that add a loss which is a mean and a sum over the whole batch."""
    criteria = {
        name
        for each in parts(tree, ast.Assign)
        if isinstance(each.value, ast.Call) and _is_mean(each.value)
        for name in map(ast.unparse, each.targets)
    }
    found = set[int]()
    for scope in (tree, *parts(tree, ast.FunctionDef)):
        made = {
            target.id: value
            for each in parts(scope, ast.Assign)
            for target, value in bound(each)
            if isinstance(target, ast.Name)
        }
        for node in parts(scope, ast.BinOp):
            if isinstance(node.op, ast.Add):
                pair = [made.get(ast.unparse(each), each) for each in (node.left, node.right)]
                for one, other in (pair, pair[::-1]):
                    mean = isinstance(one, ast.Call) and (
                        _is_mean(one) or ast.unparse(one.func) in criteria
                    )
                    if mean and _is_sum(other):
                        found.add(node.lineno)
    return sorted(found)


def _is_mean(call: ast.Call) -> bool:
    """Return whether a call gives, or makes, a loss that is a mean."""
    return bool(MEAN.search(last_part(call.func))) and "reduction" not in named(call)


def _is_sum(node: ast.expr) -> bool:
    """Return whether this is the sum of all there is, or a multiple of it."""
    match node:
        case ast.UnaryOp():
            return _is_sum(node.operand)
        case ast.BinOp(left=ast.Constant() | ast.UnaryOp(operand=ast.Constant()), op=ast.Mult()):
            return _is_sum(node.right)
        case ast.BinOp(op=ast.Mult(), right=ast.Constant()):
            return _is_sum(node.left)
        case ast.Call(func=ast.Attribute(value=owner, attr="sum"), args=args, keywords=[]):
            return len(args) == (ast.unparse(owner) == "torch")
    return False
