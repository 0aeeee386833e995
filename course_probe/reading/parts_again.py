"""Evaluations on the rows of the training, by a script's text: a part that is taken wrongly.

Two draws of one split leave other rows out; and a test that takes the places of the training is
one of what was learned.
"""

import ast
from collections.abc import Iterator

from course_probe.reading.held_out_names import HELD_OUT
from course_probe.reading.script_text import (
    last_part,
    named,
    names,
    own_nodes,
    parts,
    scopes,
    stored,
)

SPLITS = {"train_test_split", "random_split"}
SEEDS = {"generator", "random_state", "shuffle", "stratify"}
SETTING = {"manual_seed", "seed", "seed_everything", "set_seed"}


def drawn_again(tree: ast.Module) -> list[int]:
    """Find the lines that take held-out rows of one draw, where those to train on are of another.

    `train, _ = random_split(rows, [n, k])` and `_, test = random_split(rows, [n, k])`.
    """
    read = {e.id for e in parts(tree, ast.Name) if isinstance(e.ctx, ast.Load)}
    read |= {e.attr for e in parts(tree, ast.Attribute) if isinstance(e.ctx, ast.Load)}
    draws: dict[str, list[tuple[int, bool]]] = {}
    for scope in scopes(tree):
        nodes = [*own_nodes(scope.body)]
        # Draws after one seed may be alike.
        is_set = any(isinstance(e, ast.Call) and last_part(e.func) in SETTING for e in nodes)
        for node in nodes:
            match node:
                case ast.Assign(
                    targets=[ast.Tuple(elts=[ast.Name() | ast.Attribute() as a, b])],
                    value=ast.Call(args=[_, *rest]) as call,
                ) if last_part(call.func) in SPLITS and not is_set:
                    kept = [e for e in (a, b) if last_part(e) in read - {"_"}]
                    if len(kept) == 1 and not named(call).keys() & SEEDS:
                        how = ", ".join([last_part(call.func), *map(ast.unparse, rest)])
                        draws.setdefault(how, []).append((node.lineno, kept[0] is b))
    return sorted(
        line
        for each in draws.values()
        if {is_second for _line, is_second in each} == {True, False}
        for line, is_second in each
        if is_second
    )


def trained_places_asked(tree: ast.Module) -> list[int]:
    """Find the lines of a test that takes the places that the loss takes, and never its own.

    `loss(out[idx_train], y[idx_train]).backward()`; `test()` asks for `out[idx_train]`, and nothing
    reads `idx_test`.
    """
    if not any(HELD_OUT.search(each.lower()) for each in _unread(tree)):
        return []
    trained, found = set[str](), list[tuple[int, str]]()
    for scope in scopes(tree):
        nodes = [*own_nodes(scope.body)]
        sent = {
            name
            for node in nodes
            if isinstance(node, ast.Call) and last_part(node.func) == "backward"
            for name in names(node.func)
        }
        for node in nodes:
            if isinstance(node, ast.Assign) and {*stored(node)} & sent:
                trained |= {place for _line, place in _places(node)}
        if HELD_OUT.search(getattr(scope, "name", "").lower()) and not sent:
            found += [each for node in scope.body for each in _places(node)]
    is_all = bool(found) and all(place in trained for _line, place in found)
    return sorted({line for line, _place in found if is_all})


def _unread(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a scope gives a value, and that neither it nor another one reads."""
    inside = [(scope, [*own_nodes(scope.body)]) for scope in scopes(tree)]
    held = [
        (scope, {name for node in nodes if isinstance(node, ast.Name) for name in stored(node)})
        for scope, nodes in inside
    ]
    for scope, names_of in held:
        read = {
            node.id
            for (other, nodes), (_scope, theirs) in zip(inside, held, strict=True)
            for node in nodes
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
            if other is scope or node.id not in theirs
        }
        yield from names_of - read


def _places(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield by which name two things are taken apart alike: answers and labels."""
    for call in parts(node, ast.Call):
        match call.args[:2]:
            case [ast.Subscript(slice=ast.Name(id=one)), ast.Subscript(slice=ast.Name(id=other))]:
                if one == other:
                    yield call.lineno, one
