"""Whether the text of a script looks for the lowest output where it computes a metric.

A call of a function of NumPy or PyTorch is heard; one of an array's own method is not.
"""

import ast
import re
from collections.abc import Iterator

from course_probe.reading.script_text import last_part

COMPARES = re.compile(r"^compute$|_score$|_error$|^accuracy$")
"""Methods and functions of libraries that compare answers with the truth."""


def lowest_chosen(tree: ast.Module) -> list[int]:
    """The lines where that is looked for along an axis: among the outputs for each row."""
    return sorted(
        node.lineno
        for function in _choosing_lowest(tree)
        for node in ast.walk(function)
        if isinstance(node, ast.expr) and (_is_first_of_sorted(node) or _is_argmin_of_rows(node))
    )


def least_similar(tree: ast.Module) -> list[int]:
    """The lines where the lowest products of rows with rows are chosen, and held against the truth.

    `sim = z @ z.T`, `nearest = sim.argmin(1)`, `ids[nearest] == ids`: the higher a product is, the
    more alike are two rows. Who looks for both ends, or for distances, is not meant.
    """
    return sorted(
        line
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for line in _least_similar(function)
    )


def _least_similar(function: ast.FunctionDef) -> Iterator[int]:
    parts = list(ast.walk(function))
    given = [n for n in parts if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)]
    products = {ast.unparse(n.targets[0]) for n in given if _is_product(n.value)}
    others = {ast.unparse(n.targets[0]) for n in given if not _is_product(n.value)}
    chosen = {
        ast.unparse(n.targets[0]): n.lineno
        for n in given
        if _is_lowest_of(n.value, products - others)
    }
    calls = [n for n in parts if isinstance(n, ast.Call)]
    if any(last_part(n.func) == "argmax" or _is_largest(n) for n in calls):
        return
    for node in parts:
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq):
            names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            yield from (chosen[name] for name in names & chosen.keys())


def _is_product(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return last_part(node.func) in ("matmul", "mm", "cosine_similarity")
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)


def _is_largest(call: ast.Call) -> bool:
    """Whether this is `topk` of the highest values."""
    lowest = [k for k in call.keywords if k.arg == "largest" and ast.unparse(k.value) == "False"]
    return last_part(call.func) == "topk" and not lowest


def _is_lowest_of(node: ast.expr, products: set[str]) -> bool:
    """Whether this is `sim.argmin(1)`, or `sim.topk(5, largest=False).indices`, of a product."""
    if isinstance(node, ast.Attribute) and node.attr == "indices":
        node = node.value
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    is_topk = last_part(node.func) == "topk" and not _is_largest(node)
    of = node.args[0] if ast.unparse(node.func.value) == "torch" and node.args else node.func.value
    return (is_topk or _is_argmin_of_rows(node)) and ast.unparse(of) in products


def takes_lowest(tree: ast.Module) -> bool:
    """Whether a function that compares answers has an `argmin`, and no `argmax`."""
    return next(_choosing_lowest(tree), None) is not None


def _choosing_lowest(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """The functions that compare answers, and have an `argmin` and no `argmax`.

    The first place of a rising `argsort` is the same. What the function is called tells nothing.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            parts = list(ast.walk(node))
            if not any(map(_compares, parts)):
                continue
            names = {each.attr for each in parts if isinstance(each, ast.Attribute)}
            is_lowest = "argmin" in names or any(map(_is_first_of_sorted, parts))
            if is_lowest and "argmax" not in names:
                yield node


def _is_argmin_of_rows(node: ast.AST) -> bool:
    """Whether this is `logits.argmin(-1)`; without an axis, it is the best of all."""
    if not isinstance(node, ast.Call) or last_part(node.func) != "argmin":
        return False
    values = [*node.args, *(each.value for each in node.keywords if each.arg in ("axis", "dim"))]
    plain = (each.operand if isinstance(each, ast.UnaryOp) else each for each in values)
    return any(isinstance(each, ast.Constant) and isinstance(each.value, int) for each in plain)


def _compares(node: ast.AST) -> bool:
    """Whether something is held against something else, one by one or by a metric."""
    if isinstance(node, ast.Compare):
        return any(isinstance(each, ast.Eq) for each in node.ops)
    return isinstance(node, ast.Call) and bool(COMPARES.search(last_part(node.func)))


def _is_first_of_sorted(node: ast.AST) -> bool:
    """Whether this is `np.argsort(logits)[:, 0]`, of values that no sign has turned round."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Tuple):
        return False
    call, last = node.value, node.slice.elts[-1]
    is_sorted = isinstance(call, ast.Call) and last_part(call.func) == "argsort"
    is_first = isinstance(last, ast.Constant) and last.value == 0
    if not (is_sorted and is_first and isinstance(call, ast.Call)):
        return False
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    turned = [*call.args, owner] if owner is not None else call.args
    is_falling = any(each.arg == "descending" for each in call.keywords)
    # An axis of -1 turns nothing round.
    signs = (
        e for e in turned if isinstance(e, ast.UnaryOp) and not isinstance(e.operand, ast.Constant)
    )
    return not is_falling and not any(signs)
