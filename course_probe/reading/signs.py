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

REWARD = re.compile(r"(?i)^(?:\w*adv\w*|\w*reward\w*|\w*returns?\w*|r|g|td_?\w*|delta\w*|gains?)$")
COST = re.compile(r"(?i)cost|penalt|regret")
LOGARITHMS = {"log_prob", "log_softmax"}
CALLED = re.compile(r"(?i)^log_?p(?:i|rob)?s?$|^(?:saved_|action_)log_?probs?$")
"""What marks a name of such logarithms, where it is not known how they were made."""
WHOLE = {
    *("mean", "sum", "squeeze", "unsqueeze", "view", "reshape", "gather", "exp", "stack", "cat"),
    *("min", "minimum", "max", "maximum", "flatten", "float", "to", "clamp", "div", "average"),
}
"""Calls that keep the sign of what they are given."""
KEPT = re.compile(r"(?i)old|prev|behaviou?r|^b_|^mb_|batch|memory|buf|store|roll")
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
    sign: int = 1
    rewarded: bool = False
    depth: int = 0

    def deeper(self, **changed: object) -> "_Place":
        return replace(self, depth=self.depth + 1, **changed)  # type: ignore[arg-type]


def turned_signs(tree: ast.Module) -> list[int]:
    """Find the lines of terms that what is sent backward has with the wrong sign."""
    if "maximize" in ast.unparse(tree) or COST.search(" ".join(names(tree))):
        return []
    given = (each for each in parts(tree, ast.Assign) if _is_negative(each.value))
    negative = frozenset(name for each in given for name in stored(each))
    methods = {method(call) for call in parts(tree, ast.Call)}
    draws = {"log_prob", "sample"} <= methods
    flow, found = Flow(tree), set[int]()
    for scope in scopes(tree):
        for loss in sent(own_nodes(scope.body)):
            found.update(_wrong(TextValue(loss, scope), _Place(flow, set(), negative, draws)))
    return sorted(found)


def _wrong(value: TextValue, at: _Place) -> Iterator[int]:
    """Yield the lines of terms whose sign is the opposite of the one they are to have."""
    if at.depth > DEEPEST:
        return
    terms = list(terms_of(value.node, at.sign))
    if found := divergence(terms):
        yield from [value.node.lineno] if found < 0 else ()
        return
    for each, sign in terms:
        yield from _of_term(value.of(each), at.deeper(sign=sign))


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
                rewarded = at.rewarded or _is_reward(value.of(other), at.flow)
                yield from _wrong(value.of(one), at.deeper(sign=turned, rewarded=rewarded))
        case ast.BinOp(left=inner, op=ast.Div()):
            yield from _wrong(value.of(inner), at.deeper())
        case ast.Subscript(value=inner):
            for each in at.flow.before(value) or [value.of(inner)]:
                yield from _wrong(each, at.deeper())
        case ast.Name() | ast.Attribute() if not KEPT.search(last_part(node)):
            found = _given(value, at.flow)
            if CALLED.match(last_part(node)) and not found and at.rewarded and at.sign > 0:
                yield node.lineno
            for each in found:
                yield from _wrong(each, at.deeper())
        case ast.Call():
            yield from _of_call(value, node, at)


def _of_call(value: TextValue, call: ast.Call, at: _Place) -> Iterator[int]:
    name = last_part(call.func)
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


def _is_reward(factor: TextValue, flow: Flow) -> bool:
    """Return whether a factor is a reward by its name, or by how much it is more than expected."""
    values = _given(factor, flow) if isinstance(factor.node, ast.Name) else []
    for value in (factor, *values):
        match value.node:
            case ast.BinOp(op=ast.Sub(), left=left, right=right):
                if any(map(REWARD.match, _called(right) - _called(left))):
                    return False
    return any(map(REWARD.match, _called(factor.node)))


def _called(node: ast.expr) -> set[str]:
    return names(node) | {each.attr for each in parts(node, ast.Attribute)}


# What a critic says.


def helping_critic(tree: ast.Module) -> list[int]:
    """Find the lines by which a generator is trained to make what the critic knows as made.

    A loss of the critic's answers to made rows has one and the same label for both.
    """
    given = [*_assigned(tree)]
    of_critic = set[tuple[str, str]]()
    cut, real = dict[str, int](), set[tuple[str, str]]()
    others: list[tuple[int, str, str]] = []
    negated = {
        id(inner)
        for each in ast.walk(tree)
        if (isinstance(each, ast.UnaryOp) and isinstance(each.op, ast.USub))
        or (isinstance(each, ast.BinOp) and isinstance(each.op, ast.Sub))
        for inner in ast.walk(each)
    }
    for call in parts(tree, ast.Call):
        if len(call.args) != 2 or id(call) in negated:
            continue
        answers, label = (_last_before(call.lineno, each, given) for each in call.args)
        label_of = _label(call.args[1]) or _label(label)
        answers = _inner(answers)
        if not label_of or not isinstance(answers, ast.Call) or len(answers.args) != 1:
            continue
        critic, rows = ast.unparse(answers.func), answers.args[0]
        is_cut = isinstance(rows, ast.Call) and last_part(rows.func) == "detach"
        if is_cut:
            of_critic.add((critic, label_of))
            cut[critic] = call.lineno
        elif re.search(r"(?i)fake|gen|^f$|^g\(|made|\bG\b", ast.unparse(rows)):
            others.append((call.lineno, critic, label_of))
        else:
            real.add((critic, label_of))
    # Where a critic says the same of both, whatever it is called.
    return sorted(
        cut[critic] if (critic, label) in real else line
        for line, critic, label in others
        if (critic, label) in of_critic and len({one for c, one in of_critic if c == critic}) == 1
        if not any(c == critic and one != label for _line, c, one in others)
    )


def _inner(node: ast.expr) -> ast.expr:
    inner = passed_on(node, {"squeeze", "view", "flatten"})
    return node if inner is None else _inner(inner)


def _last_before(
    line: int, node: ast.expr, given: list[tuple[ast.expr, ast.expr, int]]
) -> ast.expr:
    """Return what a name was given last before a line, or at all; of any other node, itself."""
    name = ast.unparse(node)
    values = [(at < line, at, value) for target, value, at in given if ast.unparse(target) == name]
    return max(values, key=lambda each: each[:2])[2] if values else node


def _label(node: ast.expr) -> str:
    """Return which label this is: all ones, or all zeros."""
    text = ast.unparse(node)
    # `zeros_like(real)` is zeros.
    made = ((r"\bones", "1"), (r"\bzeros", "0"))
    for pattern, label in (*made, (r"ones|real|valid", "1"), (r"zeros|fake", "0")):
        if re.search(pattern, text):
            return label
    return ""


def _assigned(tree: ast.Module) -> Iterator[tuple[ast.expr, ast.expr, int]]:
    """Yield names with what they are given, or filled with, and in which line."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name() as name, *_], value=value):
                yield name, value, node.lineno
            case ast.Call(func=ast.Attribute(value=name, attr="fill_"), args=[value]):
                if isinstance(name, ast.Attribute) and name.attr == "data":
                    name = name.value
                yield name, value, node.lineno
