"""Columns of the data that a script drops by name, or does not choose, while it keeps others."""

import ast
from collections.abc import Iterator, Sequence


def is_chosen(tree: ast.Module, left_out: str, given: Sequence[str]) -> bool:
    """Whether the script says that a column is left out, beside columns that are given.

    A call with its name and none of the others drops it: `remove_columns=` with all of them only
    tidies up. A list of names with others and without it, as in `frame[["text", "label"]]`, is a
    choice.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            values = [*node.args, *(each.value for each in node.keywords)]
            names = {name for value in values for name in _names(value)}
            if left_out in names and names.isdisjoint(given):
                return True
            lists = [each for each in values if isinstance(each, ast.List | ast.Tuple)]
            is_method = isinstance(node.func, ast.Attribute) and "select" in node.func.attr
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.List):
            lists, is_method = [node.slice], True
        else:
            continue
        for each in lists if is_method else ():
            names = {*_names(each)}
            if not names.isdisjoint(given) and left_out not in names:
                return True
    return False


def _names(node: ast.expr) -> Iterator[str]:
    """The strings that a value is, or lists."""
    for each in node.elts if isinstance(node, ast.List | ast.Tuple) else (node,):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value
