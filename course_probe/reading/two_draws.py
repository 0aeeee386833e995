"""Random numbers that are drawn once more where the first ones belong, by a script's text.

`x = data[ix]`, `ix = randint(…)` and `y = data[ix + 1]`: the labels are of other rows. And a target
that is noise must be the very noise that was mixed into the inputs.
"""

import ast
from collections.abc import Iterator

from course_probe.reading.label_names import LABELS
from course_probe.reading.script_text import (
    in_order,
    last_part,
    method,
    names,
    own_nodes,
    parts,
    scopes,
)

PLACES = {"randint", "randrange", "integers", "choice", "sample", "randperm", "permutation"}
"""Draws of places."""
NOISE = {"randn_like", "randn", "normal", "standard_normal"}
DISTANCES = {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "MSELoss", "L1Loss"}
Found = tuple[int, str, str]


def places_drawn_again(tree: ast.Module) -> list[Found]:
    """Find labels of places that were drawn again by the same name, with their inputs."""
    found = set[Found]()
    for scope in scopes(tree):
        assigned = [e for e in in_order(scope.body) if isinstance(e, ast.Assign)]
        draws = [(at, e) for at, e in enumerate(assigned) if _is_draw(e.value, PLACES)]
        for (at, one), (again, _other) in _twice(draws):
            name = ast.unparse(one.targets[0])
            inputs = [e for e in assigned[at + 1 : again] if name in names(e.value)]
            labels = [e for e in assigned[again + 1 :] if name in names(e.value)]
            for x, y in ((x, y) for x in inputs[:1] for y in labels[:1]):
                moved = ast.unparse(y.targets[0])
                if LABELS.search(moved) or moved.lower().split("_")[0].startswith("y"):
                    found.add((y.lineno, moved, ast.unparse(x.targets[0])))
    return sorted(found)


def noise_drawn_again(tree: ast.Module) -> list[Found]:
    """Find losses whose target is a second draw of the noise that was mixed into the inputs."""
    found = set[Found]()
    for scope in scopes(tree):
        nodes = [*own_nodes(scope.body)]
        drawn = {
            ast.unparse(e.targets[0]): ast.unparse(e.value)
            for e in nodes
            if isinstance(e, ast.Assign) and _is_draw(e.value, NOISE)
        }
        for call in (e for e in nodes if isinstance(e, ast.Call) and len(e.args) > 1):
            if last_part(call.func) not in DISTANCES and "loss" not in last_part(call.func).lower():
                continue
            for target in call.args[:2]:
                said = ast.unparse(target)
                fresh = drawn.get(said, said if _is_draw(target, NOISE) else "")
                reads = [e for e in nodes if isinstance(e, ast.Name) and e.id == said]
                # It is read here alone; another name has what is the same draw, and is mixed in.
                is_alone = len([e for e in reads if isinstance(e.ctx, ast.Load)]) <= 1
                mixed = [
                    name
                    for name, draw in drawn.items()
                    if draw == fresh and name != said and _is_mixed(name, nodes, call)
                ]
                if fresh and is_alone and mixed:
                    found.add((call.lineno, said, mixed[0]))
    return sorted(found)


def _is_draw(node: ast.expr, kinds: set[str]) -> bool:
    return isinstance(node, ast.Call) and last_part(node.func) in kinds and bool(method(node))


def _twice(
    draws: list[tuple[int, ast.Assign]],
) -> Iterator[tuple[tuple[int, ast.Assign], tuple[int, ast.Assign]]]:
    """Yield each draw with the next one that gives the same name the same."""
    for at, one in enumerate(draws):
        same = (e for e in draws[at + 1 :] if ast.unparse(e[1]) == ast.unparse(one[1]))
        if (other := next(same, None)) is not None:
            yield one, other


def _is_mixed(name: str, nodes: list[ast.AST], loss: ast.Call) -> bool:
    """Return whether a draw is put together with other values, outside of the loss."""
    inside = {*ast.walk(loss)}
    return any(
        isinstance(e, ast.BinOp | ast.Call) and name in names(e) and len(names(e)) > 1
        for e in nodes
        if e not in inside and not (isinstance(e, ast.Call) and loss in parts(e, ast.Call))
    )
