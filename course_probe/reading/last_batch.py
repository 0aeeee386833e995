"""Figures that the text of a script computes anew for each batch, and reads behind the loop.

What is read there is that of the last batch alone. That the loop went over several batches, and
evaluated, has to be measured: its first line is known from there.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from course_probe.reading.script_text import last_part

ON_PURPOSE = r"(?i)last|latest|final|prev|sample|example|demo|show|plot|one_"
"""What marks the name of something that is meant to be of one batch."""
REDUCTIONS = {"sum", "mean", "item", "accuracy_score", "f1_score", "count_nonzero", "average"}
"""What makes one number of a batch."""
LOSS = r"(?i)loss|criterion|cross_entropy"
ADDING = r"(?i)avg|average|meter|running|total|track|metric|ema|hist"
"""What marks the name of something that adds up what it is given."""
SAFE = {"float", "int", "len", "sum", "round", "abs", "max", "min", "torch", "F", "nn", "np"} | {
    "numpy",
    "math",
}
"""Functions and modules that keep nothing from call to call."""


def last_batches(tree: ast.Module, lines: Iterable[int]) -> list[int]:
    """The lines on which loops that begin on some `lines` leave the figure of their last batch."""
    wanted = set(lines)
    if not wanted:
        return []
    known = _keeping_nothing(tree)
    found = set[int]()
    for scope in ast.walk(tree):
        if isinstance(scope, ast.Module | ast.FunctionDef):
            for loop in _loops(scope.body):
                first = range(loop.lineno, (loop.iter.end_lineno or loop.lineno) + 1)
                if not wanted.isdisjoint(first):
                    found.update(_left(scope, loop, known))
    return sorted(found)


def _keeping_nothing(tree: ast.Module) -> set[str]:
    """The names of functions without a state, and of networks."""
    functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    stateful = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and any(isinstance(each, ast.Global | ast.Nonlocal) for each in ast.walk(node))
    }
    networks = {
        node.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.attr in ("eval", "parameters")
    }
    return (functions - stateful) | networks


def last_numbers(tree: ast.Module, lines: Iterable[int]) -> list[int]:
    """The lines on which such loops make tensors of one number that are only read behind them.

    `loss, part = terms(model(x))` in the loop and `loss.item()` behind it: what can be read so is
    one number, whatever makes it.
    """
    wanted = set(lines)
    known = _keeping_nothing(tree) if wanted else set()
    found = set[int]()
    for scope in ast.walk(tree):
        if isinstance(scope, ast.Module | ast.FunctionDef):
            for loop in _loops(scope.body):
                first = range(loop.lineno, (loop.iter.end_lineno or loop.lineno) + 1)
                if not wanted.isdisjoint(first) and not _is_left_early(loop):
                    found.update(_left_as_numbers(scope, loop, known))
    return sorted(found)


def last_computed(tree: ast.Module) -> int | None:
    """The first line that computes a metric anew for each batch, of which the last is read."""
    loops = (node.lineno for node in ast.walk(tree) if isinstance(node, ast.For))
    left = last_batches(tree, loops)
    computing = {
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and any(isinstance(each, ast.Call) and _is_computed(each) for each in ast.walk(node))
    }
    return next((line for line in left if line in computing), None)


def _loops(body: Sequence[ast.stmt]) -> Iterator[ast.For]:
    """The loops of a scope, not those of the functions in it."""
    for each in body:
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if isinstance(each, ast.For):
            yield each
        for block in ("body", "orelse", "finalbody"):
            yield from _loops(getattr(each, block, []))


def _left(scope: ast.Module | ast.FunctionDef, loop: ast.For, known: set[str]) -> Iterator[int]:
    """The lines of one loop on which a figure is computed that only its last batch leaves."""
    if _is_left_early(loop):
        return
    inside = [node for each in loop.body for node in ast.walk(each)]
    own = list(_statements(loop.body))
    stored = [n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    read = {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    of_batch = _targets(loop)
    for each in own:
        if not isinstance(each, ast.Assign):
            continue
        for target, value in _pairs(each):
            if not of_batch & _names(value):
                continue
            if isinstance(target, ast.Name):
                name = target.id
                is_once = stored.count(name) == 1 and name not in read
                is_left = not re.search(ON_PURPOSE, name) and _is_read_behind(scope, loop, name)
                is_of_one = _is_figure(value) or (
                    isinstance(value, ast.List) and len(value.elts) == 1
                )
                is_of_one = is_of_one or _is_scored(scope, loop, name)
                if (
                    is_once
                    and is_left
                    and is_of_one
                    and _keeps_nothing(scope, value, of_batch | known)
                ):
                    yield each.lineno
            of_batch |= _names(target)
    yield from _made_anew(scope, loop, own)
    yield from _ends_of_lists(scope, own, of_batch)


def _is_left_early(loop: ast.For) -> bool:
    """Whether a loop may end before its last batch, or trains."""
    inside = [node for each in loop.body for node in ast.walk(each)]
    return any(isinstance(node, ast.Break | ast.Return | ast.Yield) for node in inside) or any(
        isinstance(n, ast.Attribute) and n.attr in ("backward", "step") for n in inside
    )


def _left_as_numbers(
    scope: ast.Module | ast.FunctionDef, loop: ast.For, known: set[str]
) -> Iterator[int]:
    """The lines of one loop that make what is read behind it, and only there, with `item`."""
    inside = [node for each in loop.body for node in ast.walk(each)]
    named = [node for node in inside if isinstance(node, ast.Name)]
    of_batch = _targets(loop)
    for each in _statements(loop.body):
        if not isinstance(each, ast.Assign) or not of_batch & _names(each.value):
            continue
        made = {name for target in each.targets for name in _names(target)}
        of_batch |= made
        for name in made:
            is_once = sum(node.id == name for node in named) == 1
            is_left = is_once and not re.search(ON_PURPOSE, name)
            is_left = is_left and _is_read_behind(scope, loop, name)
            keeps_nothing = is_left and _keeps_nothing(scope, each.value, of_batch | known)
            if keeps_nothing and _is_number(scope, loop, name):
                yield each.lineno


def _is_number(scope: ast.AST, loop: ast.For, name: str) -> bool:
    """Whether a name is read behind a loop as `name.item()` alone."""
    behind = [n for n in ast.walk(scope) if getattr(n, "lineno", 0) > (loop.end_lineno or 0)]
    read = [n for n in behind if isinstance(n, ast.Name) and n.id == name]
    items = {id(n.value) for n in behind if isinstance(n, ast.Attribute) and n.attr == "item"}
    return all(id(each) in items for each in read if isinstance(each.ctx, ast.Load))


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """What each pass of a loop does, whatever the batch is."""
    for each in body:
        yield each
        if isinstance(each, ast.With):
            yield from _statements(each.body)


def _targets(loop: ast.For) -> set[str]:
    """The names of what a batch holds; the number of the batch is none."""
    target: ast.expr = loop.target
    is_counted = isinstance(loop.iter, ast.Call) and last_part(loop.iter.func) == "enumerate"
    if is_counted and isinstance(target, ast.Tuple) and len(target.elts) == 2:
        target = target.elts[1]
    return _names(target)


def _pairs(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each target of an assignment with its value."""
    for target in node.targets:
        both = (target, node.value)
        if all(isinstance(each, ast.Tuple) for each in both):
            parts = [each.elts for each in both if isinstance(each, ast.Tuple)]
            if len(parts[0]) == len(parts[1]):
                yield from zip(*parts, strict=True)
                continue
        yield both


