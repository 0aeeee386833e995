"""Sums over batches that are divided by the number of rows, and the reverse, by a script's text.

`total += loss.item()` of a loss that is a mean, and `total / len(loader.dataset)` after the loop.
"""

import ast
from collections.abc import Iterator

from course_probe.reading.flow import DEEPEST, Flow, TextValue
from course_probe.reading.script_text import (
    Scope,
    around,
    last_part,
    method,
    named,
    names,
    own_nodes,
    owner_of,
    parents,
    parts,
    scopes,
    worked_on,
)
from course_probe.reading.totals import is_mean

PASSED_ON = {"item", "float", "detach", "cpu", "mean", "double"}
"""Calls that give the same number."""


def divided_by_others(tree: ast.Module) -> list[tuple[int, bool]]:
    """Find the lines that divide a sum by another count than its own; True where that is of rows.

    Only where each sum of a name is of one kind, and nothing else scales the quotient.
    """
    within, flow = parents(tree), Flow(tree)
    data = {
        ast.unparse(each)
        for call in parts(tree, ast.Call)
        if last_part(call.func) == "DataLoader" and call.args
        for each in _rows_of(call.args[0])
    }
    loaders = (e for e in parts(tree, ast.Call) if last_part(e.func) == "DataLoader")
    # Of batches of one row there are as many as rows.
    if "1" in map(_size, loaders):
        return []
    found, sums = [], dict[str, set[bool | None]]()
    for scope in scopes(tree):
        for total, kind in _sums(flow, scope, within, data):
            sums.setdefault(_named_in(total, scope), set()).add(kind)
    for scope in scopes(tree):
        for node in own_nodes(scope.body):
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
            by_rows = _is_count(flow, TextValue(count, scope), data)
            if by_rows is not None and sums.get(_named_in(total, scope)) == {not by_rows}:
                found.append((node.lineno, by_rows))
    return sorted(set(found))


def divided_by_places(tree: ast.Module) -> list[int]:
    """Find the lines that divide a sum over the places with a label by the number of all places.

    `total += cross_entropy(…, ignore_index=0, reduction="sum")`, and `count += labels.numel()`.
    """
    flow, found = Flow(tree), list[int]()
    for scope in scopes(tree):
        added = dict[str, list[TextValue]]()
        for each in own_nodes(scope.body):
            if isinstance(each, ast.AugAssign) and isinstance(each.op, ast.Add):
                value = TextValue(each.value, scope)
                added.setdefault(ast.unparse(each.target), []).append(value)
        sums = {n for n, of in added.items() if all(_leaves_out(flow, each) for each in of)}
        counts = {n for n, of in added.items() if all(_is_of_all(e.node) for e in of)}
        for node in own_nodes(scope.body):
            if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div):
                continue
            if ast.unparse(node.left) in sums and ast.unparse(node.right) in counts:
                found.append(node.lineno)
    return sorted(found)


def _is_of_all(node: ast.expr) -> bool:
    """Return whether this is how many places there are, and not how many are kept."""
    of = owner_of(node) if method(node) == "numel" else None
    return isinstance(of, ast.Name | ast.Attribute | ast.Subscript) and not parts(of, ast.Compare)


def _leaves_out(flow: Flow, value: TextValue) -> bool:
    """Return whether this is the sum of a loss that leaves out places by their label."""
    node = value.node
    while isinstance(node, ast.Call) and not node.keywords and last_part(node.func) in PASSED_ON:
        node = worked_on(node)[0]
    made = [each.node for each in flow.origins(value.of(node))]
    made += [
        each.node
        for call in made
        if isinstance(call, ast.Call)
        for each in flow.origins(value.of(call.func))
    ]
    told = [named(each) for each in made if isinstance(each, ast.Call)]
    # A mark that no label has leaves out none.
    return any(
        "ignore_index" in each
        and not isinstance(each["ignore_index"], ast.UnaryOp)
        and ast.unparse(each.get("reduction", ast.Constant(""))) == "'sum'"
        for each in told
    )


