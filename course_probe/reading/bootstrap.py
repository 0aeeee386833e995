"""Targets that a network makes of its own answers to the next state, by a script's text.

`reward + gamma * target(next).max(1).values`: where an episode has ended, nothing follows. The
network that gives these answers is a copy of the trained one, and is to follow it.
"""

import ast
import re
from collections.abc import Iterator

from course_probe.reading.script_text import (
    around,
    bound,
    last_part,
    names,
    own_nodes,
    parents,
    parts,
    stored,
)
from course_probe.reading.unused import set_again

DISCOUNT = re.compile(r"(?i)^(?:gamma|discount\w*|df)$")
ENDS = re.compile(r"(?i)done|term|final|mask|finish|\bend|ended|over$|^d$|dones|^not_|alive|cont")
"""What marks a name that says whether an episode is over."""
KEPT_ENDS = re.compile(
    r"(?i)\bdones?\b|\bterminal|\bterminated|\bfinished|\bover\b|\bmasks?\b|\bnot[_ ]\w"
)
"""What marks what is kept of a step as saying whether it was the last one."""
TARGETS = re.compile(r"(?i)target|tgt|frozen|old")
COPYING = {
    *("load_state_dict", "state_dict", "copy_", "lerp_", "mul_", "add_", "update_parameters"),
}


def past_the_end(tree: ast.Module) -> list[int]:
    """Find the lines of targets that go on after an end which the script keeps of each step."""
    if not _keeps_ends(tree):
        return []
    return sorted(
        node.lineno
        for scope, node in _targets(tree)
        if not any(map(ENDS.search, _made_of(scope, node)))
    )


def same_network(tree: ast.Module) -> list[tuple[int, str]]:
    """Find where the network of the targets is the trained one under another name."""
    trained = {
        ast.unparse(each.func.value)
        for each in parts(tree, ast.Call)
        if isinstance(each.func, ast.Attribute) and each.func.attr == "parameters"
    }
    asked = {
        ast.unparse(call.func)
        for scope, node in _targets(tree)
        for part in (node, *_values(scope, _made_of(scope, node)))
        for call in parts(part, ast.Call)
    }
    made: dict[str, list[ast.Assign]] = {}
    for each in parts(tree, ast.Assign):
        for target, _value in bound(each):
            made.setdefault(ast.unparse(target), []).append(each)
    found = []
    for name in asked & {each for each in made if TARGETS.search(each)}:
        # Whatever else it is given, it may be a copy.
        node = made[name][0] if len(made[name]) == 1 else None
        if node is None:
            continue
        others = {ast.unparse(each) for each in node.targets} | {ast.unparse(node.value)}
        is_name = isinstance(node.value, ast.Name | ast.Attribute)
        if (others - {name}) & trained and (is_name or len(node.targets) > 1):
            found.append((node.lineno, name))
    return sorted(found)


def never_followed(tree: ast.Module) -> list[int]:
    """Find the lines of targets by a network that is copied once, before the training, or never."""
    within = parents(tree)
    found = []
    idle = {f.name for f in parts(tree, ast.FunctionDef) if _is_idle(f)}
    for scope, node in _targets(tree):
        called = {
            ast.unparse(call.func)
            for name in (node, *_values(scope, _made_of(scope, node)))
            for call in parts(name, ast.Call)
            if call.args and not parts(call.func, ast.Call)
        }
        copies = {each for each in called if TARGETS.search(each)}
        tails = {each.rpartition(".")[2] for each in copies}
        for tail in tails - COPYING:
            mine = re.compile(rf"\b{re.escape(tail)}\b")
            updates = [
                call
                for call in parts(tree, ast.Call)
                if last_part(call.func) in COPYING and mine.search(_around_call(call, within))
            ]
            passed = [
                call
                for call in parts(tree, ast.Call)
                if any(mine.search(ast.unparse(a)) for a in call.args)
                and last_part(call.func) not in ("range", "print", *idle)
            ]
            repeated = [e for e in (*updates, *passed) if _is_repeated(e, within)]
            if not repeated and not _is_set_later(tree, tail, within):
                found.append(node.lineno)
    return sorted(found)


def _is_idle(function: ast.FunctionDef) -> bool:
    """Return whether a function only gives names of its loops new values: it changes nothing."""
    targets = [t for each in parts(function, ast.Assign) for t in each.targets]
    called = {last_part(call.func) for call in parts(function, ast.Call)}
    return (
        bool(set_again(function))
        and all(isinstance(each, ast.Name) for each in targets)
        and not parts(function, ast.AugAssign)
        and not any(name in COPYING or name.endswith("_") for name in called)
    )


