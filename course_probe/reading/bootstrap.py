"""Targets that a network makes of its own answers to the next state, by a script's text.

`reward + gamma * target(next).max(1).values`: where an episode has ended, nothing follows. The
network that gives these answers is a copy of the trained one, and is to follow it.
"""

import ast
import re
from collections.abc import Iterator

from course_probe.reading.names import reached
from course_probe.reading.script_text import (
    Scope,
    around,
    bound,
    calls_in,
    factors,
    last_part,
    loops_of,
    names,
    own_nodes,
    owner_of,
    parents,
    parts,
    scopes,
    stored,
)

DISCOUNT = re.compile(r"(?i)^(?:gamma|discount\w*|df)$")
ENDS = re.compile(r"(?i)done|term|final|mask|finish|\bend|ended|over$|^d$|dones|^not_|alive|cont")
"""What marks a name that says whether an episode is over."""
KEPT_ENDS = re.compile(
    r"(?i)\bdones?\b|\bterminal|\bterminated|\bfinished|\bover\b|\bmasks?\b|\bnot[_ ]\w"
)
"""What marks what is kept of a step as saying whether it was the last one."""
TARGETS = re.compile(r"(?i)target|tgt|frozen|old")
MOST_TURNS = 3
"""Names of a turn that are no whole step yet: a reward, an end, a value."""
WALKING = {"zip", "reversed", "enumerate", "range", "len", "list"}
OVER = re.compile(r"(?i)^(?:d|dones?|terminals?|terminated|finished|over|ends?|ended)$|dones?$")
"""What marks a name that says of each step whether an episode is over after it."""
KEEPING = {"append", "push", "add", "store", "remember", "Transition"}
"""What keeps a step, by its name."""
CHOOSING = {"max", "amax", "gather"}
OPTIMIZER = re.compile(r"(?i)adam|sgd|rms_?prop|optim|adagrad|lion|lamb")
"""What marks a call that is given what it trains."""
MOVING = {"to", "train", "requires_grad_", "forward", "apply"}
"""Methods of a network that make it follow no other one, or only once."""
COPYING = {
    *("load_state_dict", "state_dict", "copy_", "lerp_", "mul_", "add_", "update_parameters"),
}


def past_the_end(tree: ast.Module) -> list[int]:
    """Find the lines of targets that go on after an end which the script keeps of each step."""
    kept = (e for e in parts(tree, ast.Call) if last_part(e.func) in KEEPING)
    told = [ast.unparse(one) for e in kept for one in (*e.args, *(k.value for k in e.keywords))]
    if not any(map(KEPT_ENDS.search, told)):
        return []
    # What is kept may have the end in its discount.
    if any(
        re.search(r"\*", each) and any(map(ENDS.search, re.findall(r"\w+", each))) for each in told
    ):
        return []
    found, within = dict[int, set[str]](), parents(tree)
    for scope, node in _targets(tree):
        found[node.lineno] = _behind(scope, node)[0] | _asked_around(scope, node, within)
    return sorted(line for line, made in found.items() if not any(map(ENDS.search, made)))


def _asked_around(scope: Scope, node: ast.expr, within: dict[ast.AST, ast.AST]) -> set[str]:
    """Return the names in conditions and calls around a sum, and in calls that change its parts."""
    found = set[str]()
    for outer in around(node, within):
        if isinstance(outer, ast.If | ast.IfExp):
            found |= _names(outer.test)
        elif isinstance(outer, ast.Call):
            found |= _names(outer)
    made = _behind(scope, node)[0]
    for call in (e for e in own_nodes(scope.body) if isinstance(e, ast.Call)):
        if last_part(call.func).endswith("_") and names(call.func) & made:
            found |= _names(call)
    return found