def _rows_of(data: ast.expr) -> list[ast.expr]:
    """Return what has as many rows as a dataset: itself, and what one of tensors is made of."""
    is_made = isinstance(data, ast.Call) and last_part(data.func) == "TensorDataset"
    return [data, *(data.args if isinstance(data, ast.Call) and is_made else [])]


def _sums(
    flow: Flow, scope: Scope, within: dict[ast.AST, ast.AST], data: set[str]
) -> Iterator[tuple[ast.expr, bool | None]]:
    """Yield what loops add up: True of rows, False of a mean, None if unknown."""
    for added in (e for e in own_nodes(scope.body) if isinstance(e, ast.AugAssign)):
        loops = [each for each in around(added, within) if isinstance(each, ast.For)]
        # Of rows that come one by one there are as many as of their losses.
        is_by_rows = any(
            ".dataset" in ast.unparse(loop.iter)
            or (names(loop.iter) & data and "DataLoader" not in names(loop.iter))
            or any(
                ast.unparse(each.value) in data and names(each.slice) & names(loop.target)
                for each in parts(loop, ast.Subscript)
            )
            for loop in loops
        )
        if isinstance(added.op, ast.Add) and loops and not is_by_rows:
            yield added.target, _kind(flow, TextValue(added.value, scope))


def _named_in(total: ast.expr, scope: Scope) -> str:
    """Return what tells a sum apart: its name in a function, or an attribute anywhere."""
    place = scope.lineno if isinstance(scope, ast.FunctionDef) else 0
    return (
        ast.unparse(total) if isinstance(total, ast.Attribute) else f"{place} {ast.unparse(total)}"
    )


def _kind(flow: Flow, value: TextValue, depth: int = 0) -> bool | None:
    """Return True where a count of rows is added, False of a mean, None where it is neither."""
    node = value.node
    while isinstance(node, ast.Call) and not node.keywords and last_part(node.func) in PASSED_ON:
        of = worked_on(node)
        if not of or (depth and len(of) == 1 and method(node) == "mean"):
            break
        node = of[0]
    found = [*flow.origins(value.of(node))] if depth < DEEPEST else []
    kinds = {
        _as_made(flow, each, depth) if each.node is node else _kind(flow, each, depth + 1)
        for each in found
    }
    return kinds.pop() if len(kinds) == 1 else None


def _as_made(flow: Flow, value: TextValue, depth: int) -> bool | None:
    """Return the same of a value as it was made; a function's own mean is one of its batch."""
    match value.node:
        case ast.Call(func=ast.Attribute(value=ast.Compare(), attr="sum"), args=[]):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Call() as inner, attr="sum"), args=[]):
            return True if last_part(inner.func) == "eq" else None
        case ast.UnaryOp(operand=operand):
            return _kind(flow, value.of(operand), depth)
        case ast.Call() as call:
            made = [each.node for each in flow.origins(value.of(call.func))]
            is_one = bool(made) and all(isinstance(e, ast.Call) and is_mean(e) for e in made)
            is_own = depth > 0 and method(call) == "mean" and not call.keywords
            return False if is_mean(call) or is_one or is_own else None
    return None


def _is_count(flow: Flow, count: TextValue, data: set[str]) -> bool | None:
    """Return whether a divisor counts rows; False of batches, None where it counts neither."""
    match count.node:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Attribute(attr="dataset")]):
            return True
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name) as one]):
            if name in data:
                return True
            sizes = {_size(each.node) for each in flow.origins(count.of(one))}
            return False if sizes and not sizes & {"", "1", "None"} else None
    return None


def _size(loader: ast.expr) -> str:
    """Return how many rows the batches of a loader have; empty where this is none."""
    if not isinstance(loader, ast.Call) or last_part(loader.func) != "DataLoader":
        return ""
    size = named(loader).get("batch_size", loader.args[1] if loader.args[1:] else None)
    return "1" if size is None else ast.unparse(size)
