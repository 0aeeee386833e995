"""Terms of a loss whose sign is turned, by a script's text.

What is sent backward is followed through names, sums and functions to four terms of which the sign
is known: the logarithm of a probability times a reward, which is to rise, the entropy of answers
that an agent draws, which is not to fall, the divergence of a variational autoencoder, which is to
fall, and what a critic says of made rows, which generator and critic want to be opposite.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from course_probe.reading.flow import Flow, TextValue, passed_on
from course_probe.reading.script_text import (
    calls_in,
    is_library,
    last_part,
    method,
    names,
    own_nodes,
    owner_of,
    parts,
    scopes,
    sent,
    stored,
    worked_on,
)

REWARD = re.compile(
    r"(?i)^(?!.*(?:lambda|weight|coef))(?:\w*adv\w*|\w*reward\w*|\w*returns?\w*|td_?\w*|delta\w*|gains?)$"
)
COST = re.compile(r"(?i)cost|penalt|regret")
LOGARITHMS = {"log_prob", "log_softmax"}
CALLED = re.compile(r"(?i)^log_?p(?:i|rob)?s?$|^(?:saved_|action_)log_?probs?$")
"""What marks a name of such logarithms, where it is not known how they were made."""
WHOLE = {
    *("mean", "sum", "squeeze", "unsqueeze", "view", "reshape", "gather", "exp", "stack", "cat"),
    *("min", "minimum", "max", "maximum", "flatten", "float", "to", "clamp", "div", "average"),
}
"""Calls that keep the sign of what they are given."""
BOUNDS = {"min": -1, "minimum": -1, "max": 1, "maximum": 1}
CLIPPING = {"clamp", "clip"}
LETTER = re.compile("[rRgG]$")
"""A reward by a letter, where moves are drawn."""
KEPT = re.compile(
    r"(?i)old|prev|fixed|before|frozen|behaviou?r|^b_|^mb_|batch|memory|buf|store|roll"
)
"""What marks what was kept of an agent's moves: no gradient goes there."""
DEEPEST = 30


@dataclass(frozen=True)
class _Place:
    """Where a value is read: its sign, and whether a reward is in it.

    With the names of factors below 0, and whether moves are drawn, whose entropy is to stay high.
    """

    flow: Flow
    seen: set[tuple[int, int, bool]]
    negative: frozenset[str]
    draws: bool
    loose: set[int]
    taken_off: frozenset[int]
    sign: int = 1
    rewarded: bool = False
    depth: int = 0

    def deeper(self, **changed: object) -> "_Place":
        return replace(self, depth=self.depth + 1, **changed)  # type: ignore[arg-type]


def is_of_agent(tree: ast.Module) -> bool:
    """Return whether a script draws moves of an agent, which are rewarded."""
    is_rewarded = any("reward" in name.lower() for name in names(tree))
    return is_rewarded and {"log_prob", "sample"} <= {method(e) for e in parts(tree, ast.Call)}


def turned_signs(tree: ast.Module) -> list[int]:
    """Find the lines of terms that what is sent backward has with the wrong sign."""
    return sorted(_read(tree)[0])


def loose_bounds(tree: ast.Module) -> list[int]:
    """Find the lines that take the better of an advantage's two forms, of which one is clipped."""
    return sorted(_read(tree)[1])


def _read(tree: ast.Module) -> tuple[set[int], set[int]]:
    """Return the lines of wrong signs, and of bounds that bound nothing."""
    wrong, loose = set[int](), set[int]()
    if "maximize" in ast.unparse(tree) or COST.search(" ".join(names(tree))):
        return wrong, loose
    given = (each for each in parts(tree, ast.Assign) if _is_negative(each.value))
    negative = frozenset(name for each in given for name in stored(each))
    methods = {method(call) for call in parts(tree, ast.Call)}
    draws = {"log_prob", "sample"} <= methods
    added = parts(tree, ast.AugAssign)
    # Who climbs by hand wants what is written to rise.
    if any(isinstance(e.op, ast.Add) and ".grad" in ast.unparse(e.value) for e in added):
        return wrong, loose
    taken_off = frozenset(id(each.value) for each in added if isinstance(each.op, ast.Sub))
    flow = Flow(tree)
    for scope in scopes(tree):
        for loss in sent(own_nodes(scope.body)):
            place = _Place(flow, set(), negative, draws, loose, taken_off)
            wrong.update(_wrong(TextValue(loss, scope), place))
    return wrong, loose


