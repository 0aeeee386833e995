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
    """Whether a function that computes a metric has an `argmin`, and no `argmax`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and METRIC.search(node.name):
            names = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
            if "argmin" in names and "argmax" not in names:
                return True
    return False


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
