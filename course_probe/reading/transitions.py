"""Transitions that are kept with one state twice, by a script's text.

What an agent learns from are the state before an action and the one after it. Where the name of the
first is given the second before both are kept, the two are one.
"""

import ast
from collections.abc import Iterator, Sequence

from course_probe.reading.script_text import bound, last_part, own_nodes, parts

SAME = {"copy", "clone", "deepcopy", "array", "asarray", "tensor", "as_tensor", "from_numpy"}
SAME |= {"float", "to", "unsqueeze", "astype"}
"""Functions and methods that give the same numbers again."""
PARTS = 4
"""A transition has a state, an action, a reward and the next state at least."""
TAKEN = 3
"""What an environment gives for an action: a state, a reward, and whether it is over."""
KEPT = {
    *("append", "push", "add", "store", "put", "remember", "memorize", "save", "insert", "record"),
    *("observe", "write", "cache", "extend", "enqueue", "update", "learn", "train", "step"),
}
"""What begins the name of a method that keeps a transition, or learns from it."""
PLACES = ast.Name | ast.Attribute


def kept_with_one_state(tree: ast.Module) -> list[int]:
    """Find the lines that keep a transition after the state was given the next one."""
    bodies = [*(e.body for e in parts(tree, ast.For)), *(e.body for e in parts(tree, ast.While))]
    return sorted({line for body in bodies for line in _kept_late(body)})


def _kept_late(body: Sequence[ast.stmt]) -> Iterator[int]:
    given: dict[str, str] = {}
    taken = set[str]()
    for statement in body:
        for call in (each for each in own_nodes([statement]) if isinstance(each, ast.Call)):
            items = [ast.unparse(_same(each)) for each in _items(call)]
            is_late = any({*pair} <= {*items} and pair[1] in taken for pair in given.items())
            if is_late or (items and items[0] in taken & {*items[1:]}):
                yield call.lineno
        if not isinstance(statement, ast.Assign):
            # What is done under a condition, or in a loop, may bring back either.
            changed = {ast.unparse(e) for e in ast.walk(statement) if _is_stored(e)}
            given = {a: b for a, b in given.items() if not {a, b} & changed}
            continue
        for target, value in bound(statement):
            stored = {ast.unparse(each) for each in ast.walk(target) if isinstance(each, PLACES)}
            given = {a: b for a, b in given.items() if not {a, b} & stored}
            taken -= stored
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Call):
                is_step = "step" in last_part(value.func) or len(target.elts) >= TAKEN
                taken |= stored if is_step else set()
            one = _same(value)
            if isinstance(target, PLACES) and isinstance(one, PLACES):
                given[ast.unparse(target)] = ast.unparse(one)


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, PLACES) and isinstance(node.ctx, ast.Store)


def _items(call: ast.Call) -> list[ast.expr]:
    """Return what a call keeps together; nothing where it keeps no transition."""
    if not last_part(call.func).lstrip("_").startswith(tuple(KEPT)):
        return []
    given = [*call.args, *(each.value for each in call.keywords)]
    match given:
        case [ast.Tuple(elts=items) | ast.List(elts=items)]:
            given = items
        case [ast.Call(args=items, keywords=named)]:
            given = [*items, *(each.value for each in named)]
        case [ast.Dict(values=items)]:
            given = items
    return given if len(given) >= PARTS else []


def _same(node: ast.expr) -> ast.expr:
    """Return what has the same numbers: `s` of `np.array(s).copy()`."""
    while isinstance(node, ast.Call) and last_part(node.func) in SAME:
        func = node.func
        is_library = isinstance(func, ast.Attribute) and ast.unparse(func.value) in (
            *("np", "numpy", "torch", "copy"),
        )
        if node.args and (is_library or isinstance(func, ast.Name)):
            node = node.args[0]
        elif isinstance(func, ast.Attribute):
            node = func.value
        else:
            break
    return node
