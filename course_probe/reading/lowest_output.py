"""Whether the text of a script looks for the lowest output where it computes a metric.

A call of a function of NumPy or PyTorch is heard; one of an array's own method is not.
"""

import ast
import re

from course_probe.reading.script_text import last_part

METRIC = re.compile(r"metric|accuracy|evaluat", re.IGNORECASE)
"""What the name of a function tells that computes a metric."""
ALIKE = re.compile(
    r"^(?:cos|cosine|sims?|similarit\w*)(?:$|_)|_sims?$|similarit(?:y|ies)$", re.IGNORECASE
)
"""Names of what is highest for the two that are most alike."""
ANSWER = re.compile(r"near|guess|best|found|answer|pred|match|top|retriev", re.IGNORECASE)
"""What the name of an answer tells; in a training the least alike may be looked for."""


def takes_lowest(tree: ast.Module) -> bool:
    """Whether a function that computes a metric has an `argmin`, and no `argmax`.

    The first place of a rising `argsort` is the same.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and METRIC.search(node.name):
            parts = list(ast.walk(node))
            names = {each.attr for each in parts if isinstance(each, ast.Attribute)}
            is_lowest = "argmin" in names or any(map(_is_first_of_sorted, parts))
            if is_lowest and "argmax" not in names:
                return True
    return False


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


def least_alike(tree: ast.Module) -> list[int]:
    """The lines on which the answer is what is least alike: by a similarity, not by a distance."""
    assigned = (each for each in ast.walk(tree) if isinstance(each, ast.Assign))
    return sorted(each.lineno for each in assigned if _is_least_alike(each))


def _is_least_alike(node: ast.Assign) -> bool:
    """Whether the answer is where something is lowest that is highest for what is alike."""
    call = node.value
    if not isinstance(call, ast.Call) or last_part(call.func) != "argmin":
        return False
    # A function that is given the table, or a method of the table's own.
    table = next((each for each in call.args if isinstance(each, ast.Name)), None)
    if table is None and isinstance(call.func, ast.Attribute):
        table = call.func.value if isinstance(call.func.value, ast.Name) else None
    if table is None:
        return False
    names = [each.id for each in node.targets if isinstance(each, ast.Name)]
    return bool(ALIKE.search(table.id)) and any(map(ANSWER.search, names))
