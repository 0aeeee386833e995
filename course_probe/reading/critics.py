"""What a critic says of made rows: generator and critic want the opposite, by a script's text.

Their losses have another label for the same answers, or these answers with another sign.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from course_probe.reading.flow import Flow, TextValue, passed_on
from course_probe.reading.script_text import (
    is_library,
    last_part,
    networks_of,
    own_nodes,
    owner_of,
    parts,
    scopes,
    sent,
    worked_on,
)
from course_probe.reading.signs import COST, DEEPEST, WHOLE, terms_of

MADE = re.compile(r"(?i)fake|gen|^f$|^g\(|made|\bG\b")
"""What marks the rows that a generator has made."""
RISING = {*WHOLE, "relu", "softplus", "logsigmoid", "sigmoid", "tanh"}
"""Calls whose result rises with what they are given."""


@dataclass(frozen=True)
class _CriticAnswer:
    """What a critic says in a loss: of made rows or not, with which sign, and in which line."""

    critic: str
    is_made: bool
    sign: int
    line: int
    is_of_actor: bool


def agreeing_losses(tree: ast.Module) -> list[int]:
    """Find the lines by which a generator wants of a critic's answers what the critic wants.

    The loss of the critic has its answers to real rows and to made ones; that of the generator has
    those to made ones with the same sign.
    """
    flow, losses = Flow(tree), list[list[_CriticAnswer]]()
    # Who climbs, or turns gradients, wants the opposite of what is written.
    if re.search(r"maximize|gradient=|\.grad\b", ast.unparse(tree)):
        return []
    for scope in scopes(tree):
        for loss in sent(own_nodes(scope.body)):
            losses.append([*_answers(TextValue(loss, scope), flow, 1)])
    wanted = dict[str, set[int]]()
    for each in losses:
        made = {(a.critic, a.sign) for a in each if a.is_made}
        real = {(a.critic, a.sign) for a in each if not a.is_made}
        for critic, sign in made:
            if (critic, -sign) in real and (critic, sign) not in real:
                wanted.setdefault(critic, set()).add(sign)
    found = set[int]()
    for each in losses:
        if all(a.is_made for a in each):
            found |= {a.line for a in each if wanted.get(a.critic) == {a.sign}}
    return sorted(found)


def _answers(value: TextValue, flow: Flow, sign: int, depth: int = 0) -> Iterator[_CriticAnswer]:
    """Yield what critics say in a sum, through names and functions that rise."""
    for node, own in terms_of(value.node, sign) if depth < DEEPEST else ():
        of = value.of(node)
        match node:
            case ast.BinOp(left=inner, op=ast.Div()):
                yield from _answers(of.of(inner), flow, own, depth + 1)
            case ast.BinOp(op=ast.Mult()):
                # Of a product, it is not known which factor is below 0.
                continue
            case ast.Name() | ast.Attribute():
                for each in flow.before(of):
                    yield from _answers(each, flow, own, depth + 1)
            case ast.Call() if last_part(node.func) in RISING:
                given = node.args if is_library(owner_of(node)) else worked_on(node)
                for inner in given[:1]:
                    yield from _answers(of.of(inner), flow, own, depth + 1)
            case ast.Call(args=[rows, *_]) if owner_of(node) is None or not is_library(node.func):
                made = [rows, *(each.node for each in flow.before(of.of(rows)))]
                is_made = any(MADE.search(ast.unparse(each)) for each in made)
                of_actor = any(_is_act(of.of(each), rows, flow) for each in node.args[1:])
                yield _CriticAnswer(ast.unparse(node.func), is_made, own, node.lineno, of_actor)


def _is_act(value: TextValue, state: ast.expr, flow: Flow) -> bool:
    """Return whether this is what another network says of the same state."""
    return any(
        isinstance(each.node, ast.Call)
        and bool(each.node.args)
        and not is_library(each.node.func)
        and ast.unparse(each.node.args[0]) == ast.unparse(state)
        for each in (value, *flow.before(value))
    )


def worst_acts(tree: ast.Module) -> list[int]:
    """Find the lines by which an actor is trained to act so that its critic says the least.

    `critic(state, actor(state)).mean()` is sent backward without a minus.
    """
    flow, networks, found = Flow(tree), networks_of(tree), set[int]()
    text = ast.unparse(tree)
    if "maximize" in text or COST.search(text) or "reward" not in text.lower():
        return []
    for scope in scopes(tree):
        for loss in sent(own_nodes(scope.body)):
            answers = [*_answers(TextValue(loss, scope), flow, 1)]
            # What compares rows with what is made of them is a loss, and no critic.
            asked = [{e.critic, e.critic.rpartition(".")[0]} & networks for e in answers]
            if all(asked) and all(each.is_of_actor and each.sign > 0 for each in answers):
                found |= {each.line for each in answers}
    return sorted(found)


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
        elif MADE.search(ast.unparse(rows)):
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