def summed_past_the_end(tree: ast.Module) -> list[int]:
    """Find the lines that sum rewards back through all steps, where it is told which ended one.

    `total = r + gamma * total`: a function that is given the ends, or a loop over them, and that
    asks for none of them.
    """
    found = []
    for scope in scopes(tree):
        given = {each.arg for each in scope.args.args} if isinstance(scope, ast.FunctionDef) else {}
        is_rewarded = any("rew" in name.lower() for name in (*names(scope), *given))
        for loop in loops_of(scope.body) if is_rewarded else ():
            turns = names(loop.target) if isinstance(loop, ast.For) else set()
            # Who walks over whole steps may do so of one episode.
            turns = set() if len(turns) > MOST_TURNS else turns
            ends = {name for name in (*given, *turns) if OVER.search(name)}
            # What is only turned round, or walked over, is not asked for.
            over = [*ast.walk(loop.iter)] if isinstance(loop, ast.For) else []
            over = [] if any({*calls_in(e)} - WALKING for e in over) else over
            loads = (e for e in parts(scope, ast.Name) if isinstance(e.ctx, ast.Load))
            asked = {each.id for each in loads if each not in over}
            if ends and not ends & asked:
                found += [e.lineno for e in parts(loop, ast.Assign) if _is_sum_of_rewards(e)]
    return sorted(set(found))


def _is_sum_of_rewards(each: ast.Assign) -> bool:
    """Return whether a sum is given another reward: `total = r + gamma * total`."""
    match each:
        case ast.Assign(
            targets=[ast.Name(id=total)], value=ast.BinOp(left=one, op=ast.Add(), right=other)
        ):
            sides = [[last_part(factor) for factor in factors(side)] for side in (one, other)]
            return any(total in side and any(map(DISCOUNT.match, side)) for side in sides)
    return False


def same_network(tree: ast.Module) -> list[tuple[int, str]]:
    """Find where the network of the targets is the trained one under another name."""
    given = (e for e in parts(tree, ast.Call) if OPTIMIZER.search(last_part(e.func)))
    inside = (
        e for call in given for e in parts(call, ast.Call) if last_part(e.func) == "parameters"
    )
    trained = {ast.unparse(one) for e in inside if (one := owner_of(e)) is not None}
    asked = {
        ast.unparse(call.func)
        for scope, node in _targets(tree)
        for value in _behind(scope, node)[1]
        for call in parts(value, ast.Call)
    }
    made: dict[str, list[ast.Assign]] = {}
    for each in parts(tree, ast.Assign):
        for target, _value in bound(each):
            made.setdefault(ast.unparse(target), []).append(each)
    found = []
    for name in filter(TARGETS.search, asked & made.keys()):
        # Whatever else it is given, it may be a copy.
        node, *later = made[name]
        others = {ast.unparse(each) for each in (*node.targets, node.value)} - {name}
        is_name = isinstance(node.value, ast.Name | ast.Attribute)
        if not later and others & trained and (is_name or len(node.targets) > 1):
            found.append((node.lineno, name))
    return sorted(found)


def never_followed(tree: ast.Module) -> list[int]:
    """Find the lines of targets by a network that is copied once, before the training, or never."""
    within, found = parents(tree), set[int]()
    known = set(_out_of_sight(tree))
    for scope, node in _targets(tree):
        asked = {
            last_part(call.func)
            for value in _behind(scope, node)[1]
            for call in parts(value, ast.Call)
            if call.args and TARGETS.search(last_part(call.func))
            # A class makes one, and is none; what another object holds is followed by its owner.
            if not last_part(call.func)[:1].isupper()
            if isinstance(call.func, ast.Name) or ast.unparse(call.func).startswith("self.")
        }
        for name in asked - COPYING - known:
            changes = (e for e in ast.walk(tree) if _changes(e, name, within))
            if not any(_is_repeated(each, within) for each in changes):
                found.add(node.lineno)
    return sorted(found)


def _out_of_sight(tree: ast.Module) -> Iterator[str]:
    """Yield the names of what may follow unseen: functions, arguments that nothing here gives.

    And those in a list, or whose parameters are kept under another name.
    """
    yield from (each.name for each in parts(tree, ast.FunctionDef))
    given = {name for each in parts(tree, ast.Assign) for name in _stored(each)}
    yield from ({each.arg for each in parts(tree, ast.arg)} - given)
    for each in parts(tree, ast.Assign):
        held = [e for one in parts(each.value, ast.List) for e in one.elts]
        calls = (e for e in parts(each.value, ast.Call) if last_part(e.func) == "parameters")
        owners = (owner_of(e) for e in calls)
        yield from map(last_part, (*held, *(e for e in owners if e is not None)))


