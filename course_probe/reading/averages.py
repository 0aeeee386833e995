"""Averages of weights that each step replaces instead of moving them a little, by a script's text.

`average.lerp_(weight, decay)`, or a target network of which a `tau` of 0.005 is kept: what is meant
to follow slowly is next to the trained weights after each step.
"""

import ast
import re
from collections.abc import Iterator

from course_probe.reading.flow import Flow, TextValue
from course_probe.reading.script_text import (
    around,
    factors,
    last_part,
    named,
    own_nodes,
    parents,
    parts,
    scopes,
)

AVERAGE = re.compile(
    r"(?i)ema|avg|average|shadow|target|tgt|slow|teacher|momentum|^(?:ma|tp?|e)\b|^ma_"
)
"""What marks the name of weights that follow others."""
DECAY = re.compile(r"(?i)decay|beta")
"""What marks the name of the share that is kept."""
MOST = 0.9
"""The share of the new weights from which on nothing is left of an average."""


def replaced_averages(tree: ast.Module) -> list[int]:
    """Find the lines that give an average of weights nearly all of the new ones at each step."""
    flow, found, within = Flow(tree), set[int](), parents(tree)
    given = _defaults(tree)
    for scope in scopes(tree):
        for node in own_nodes(scope.body):
            for old, share in _mixed(node):
                # Weights are gone over one by one; what a loss or a batch is on average, is not.
                loops = [
                    ast.unparse(e.iter) for e in around(node, within) if isinstance(e, ast.For)
                ]
                is_of_weights = any(
                    re.search("param|state_dict|items|buffer|zip", e) for e in loops
                )
                is_most = _is_most(TextValue(share, scope), flow, given)
                if is_of_weights and is_most and AVERAGE.search(ast.unparse(old)):
                    found.add(share.lineno)
    return sorted(found)


def _mixed(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what is an average of old and new weights, with the share of the new ones."""
    match node:
        case ast.Call(func=ast.Attribute(value=old, attr="lerp_"), args=[_, share]):
            yield old, share
        case ast.Call(
            func=ast.Attribute(
                value=ast.Call(func=ast.Attribute(value=old, attr="mul_"), args=[_]), attr="add_"
            ),
            args=[new],
            keywords=keywords,
        ):
            told = [each.value for each in keywords if each.arg == "alpha"]
            product = [*factors(new)]
            yield from ((old, each) for each in told or (product[:1] if len(product) == 2 else []))
        case ast.Call(func=ast.Attribute(value=old, attr="copy_"), args=[ast.BinOp() as mixed]):
            yield from ((old, share) for share in _share_of_new(old, mixed))
        case ast.Assign(
            targets=[ast.Attribute() | ast.Subscript() as old], value=ast.BinOp() as mixed
        ):
            yield from ((old, share) for share in _share_of_new(old, mixed))


def _share_of_new(old: ast.expr, mixed: ast.BinOp) -> Iterator[ast.expr]:
    """Yield the factor of the term in which the old weights are not."""
    if not isinstance(mixed.op, ast.Add):
        return
    sides = [[*factors(each)] for each in (mixed.left, mixed.right)]
    name = ast.unparse(old).removesuffix(".data")
    has_old = [any(ast.unparse(e).removesuffix(".data") == name for e in side) for side in sides]
    if all(len(side) == 2 for side in sides) and sum(has_old) == 1:
        new = sides[has_old.index(False)]
        # The share is the shorter of the two: a name, a number, what is left of 1.
        share = [e for e in new if not isinstance(e, ast.Attribute | ast.Subscript) or _is_own(e)]
        yield from share[:1]


def _is_own(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and last_part(node) != "data"


def _is_most(share: TextValue, flow: Flow, given: dict[str, float]) -> bool:
    """Return whether a share is nearly all: by its number, or the name of what is to be kept."""
    match share.node:
        case ast.BinOp(left=ast.Constant(value=1 | 1.0), op=ast.Sub(), right=rest):
            number = _number(share.of(rest), flow, given)
            return number is not None and 0 < number <= 1 - MOST and not _is_decay(rest)
    number = _number(share, flow, given)
    if number is None:
        return _is_decay(share.node)
    return MOST <= number < 1


def _is_decay(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and bool(DECAY.search(last_part(node)))


def _number(value: TextValue, flow: Flow, given: dict[str, float]) -> float | None:
    """Return the one number that a value may be; None where it is not known."""
    found = {
        each.node.value if isinstance(each.node, ast.Constant) else given.get(last_part(each.node))
        for each in (*flow.origins(value), value)
        if isinstance(each.node, ast.Constant | ast.Attribute | ast.Name)
    }
    numbers = {float(each) for each in found if isinstance(each, int | float)}
    return numbers.pop() if len(numbers) == 1 else None


def _defaults(tree: ast.Module) -> dict[str, float]:
    """Return the numbers that options and arguments have unless they are given."""
    found = dict[str, float]()
    for each in parts(tree, ast.arguments):
        for arg, value in zip(each.args[::-1], each.defaults[::-1], strict=False):
            if isinstance(value, ast.Constant) and isinstance(value.value, int | float):
                found[arg.arg] = float(value.value)
    for call in parts(tree, ast.Call):
        if last_part(call.func) != "add_argument" or not call.args:
            continue
        option, default = call.args[0], named(call).get("default")
        number = default.value if isinstance(default, ast.Constant) else None
        if isinstance(option, ast.Constant) and isinstance(number, int | float):
            found[str(option.value).lstrip("-").replace("-", "_")] = float(number)
    return found
