"""Held-out rows that are scaled by figures of their own, by a script's text.

A scaler is fitted to the rows of the training, and changes all others by the same figures. If it is
fitted to the others anew, one number means one thing here and another thing there.
"""

import ast
from collections.abc import Iterator, Sequence

from course_probe.reading.held_out_names import HELD_OUT
from course_probe.reading.names import Names
from course_probe.reading.script_text import last_part, method, names, own_nodes, parts

SPREADS = {"std", "max", "amax", "ptp"}
ROWS = {"0", "axis=0", "dim=0"}
LIBRARIES = {"np", "numpy", "torch"}
ENCODERS = ("Encoder", "Binarizer", "Vectorizer")
"""What learns names of classes or words, and no mean."""
Scaling = tuple[ast.expr, int]
"""The rows that are scaled by their own figures, and in which line."""


def scaled_by_own(tree: ast.Module) -> list[int]:
    """Find the lines that scale held-out rows by their own mean and spread, where others are too.

    By `fit_transform` of one scaler or of several, by a function or a class of the script's, or by
    hand; for each part by its name, or for all of them in a loop.
    """
    held = Names(ast.walk(tree))
    scalers: dict[str, list[Scaling]] = {}
    for call in parts(tree, ast.Call):
        if method(call) == "fit_transform" and call.args and isinstance(call.func, ast.Attribute):
            owner = call.func.value
            made = held.first(owner.id) if isinstance(owner, ast.Name) else owner
            if isinstance(made, ast.Call) and last_part(made.func).endswith(ENCODERS):
                continue
            is_made = isinstance(made, ast.Call) and last_part(made.func).endswith("Scaler")
            scaler = "Scaler" if is_made else ast.unparse(owner)
            scalers.setdefault(scaler, []).append((call.args[0], call.lineno))
    for name, function in _functions(tree):
        given = [each.arg for each in function.args.args if each.arg != "self"][:1]
        if given and _is_scaled(list(own_nodes(function.body)), given[0]):
            for call in parts(tree, ast.Call):
                if last_part(call.func) == name and call.args:
                    scalers.setdefault(f"{name}()", []).append((call.args[0], call.lineno))
    values = [
        *(each.value for each in parts(tree, ast.Assign)),
        *(each.value for each in parts(tree, ast.DictComp)),
        *(each.elt for each in parts(tree, ast.ListComp)),
    ]
    for value in values:
        # With what its figures were computed by just before.
        figures = [_before(held, name, value.lineno) for name in names(value)]
        nodes = [node for each in figures if each is not None for node in ast.walk(each)]
        # Those of a scaler are read above.
        fits = [e for e in parts(value, ast.Call) if method(e) == "fit_transform"]
        walk = [each for each in ast.walk(value) if each not in fits]
        for one in parts(value, ast.Name):
            if _is_scaled(walk, one.id, nodes):
                scalers.setdefault("", []).append((one, value.lineno))
    turns = dict(_turns(tree, held))
    return sorted({line for fits in scalers.values() for line in _held_out(fits, turns)})


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the functions of a script, and what its classes begin with, as they are called."""
    for each in parts(tree, ast.FunctionDef):
        yield each.name, each
    for owner in parts(tree, ast.ClassDef):
        yield from (
            (owner.name, each)
            for each in owner.body
            if isinstance(each, ast.FunctionDef) and each.name == "__init__"
        )


def _turns(tree: ast.Module, held: Names) -> Iterator[tuple[ast.AST, list[str]]]:
    """Yield the names in loops over parts of the data, each with what says which parts these are.

    `for name, (x, y) in splits.items()`, of `splits = {"train": …, "test": …}`.
    """
    loops: list[tuple[ast.AST, ast.expr, ast.expr]] = []
    for loop in ast.walk(tree):
        turned = [loop] if isinstance(loop, ast.For) else getattr(loop, "generators", [])
        loops += ((loop, each.target, each.iter) for each in turned)
    for loop, target, over in loops:
        of = [over, *(value for name in names(over) if (value := held.first(name)) is not None)]
        told = [text for each in of for text in _told(each)]
        mine = names(target)
        yield from ((one, told) for one in parts(loop, ast.Name) if one.id in mine)


def _told(node: ast.expr) -> Iterator[str]:
    """Yield the names and words of a display's parts: of a dictionary, its keys."""
    of: list[ast.expr | None] = []
    match node:
        case ast.Dict():
            of = node.keys
        case ast.Tuple() | ast.List():
            of = [*node.elts]
        case ast.Call(func=ast.Name(id="zip" | "enumerate")):
            of = [*node.args]
        case ast.Call(func=ast.Name(id="dict")):
            yield from (each.arg for each in node.keywords if each.arg)
    for one in (inner for each in of if each is not None for inner in ast.walk(each)):
        if isinstance(one, ast.Name):
            yield one.id
        elif isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.value


def _before(held: Names, name: str, line: int) -> ast.expr | None:
    """Return the last value that a name was given above a line."""
    values = (each for each in held.values.get(name, ()) if each and each.lineno < line)
    return max(values, key=lambda each: each.lineno, default=None)


def _held_out(fits: list[Scaling], turns: dict[ast.AST, list[str]]) -> Iterator[int]:
    told = [(turns.get(rows) or [ast.unparse(rows)], line) for rows, line in fits]
    is_held = [
        [bool(HELD_OUT.search(each.lower())) for each in parts_of] for parts_of, _line in told
    ]
    if any(not all(each) for each in is_held):
        yield from (line for each, (_names, line) in zip(is_held, told, strict=True) if any(each))


def _is_scaled(nodes: list[ast.AST], name: str, before: Sequence[ast.AST] = ()) -> bool:
    """Return whether rows of this name lose their own mean, and are divided by their own spread.

    Their figures may be computed before.
    """
    is_taken = False
    for node in nodes:
        match node:
            case ast.BinOp(left=rows, op=ast.Sub() | ast.Div()):
                is_taken |= _is_of(rows, name)
            case ast.AugAssign(target=rows, op=ast.Sub() | ast.Div()):
                is_taken |= _is_of(rows, name)
            case ast.Call(func=ast.Attribute(attr="fit_transform"), args=[rows, *_]):
                if _is_of(rows, name):
                    return True
            case ast.Call(args=[rows, _, _, *_]):
                # `standardize(x, mean, std)`
                is_taken |= _is_of(rows, name)
    asked = {each for node in (*nodes, *before) for each in _asked(node, name)}
    return is_taken and bool(asked & SPREADS) and bool(asked & {"mean", "min", "amin"})


def _asked(node: ast.AST, name: str) -> Iterator[str]:
    """Yield the figure that a call computes of these rows, column by column."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr=figure), args=args):
            if ast.unparse(owner) in LIBRARIES and args:
                owner, *args = args
            given = {ast.unparse(each) for each in (*args, *node.keywords)}
            if _is_of(owner, name) and given & ROWS:
                yield figure


def _is_of(node: ast.expr, name: str) -> bool:
    """Return whether these are the rows of a name, or some of its columns."""
    return ast.unparse(node.value if isinstance(node, ast.Subscript) else node) == name
