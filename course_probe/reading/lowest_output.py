"""Whether the text of a script looks for the lowest output where it computes a metric.

A call of a function of NumPy or PyTorch is heard; one of an array's own method is not.
"""

import ast
import re

METRIC = re.compile(r"metric|accuracy|evaluat", re.IGNORECASE)
"""What the name of a function tells that computes a metric."""


def takes_lowest(tree: ast.Module) -> bool:
    """Whether a function that computes a metric has an `argmin`, and no `argmax`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and METRIC.search(node.name):
            names = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
            if "argmin" in names and "argmax" not in names:
                return True
    return False