def _wrong(value: TextValue, at: _Place) -> Iterator[int]:
    """Yield the lines of terms whose sign is the opposite of the one they are to have."""
    if at.depth > DEEPEST:
        return
    terms = list(terms_of(value.node, at.sign))
    if found := divergence(terms):
        yield from [value.node.lineno] if found < 0 else ()
        return
    for each, sign in terms:
        # Of a ratio, the logarithm that is taken off is the old one; of a density, its width's.
        is_one = isinstance(each, ast.Call) and last_part(each.func) == "log"
        is_taken_off = sign != at.sign and (is_one or (len(terms) > 1 and _is_logarithm(each)))
        if not is_taken_off:
            yield from _of_term(value.of(each), at.deeper(sign=sign))


def _is_logarithm(node: ast.expr) -> bool:
    """Return whether a term is a logarithm itself, or its sum over a row."""
    inner = passed_on(node, {"sum", "mean", "squeeze", "detach"})
    name = last_part(node.func) if isinstance(node, ast.Call) else ""
    return name == "log" or name in LOGARITHMS or (inner is not None and _is_logarithm(inner))


def _of_term(value: TextValue, at: _Place) -> Iterator[int]:
    node = value.node
    if (here := (id(node), at.sign, at.rewarded)) in at.seen:
        return
    at.seen.add(here)
    match node:
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            for one, other in ((left, right), (right, left)):
                is_turned = _is_negative(other) or last_part(other) in at.negative
                turned = -at.sign if is_turned else at.sign
                rewarded = at.rewarded or _is_reward(value.of(other), at)
                yield from _wrong(value.of(one), at.deeper(sign=turned, rewarded=rewarded))
        case ast.BinOp(left=inner, op=ast.Div(), right=divisor):
            turned = -at.sign if _is_negative(divisor) else at.sign
            yield from _wrong(value.of(inner), at.deeper(sign=turned))
        case ast.Subscript(value=inner):
            for each in at.flow.before(value) or [value.of(inner)]:
                yield from _wrong(each, at.deeper())
        case ast.Name() | ast.Attribute() if not KEPT.search(last_part(node)):
            found = _given(value, at.flow)
            if CALLED.match(last_part(node)) and not found and at.rewarded and at.sign > 0:
                yield node.lineno
            for each in found:
                turned = -at.sign if id(each.node) in at.taken_off else at.sign
                yield from _wrong(each, at.deeper(sign=turned))
        case ast.Call():
            yield from _of_call(value, node, at)


def _of_call(value: TextValue, call: ast.Call, at: _Place) -> Iterator[int]:
    name = last_part(call.func)
    if name in BOUNDS and len(call.args) == 2 and _is_loose(value, call, at):
        at.loose.add(call.lineno)
    if name == "entropy" and not call.args:
        if at.draws and at.sign > 0:
            yield call.lineno
    elif name in LOGARITHMS or (name == "log" and at.rewarded):
        if at.rewarded and at.sign > 0:
            yield call.lineno
    elif name in WHOLE:
        for each in call.args if is_library(owner_of(call)) else worked_on(call)[:1]:
            yield from _wrong(value.of(each), at.deeper())
    elif len(ends := at.flow.given_back(value)) == 1:
        yield from _wrong(ends[0], at.deeper())


