"""Data sets of a script whose items have their inputs from one place, and labels from another.

`__getitem__(self, index)` takes `self.images[index]` and `self.labels[index - 1]`, say. That may be
meant, of series above all: whether anything is learned has to be measured.
"""

import ast
from collections.abc import Iterator


def items_apart(tree: ast.Module) -> list[int]:
    """The lines on which an item's part is taken from another place than the others."""
    return sorted(
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name == "__getitem__"
        for line in _apart(node)
    )


def _apart(function: ast.FunctionDef) -> Iterator[int]:
    names = [each.arg for each in function.args.args]
    if len(names) != 2:
        return
    own, index = names
    plain, other = set[str](), dict[str, int]()
    for node in ast.walk(function):
        if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Attribute):
            continue
        if not isinstance(node.value.value, ast.Name) or node.value.value.id != own:
            continue
        if isinstance(node.slice, ast.Name) and node.slice.id == index:
            plain.add(node.value.attr)
        elif not isinstance(node.slice, ast.Slice | ast.Tuple):
            other[node.value.attr] = node.lineno
    # Of one column two places may be taken, to make a pair of them.
    if plain:
        yield from (line for name, line in other.items() if name not in plain)