def _is_figure(value: ast.expr) -> bool:
    """Whether an expression is one number, made of all rows of a batch."""
    match value:
        case ast.BinOp():
            return _is_figure(value.left) or _is_figure(value.right)
        case ast.Call(func=ast.Attribute(attr="item" | "cpu" | "detach" | "numpy" | "double")):
            assert isinstance(value.func, ast.Attribute)
            return value.func.attr == "item" or _is_figure(value.func.value)
        case ast.Call(func=ast.Name(id="float" | "int" | "round"), args=[given, *_]):
            return _is_figure(given)
        case ast.Call():
            name = last_part(value.func)
            is_whole = not value.keywords and len(value.args) <= isinstance(value.func, ast.Name)
            is_whole |= name.endswith("_score")
            return (name in REDUCTIONS and is_whole) or _is_loss(name) or _is_computed(value)
    return False


def _is_computed(call: ast.Call) -> bool:
    """Whether a metric of `evaluate` computes its figures of what it is given in this call."""
    named = {each.arg for each in call.keywords}
    return last_part(call.func) == "compute" and {"predictions", "references"} <= named


def _adds_up(scope: ast.AST, name: str) -> bool:
    """Whether a metric of this name is also given rows to keep, with `add` or `add_batch`."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr in ("add", "add_batch")
        and _root(node.value) == name
        for node in ast.walk(scope)
    )


def _keeps_nothing(scope: ast.AST, value: ast.expr, known: set[str]) -> bool:
    """Whether no call in it can add up what came before: none of an object of another name."""
    for call in ast.walk(value):
        if not isinstance(call, ast.Call):
            continue
        name = _root(call.func)
        if _is_computed(call) and not _adds_up(scope, name):
            continue
        if name not in known | SAFE | REDUCTIONS and not _is_loss(name):
            return False
    return True


def _is_loss(name: str) -> bool:
    """Whether a function is a loss by its name, and not one that adds up losses."""
    return bool(re.search(LOSS, name)) and not re.search(ADDING, name)


def _is_read_behind(scope: ast.Module | ast.FunctionDef, loop: ast.For, name: str) -> bool:
    """Whether a name is read after a loop, as the loop has left it."""
    end = loop.end_lineno or loop.lineno
    uses = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == name]
    behind = sorted((n for n in uses if n.lineno > end), key=lambda n: (n.lineno, n.col_offset))
    if not behind:
        return False
    # `acc = acc / 2` reads first, though the name stands behind.
    first = [n for n in behind if n.lineno == behind[0].lineno]
    return any(isinstance(n.ctx, ast.Load) for n in first)


def _is_scored(scope: ast.AST, loop: ast.For, name: str) -> bool:
    """Whether a name is only read behind a loop to make a score of it."""
    behind = [n for n in ast.walk(scope) if getattr(n, "lineno", 0) > (loop.end_lineno or 0)]
    calls = [n for n in behind if isinstance(n, ast.Call)]
    scores = [n for n in calls if _is_computed(n) or last_part(n.func).endswith("_score")]
    given = {id(part) for call in scores for part in ast.walk(call)}
    read = (n for n in behind if isinstance(n, ast.Name) and n.id == name)
    return all(id(each) in given for each in read)


def _made_anew(
    scope: ast.Module | ast.FunctionDef, loop: ast.For, own: list[ast.stmt]
) -> Iterator[int]:
    """Where a list is emptied for each batch, filled with it, and read behind the loop alone."""
    inside = [node for each in loop.body for node in ast.walk(each)]
    for each in own:
        for target, value in _pairs(each) if isinstance(each, ast.Assign) else ():
            if not isinstance(target, ast.Name) or ast.unparse(value) not in ("[]", "list()"):
                continue
            name = target.id
            uses = [n for n in inside if isinstance(n, ast.Name) and n.id == name]
            filled = sum(
                isinstance(n, ast.Attribute)
                and n.attr in ("append", "extend")
                and isinstance(n.value, ast.Name)
                and n.value.id == name
                for n in inside
            )
            is_left = not re.search(ON_PURPOSE, name) and _is_read_behind(scope, loop, name)
            if is_left and filled and len(uses) == filled + 1:
                yield each.lineno


def _ends_of_lists(
    scope: ast.Module | ast.FunctionDef, own: list[ast.stmt], of_batch: set[str]
) -> Iterator[int]:
    """Where the figures of all batches are put into a list of which only the last is ever read."""
    for each in own:
        call = each.value if isinstance(each, ast.Expr) else None
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[given]):
                uses = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == name]
                read = [n for n in uses if isinstance(n.ctx, ast.Load)]
                ends = [
                    node
                    for node in ast.walk(scope)
                    if isinstance(node, ast.Subscript)
                    and isinstance(node.value, ast.Name)
                    and node.value.id == name
                    and ast.unparse(node.slice) == "-1"
                ]
                is_all = len(read) == len(ends) + 1 and not re.search(ON_PURPOSE, name)
                if ends and is_all and of_batch & _names(given):
                    yield ends[0].lineno


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _root(node: ast.expr) -> str:
    """The name that is called, or whose method is: `guess` of `(guess == y).sum`."""
    while True:
        match node:
            case ast.Name():
                return node.id
            case ast.Attribute(value=ast.Name(id="self")):
                return node.attr
            case ast.Attribute() | ast.Subscript():
                node = node.value
            case ast.Call():
                node = node.func
            case ast.Compare() | ast.BinOp():
                node = node.left
            case ast.UnaryOp():
                node = node.operand
            case _:
                return ""