def _around_call(call: ast.Call, within: dict[ast.AST, ast.AST]) -> str:
    """Return the text of a call, with the head of the loop that gives it its parameters."""
    loop = next((e for e in around(call, within) if isinstance(e, ast.For)), None)
    return ast.unparse(call) + (ast.unparse(loop.iter) if loop is not None else "")


def _is_repeated(call: ast.Call, within: dict[ast.AST, ast.AST]) -> bool:
    """Return whether a call is in a loop of its own, or in a function that is called somewhere."""
    outer = list(around(call, within))
    loops = [e for e in outer if isinstance(e, ast.For | ast.While)]
    loops = [
        e for e in loops if not (isinstance(e, ast.For) and "parameters" in ast.unparse(e.iter))
    ]
    functions = [e.name for e in outer if isinstance(e, ast.FunctionDef) and e.name != "__init__"]
    tree = outer[-1] if outer else call
    called = {last_part(each.func) for each in parts(tree, ast.Call)} if functions else set()
    return bool(loops) or any(name in called for name in functions)


def _is_set_later(tree: ast.Module, tail: str, within: dict[ast.AST, ast.AST]) -> bool:
    for each in parts(tree, ast.Assign):
        for target in each.targets:
            if last_part(target) == tail and any(
                isinstance(e, ast.For | ast.While) for e in around(each, within)
            ):
                return True
    return False


def _targets(tree: ast.Module) -> Iterator[tuple[list[ast.stmt], ast.BinOp]]:
    """Yield each `reward + gamma * …` of what a network says of the next state, in its scope."""
    scopes: list[ast.Module | ast.FunctionDef] = [tree, *parts(tree, ast.FunctionDef)]
    for scope in scopes:
        for node in own_nodes(scope.body):
            if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
                continue
            for side in (node.left, node.right):
                factors = list(_factors(side))
                is_discounted = any(
                    DISCOUNT.match(last_part(each)) for each in factors if last_part(each)
                )
                rest = [e for e in factors if not DISCOUNT.match(last_part(e) or "-")]
                if is_discounted and any(_is_best(scope.body, each) for each in rest):
                    yield scope.body, node
                    break


def _factors(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield from _factors(node.left)
        yield from _factors(node.right)
    else:
        yield node


def _is_best(scope: list[ast.stmt], node: ast.expr) -> bool:
    """Return whether a value is the best, or the one of a chosen action, of several answers."""
    found = [node, *_values(scope, _made_of(scope, node))]
    called = {ast.unparse(c.func) for each in found for c in parts(each, ast.Call)}
    tails = {each.rpartition(".")[2] for each in called}
    is_chosen = bool(tails & {"max", "amax", "gather"}) and len(tails) > 1
    return is_chosen or any("target" in each.rpartition(".")[2] for each in called)


def _values(scope: list[ast.stmt], wanted: set[str]) -> list[ast.expr]:
    return [
        value
        for node in own_nodes(scope)
        if isinstance(node, ast.Assign)
        for target, value in bound(node)
        if isinstance(target, ast.Name | ast.Tuple) and wanted.intersection(stored(target))
    ]


def _made_of(scope: list[ast.stmt], node: ast.AST) -> set[str]:
    """Return the names, of attributes too, that a value is made of, with what they are set by."""
    known, waiting = set[str](), _names(node)
    while waiting:
        name = waiting.pop()
        if name in known:
            continue
        known.add(name)
        for each in own_nodes(scope):
            match each:
                case ast.Assign():
                    for target, value in bound(each):
                        if name not in names(target):
                            continue
                        # A place of it, as `next_values[done] = 0`.
                        is_place = isinstance(target, ast.Subscript)
                        waiting |= (_names(value) | (_names(target) if is_place else set())) - known
                case ast.AugAssign(target=target) if name in names(target):
                    waiting |= _names(each) - known
    return known


def _names(node: ast.AST) -> set[str]:
    return (
        names(node)
        | {each.attr for each in parts(node, ast.Attribute)}
        | {each.value for each in parts(node, ast.Constant) if isinstance(each.value, str)}
    )


def _keeps_ends(tree: ast.Module) -> bool:
    """Return whether what is kept of each step says whether it was the last one."""
    kept = (
        each
        for each in parts(tree, ast.Call)
        if last_part(each.func) in ("append", "push", "add", "store", "remember", "Transition")
    )
    return any(
        KEPT_ENDS.search(ast.unparse(one))
        for each in kept
        for one in (*each.args, *(key.value for key in each.keywords))
    )
