"""Data sets of a script whose items have their inputs from one place, and labels from another.

`__getitem__(self, index)` takes `self.images[index]` and `self.labels[index - 1]`, say. That may be
meant, of series above all: whether anything is learned has to be measured.
"""

import ast
from collections.abc import Iterator

CHANCE = {"randint", "randrange", "choice"}
"""Functions that draw a place."""


def items_apart(tree: ast.Module) -> list[int]:
    """The lines on which an item's part is taken from another place than the others."""
    return sorted(
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for function in node.body
        if isinstance(function, ast.FunctionDef) and function.name == "__getitem__"
        for line in _apart(function, _measured(node))
    )


def _apart(function: ast.FunctionDef, rows: set[str]) -> Iterator[int]:
    names = [each.arg for each in function.args.args]
    if len(names) != 2:
        return
    index = names[1]
    plain, other = set[str](), dict[str, int]()
    for node in ast.walk(function):
        name = _own(node.value) if isinstance(node, ast.Subscript) else None
        if name is None or not isinstance(node, ast.Subscript):
            continue
        if isinstance(node.slice, ast.Name) and node.slice.id == index:
            plain.add(name)
        elif _is_another(node.slice, index, is_of_rows=name in rows):
            other[name] = node.lineno
    # Of one column two places may be taken, to make a pair of them.
    if plain:
        yield from (line for name, line in other.items() if name not in plain)


def _is_another(place: ast.expr, index: str, *, is_of_rows: bool) -> bool:
    """Whether this is another place than the index: a sum with it, one by chance, or always one.

    A table may be looked up with what an item holds, and the first of two figures be taken.
    """
    if isinstance(place, ast.Constant):
        return isinstance(place.value, int) and is_of_rows
    inner = list(ast.walk(place))
    is_of_index = any(isinstance(each, ast.Name) and each.id == index for each in inner)
    calls = (each.func for each in inner if isinstance(each, ast.Call))
    drawn = any(isinstance(each, ast.Attribute) and each.attr in CHANCE for each in calls)
    return (isinstance(place, ast.BinOp) and is_of_index) or drawn


def _measured(node: ast.ClassDef) -> set[str]:
    """What a class takes the length of: that has the rows."""
    calls = (each for each in ast.walk(node) if isinstance(each, ast.Call) and each.args)
    lengths = (c.args[0] for c in calls if isinstance(c.func, ast.Name) and c.func.id == "len")
    return {name for each in lengths if (name := _own(each)) is not None}


def _own(node: ast.expr) -> str | None:
    """The name of an attribute of the object itself."""
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return node.attr if is_own and isinstance(node, ast.Attribute) else None
