"""Rows of one patient, or of one speaker, on both sides of a split, by a script's text.

Such rows have something in common beside their label, and they share the label. A network that
knows a patient again knows the label as well. Only where the text shows all three is it told: a
group has figures of its own, and one label, and the rows are split one by one.
"""

import ast
import re
from collections.abc import Iterator

from course_probe.reading.flow import Flow, TextValue
from course_probe.reading.label_names import LABELS
from course_probe.reading.script_text import (
    Scope,
    bound,
    in_order,
    last_part,
    names,
    own_nodes,
    parts,
    scopes,
    stored,
)

GROUP = re.compile(
    r"(?i)^(?:n_|num_|this_)?(?:patient|subject|speaker|person|people|participant|household|writer"
    r"|author|animal|donor|volunteer|driver|farm|hospital|session|recording|video|scene|document"
    r"|doc|article|machine|device|site|group|family|plant|well|case|specimen|slide)s?"
    r"(?:_?(?:ids?|index|idx|no|number|of_row))?$"
)
"""Names of what several rows may come from; those of a recommendation are known on purpose."""
DRAWING = re.compile(r"randn|normal|uniform|\brand\b|random|choice|gamma|poisson|exponential")
ASIDE = re.compile(
    r"Group\w*\(|isin\(|unique\(|set\(|Embedding\([^)]*(?:patient|subject|speaker|user)"
)
"""What a script that splits by groups, or reads them as an input, has in it."""
SHAPING = {"view", "reshape", "unflatten"}
PLACING = {"repeat", "repeat_interleave", "integers", "randint", "arange"}
FILLING = {"append", "extend"}


def split_within(tree: ast.Module) -> list[tuple[int, str]]:
    """Find the lines that split rows one by one, and what several of them come from."""
    # Of a table of groups, each row is a group.
    inside = {call for kind in parts(tree, ast.ClassDef) for call in parts(kind, ast.Call)}
    shaped = (c for c in parts(tree, ast.Call) if last_part(c.func) in SHAPING and c not in inside)
    if ASIDE.search(ast.unparse(tree)) or any(len(c.args) > 2 for c in shaped):
        return []
    flow, found = Flow(tree), list[tuple[int, str]]()
    of = [e for scope in scopes(tree) for e in (*_by_turns(scope), *_by_places(scope))]
    for rows, scope in _splits(tree) if of else ():
        behind = {e.node for e in flow.behind(TextValue(rows, scope))}
        names_of = (group for group, made in of if behind & {*made})
        found += [(rows.lineno, group) for group in names_of][:1]
    return found[:1]


def _splits(tree: ast.Module) -> Iterator[tuple[ast.expr, Scope]]:
    """Yield what is split by chance; where it is done by an order, what that is as long as."""
    for scope in scopes(tree):
        for call in (e for e in own_nodes(scope.body) if isinstance(e, ast.Call)):
            match last_part(call.func), call.args:
                case "train_test_split" | "random_split", [rows, *_]:
                    yield rows, scope
                case "permutation" | "randperm", [ast.Call(func=ast.Name(id="len"), args=[rows])]:
                    if _is_cut(tree, call):
                        yield rows, scope


def _is_cut(tree: ast.Module, call: ast.Call) -> bool:
    """Return whether an order is cut in two: `order[:n]` and `order[n:]`."""
    orders = {
        name
        for node in parts(tree, ast.Assign)
        if call in ast.walk(node.value)
        for target in node.targets
        for name in stored(target)
    } | {name for one in call.args for name in names(one)}
    cuts = [e for e in parts(tree, ast.Subscript) if isinstance(e.slice, ast.Slice)]
    ends = [
        (bool(e.slice.lower), bool(e.slice.upper))
        for e in cuts
        if names(e.value) & orders and isinstance(e.slice, ast.Slice)
    ]
    return (False, True) in ends and any(begins for begins, _ends in ends)


def _by_turns(scope: Scope) -> Iterator[tuple[str, list[ast.expr]]]:
    """Yield groups of which each turn of a loop makes several rows, with one label; and the rows.

    The rows are made of numbers that are drawn once for the group.
    """
    for loop in (e for e in own_nodes(scope.body) if isinstance(e, ast.For)):
        told = [*names(loop.target), *names(loop.iter)]
        group = next((each for each in told if GROUP.search(each)), None)
        inner = [each for each in loop.body if isinstance(each, ast.For)]
        own = dict(_given([e for e in loop.body if isinstance(e, ast.Assign)]))
        within = dict(_given([node for each in inner for node in in_order(each.body)]))
        filled = [
            item
            for each in inner
            for call in parts(each, ast.Call)
            if isinstance(call.func, ast.Attribute) and call.func.attr in FILLING
            # A list that is begun anew holds the rows of one group.
            if not names(call.func.value) & own.keys()
            for item in _items(call)
        ]
        labels = {
            given.id
            for to, given in filled
            if isinstance(given, ast.Name) and given.id in own.keys() - within.keys()
            if LABELS.search(given.id) or LABELS.search(to)
        }
        drawn = {n for n, value in own.items() if DRAWING.search(ast.unparse(value))} - labels
        made = [within.get(getattr(given, "id", ""), given) for _to, given in filled]
        drawn |= {name for name, value in within.items() if names(value) & drawn} - labels
        rows = [each for each in made if names(each) & drawn]
        if group is not None and labels and rows:
            yield group, rows


def _given(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    for node in body:
        if isinstance(node, ast.Assign):
            yield from ((name, value) for to, value in bound(node) for name in stored(to))


def _items(call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """Yield what is put into a list, with the name of its place: that of the list, or a key."""
    name = last_part(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    for given in call.args[-1:]:
        match given:
            case ast.Tuple(elts=several):
                yield from ((name, each) for each in several)
            case ast.Dict(keys=keys, values=several):
                for key, each in zip(keys, several, strict=True):
                    yield str(getattr(key, "value", "")), each
            case _:
                yield name, given


def _by_places(scope: Scope) -> Iterator[tuple[str, list[ast.expr]]]:
    """Yield groups of which each row has a place, with figures and one label; and the rows."""
    made = dict(_given([e for e in own_nodes(scope.body) if isinstance(e, ast.Assign)]))
    for group, value in made.items():
        calls = {last_part(each.func) for each in parts(value, ast.Call)}
        if not GROUP.search(group) or not calls & PLACING:
            continue
        taken = {
            name: {
                last_part(e.value) for e in parts(of, ast.Subscript) if names(e.slice) == {group}
            }
            for name, of in made.items()
        }
        # A label of which the group alone decides.
        labels = {n for n in taken if LABELS.search(n) and isinstance(made[n], ast.Subscript)}
        rows = [
            made[name]
            for name, of in taken.items()
            if name not in labels
            if any(DRAWING.search(ast.unparse(made[each])) for each in of & made.keys())
        ]
        if any(taken[each] for each in labels) and rows:
            yield group, rows