def _stored(each: ast.Assign) -> set[str]:
    return {last_part(target) for target, _value in bound(each)}


def _changes(node: ast.AST, name: str, within: dict[ast.AST, ast.AST]) -> bool:
    """Return whether a network of this name may be changed: set, copied to, or handed over."""
    mine = re.compile(rf"\b{re.escape(name)}\b")
    if isinstance(node, ast.Assign):
        return name in _stored(node)
    if not isinstance(node, ast.Call) or last_part(node.func) in ("range", "print"):
        return False
    owner = owner_of(node)
    is_its_own = owner is not None and last_part(owner) == name and bool(node.args)
    if is_its_own and last_part(node.func) not in COPYING:
        return last_part(node.func) not in MOVING
    # The heads of its loops may say whose parameters these are.
    loops = [e.iter for e in around(node, within) if isinstance(e, ast.For)]
    of = [node, *loops] if last_part(node.func) in COPYING else node.args
    return any(mine.search(ast.unparse(each)) for each in of)


def _is_repeated(node: ast.AST, within: dict[ast.AST, ast.AST]) -> bool:
    """Return whether a node is in a loop over more than parameters, or in a function called."""
    outer = list(around(node, within))
    loops = [ast.unparse(e.iter) for e in outer if isinstance(e, ast.For)]
    loops += ["while" for each in outer if isinstance(each, ast.While)]
    functions = {e.name for e in outer if isinstance(e, ast.FunctionDef)} - {"__init__"}
    # One that is handed over is called by others.
    handed = {e.id for e in parts(outer[-1], ast.Name)} if outer else set()
    is_called = bool(functions) and not functions.isdisjoint(calls_in(outer[-1]) | handed)
    # So is a method of a class that nothing here calls.
    is_called |= bool(functions) and any(isinstance(e, ast.ClassDef) for e in outer)
    return is_called or any("parameters" not in each for each in loops)


def _targets(tree: ast.Module) -> Iterator[tuple[Scope, ast.BinOp]]:
    """Yield each `reward + gamma * …` of what a network says of the next state, in its scope."""
    for scope in scopes(tree):
        for node in own_nodes(scope.body):
            match node:
                case ast.BinOp(left=one, op=ast.Add(), right=other):
                    sides = [list(factors(each)) for each in (one, other)]
                    if any(_is_discounted(scope, each) for each in sides):
                        yield scope, node


def _is_discounted(scope: Scope, product: list[ast.expr]) -> bool:
    """Return whether one of these is a discount, and one the best, or a chosen, of answers."""
    rest = [each for each in product if not DISCOUNT.match(last_part(each))]
    if len(rest) == len(product):
        return False
    asked = [{n for value in _behind(scope, e)[1] for n in calls_in(value)} for e in rest]
    return any(
        (each & CHOOSING and len(each) > 1) or any("target" in name for name in each)
        for each in asked
    )


def _behind(scope: Scope, node: ast.expr) -> tuple[set[str], list[ast.expr]]:
    """Return the names, of attributes too, that a value is made of; and it, with their values."""
    pairs, values = list[tuple[set[str], set[str]]](), [(set[str](), node)]
    for each in own_nodes(scope.body):
        if isinstance(each, ast.AugAssign):
            pairs.append((_names(each), names(each.target)))
        for target, value in bound(each) if isinstance(each, ast.Assign) else ():
            # A place of it, as `next_values[done] = 0`.
            places = _names(target) if isinstance(target, ast.Subscript) else set[str]()
            pairs.append((_names(value) | places, names(target)))
            values.append(({*stored(target)}, value))
    found = reached(_names(node), pairs)
    return found, [value for made, value in values if value is node or made & found]


def _names(node: ast.AST) -> set[str]:
    words = {each.value for each in parts(node, ast.Constant) if isinstance(each.value, str)}
    return names(node) | words | {each.attr for each in parts(node, ast.Attribute)}