def _is_loose(value: TextValue, call: ast.Call, at: _Place) -> bool:
    """Return whether the better of an advantage's two forms is taken, one of them clipped.

    The worse one keeps the steps short: the lower of what is to rise, or the higher of what is
    to fall.
    """
    given = map(value.of, call.args)
    products = [[each, *at.flow.before(each)] for each in given]
    forms = [[e for e in of if _is_product(e.node)] for of in products]
    texts = [" ".join(ast.unparse(e.node) for e in of) for of in products]
    is_clipped = any(CLIPPING & calls_in(e.node) for of in products for e in of)
    is_rewarded = all(any(map(REWARD.match, re.findall(r"\w+", text))) for text in texts)
    if not all(forms) or not is_clipped or not is_rewarded:
        return False
    signs = {-1 if any(_is_turned(e.node, at.negative) for e in of) else 1 for of in forms}
    # With which sign the forms are sent backward, and which of them is taken.
    return len(signs) == 1 and signs.pop() * BOUNDS[last_part(call.func)] > 0


def _is_product(node: ast.expr) -> bool:
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Mult)


def _is_turned(node: ast.expr, negative: frozenset[str]) -> bool:
    """Return whether a product has a factor with a minus in front, or one of these names."""
    match node:
        case ast.UnaryOp(op=ast.USub()):
            return True
        case ast.BinOp(op=ast.Mult(), left=left, right=right):
            return _is_turned(left, negative) or _is_turned(right, negative)
    return last_part(node) in negative


def _given(value: TextValue, flow: Flow) -> list[TextValue]:
    """Return what a name is given; what a list begins with, and a sum, says nothing.

    Of a name that is set again and again, what it is at last is not known.
    """
    found = [e for e in flow.before(value) if not isinstance(e.node, ast.List | ast.Constant)]
    found = [e for e in found if not _is_of_call(e.node) or flow.before(e)]
    return found if len(found) < 4 else []


def _is_of_call(node: ast.expr) -> bool:
    """Return whether this is one of several things that a call gives."""
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call)


def terms_of(node: ast.expr, sign: int) -> Iterator[tuple[ast.expr, int]]:
    """Yield the terms of a sum, each with its sign."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            yield from terms_of(inner, -sign)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from terms_of(left, sign)
            yield from terms_of(right, sign)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            yield from terms_of(left, sign)
            yield from terms_of(right, -sign)
        case _:
            yield node, sign


def divergence(terms: list[tuple[ast.expr, int]]) -> int:
    """Return the sign of `mean² + exp(log) - log - 1` in a sum; 0 where it is none."""
    squared = any(
        (isinstance(part, ast.BinOp) and isinstance(part.op, ast.Pow))
        or (isinstance(part, ast.Call) and last_part(part.func) in ("pow", "square"))
        for each, _sign in terms
        for part in ast.walk(each)
    )
    for each, sign in terms:
        if isinstance(each, ast.Call) and last_part(each.func) == "exp" and squared:
            log = "".join(map(ast.unparse, worked_on(each)[:1]))
            if any(ast.unparse(one) == log and other == -sign for one, other in terms):
                return sign
    return 0


def _is_negative(node: ast.expr) -> bool:
    """Return whether a factor has a minus in front."""
    match node:
        case ast.UnaryOp(op=ast.USub()):
            return True
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div()):
            return _is_negative(left)
    return False


def _is_reward(factor: TextValue, at: _Place) -> bool:
    """Return whether a factor is a reward by its name, or by how much it is more than expected."""
    values = _given(factor, at.flow) if isinstance(factor.node, ast.Name) else []
    for value in (factor, *values):
        match value.node:
            case ast.BinOp(op=ast.Sub(), left=left, right=right):
                if any(map(REWARD.match, _called(right) - _called(left))):
                    return False
    called = _called(factor.node)
    return any(map(REWARD.match, called)) or (at.draws and any(map(LETTER.match, called)))


def _called(node: ast.expr) -> set[str]:
    return names(node) | {each.attr for each in parts(node, ast.Attribute)}
