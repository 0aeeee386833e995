"""Loops that go on step by step, of which a step does not reach the next one, by a script's text.

A recurrent network is given one step, and gives an answer and a state. The state belongs to the
next step of the same rows.
"""

import ast
import re

from course_probe.reading.flow import Flow, TextValue
from course_probe.reading.script_text import (
    Loop,
    Scope,
    bound,
    calls_in,
    functions_of,
    last_part,
    method,
    methods_of,
    own_nodes,
    owner_of,
    parents,
    parts,
    scopes,
    spots,
)

CELLS = {"LSTMCell", "GRUCell", "RNNCell"}
LAYERS = {"LSTM", "GRU", "RNN"}
JOINING = {"cat", "concat", "concatenate", "append", "stack", "hstack", "vstack", "roll", "pad"}
"""Functions by which a text or a series grows, so that all of it is read each time."""
FILLING = {"append", "extend", "add_", "copy_"}
DEEPEST = 4
"""How often it is asked what a name is made of."""
UNKNOWN = "…"


class _Script:
    """The recurrent layers of a script, and the networks that give their states back."""

    def __init__(self, tree: ast.Module) -> None:
        self._made: dict[str, set[str]] = {}
        for node in parts(tree, ast.Assign):
            for target, value in bound(node):
                for call in parts(value, ast.Call) if isinstance(value, ast.Call) else ():
                    self._made.setdefault(ast.unparse(target), set()).add(last_part(call.func))
        self.functions, self.within = functions_of(tree), parents(tree)
        self._flow = Flow(tree)
        kinds = ((kind.name, methods_of(kind)) for kind in parts(tree, ast.ClassDef))
        self._forwards = {name: of["forward"] for name, of in kinds if "forward" in of}
        forwards = [e for e in parts(tree, ast.FunctionDef) if e.name == "forward"]
        # What is handed over under any name can only be the one network that there is.
        self._only = forwards[0] if len(forwards) == 1 else None
        self._given = {each.arg for each in parts(tree, ast.arg)}

    def is_cell(self, call: ast.Call) -> bool:
        """Return whether a call asks a recurrent cell, which knows one step only."""
        made = self._made.get(ast.unparse(call.func), set())
        return bool(made & CELLS) and made <= CELLS

    def place_of_state(self, call: ast.Call, scope: Scope) -> int:
        """Return where a call gives the state of a recurrent layer, behind what it answers; or 0.

        Behind the state, other things may be given as well.
        """
        made = self._made.get(ast.unparse(call.func), set())
        if made and made <= LAYERS:
            return 1
        handed = self._only if isinstance(call.func, ast.Name) else None
        handed = handed if last_part(call.func) in self._given else None
        forward = self._forward(call, scope) or self.functions.get(last_part(call.func), handed)
        owner = self.within.get(forward) if forward is not None else None
        if forward is None or not isinstance(owner, ast.ClassDef):
            return 0
        # A state that the network keeps itself goes on.
        held = [e for e in parts(owner, ast.Attribute) if isinstance(e.ctx, ast.Store)]
        begun = {*ast.walk(methods_of(owner).get("__init__", forward))}
        ends = [e.value for e in parts(forward, ast.Return)]
        states = {
            ast.unparse(target.elts[-1])
            for node in parts(forward, ast.Assign)
            for target, value in bound(node)
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Call)
            if self._made.get(ast.unparse(value.func), {""}) <= LAYERS
        }
        states |= {f"{each}.{done}(0)" for each in states for done in ("squeeze", "unsqueeze")}
        places = {
            next((n for n, one in enumerate(e.elts) if ast.unparse(one) in states), 0)
            for e in ends
            if isinstance(e, ast.Tuple)
        }
        is_alike = len(places) == 1 and all(isinstance(e, ast.Tuple) for e in ends)
        return places.pop() if is_alike and all(e in begun for e in held) else 0

    def _forward(self, call: ast.Call, scope: Scope) -> ast.FunctionDef | None:
        """Return the `forward` of the one class of which the network that is called is made."""
        made = [each.node for each in self._flow.origins(TextValue(call.func, scope))]
        kinds = {last_part(each.func) for each in made if isinstance(each, ast.Call)}
        is_one = len(kinds) == 1 and all(isinstance(each, ast.Call) for each in made)
        return self._forwards.get(kinds.pop()) if is_one else None


def states_dropped(tree: ast.Module) -> list[int]:
    """Find the calls that begin each step of a loop with the same state, or with none.

    A cell in a loop over steps, or a recurrent network whose next input is made of its answer.
    """
    script, found = _Script(tree), set[int]()
    for scope in scopes(tree):
        for loop in (e for e in own_nodes(scope.body) if isinstance(e, Loop)):
            nodes = [*own_nodes(loop.body)]
            for call in (e for e in nodes if isinstance(e, ast.Call) and e.args):
                if script.is_cell(call) and _is_dropped_by_cell(call, loop, tree):
                    found.add(call.lineno)
            for node in (e for e in nodes if isinstance(e, ast.Assign)):
                for target, value in bound(node):
                    match target, value:
                        case ast.Tuple(elts=[answer, *rest]), ast.Call():
                            place = script.place_of_state(value, scope) - 1
                            state = rest[place] if 0 <= place < len(rest) else None
                            if state and _is_dropped(answer, state, value, nodes):
                                found.add(value.lineno)
    return sorted(found)


def _stored(loop: Loop, nodes: list[ast.AST]) -> set[str]:
    """Return the names that a turn of a loop gives another value, or what they hold."""
    found = spots(loop.target) if isinstance(loop, ast.For) else set()
    for node in nodes:
        if isinstance(getattr(node, "ctx", None), ast.Store):
            found |= spots(node)
        elif method(node) in FILLING or method(node).endswith("_"):
            found |= spots(owner_of(node) or node)
    return found


def _is_dropped_by_cell(call: ast.Call, loop: Loop, tree: ast.Module) -> bool:
    """Return whether a cell reads one step after the other, each with no state before it."""
    stored = _stored(loop, [*own_nodes(loop.body)])
    asked = [e for e in parts(tree, ast.Call) if ast.unparse(e.func) == ast.unparse(call.func)]
    # Each turn may be of another cell, or of another batch; leaves of a tree begin alike.
    is_other = bool(spots(call.func) & stored) or len(asked) > 1 or len(call.args) > 1
    is_other |= bool(call.keywords) or "backward" in calls_in(loop)
    return not is_other and bool(spots(call.args[0]) & stored)


def _is_dropped(answer: ast.expr, state: ast.expr, call: ast.Call, nodes: list[ast.AST]) -> bool:
    """Return whether the state of one step is not there in the next, whose input its answer is."""
    if not isinstance(state, ast.Name) or not call.args:
        return False
    used = (e for e in nodes if isinstance(e, ast.Name) and isinstance(e.ctx, ast.Load))
    if any(each.id == state.id for each in used):
        return False
    given = [
        (to, value)
        for node in nodes
        if isinstance(node, ast.Assign) and node.value is not call
        for to, value in bound(node)
    ]
    behind, is_one_step = spots(call.args[0]), _ends(call.args[0])
    for _turn in range(DEEPEST):
        for to, value in given:
            if spots(to.value if isinstance(to, ast.Subscript) else to) & behind:
                # Of what is filled place by place, more than one step may be read.
                behind |= spots(value) if isinstance(to, ast.Name | ast.Tuple) else {UNKNOWN}
                is_cut = isinstance(value, ast.Subscript) and not spots(value) & spots(answer)
                is_one_step |= is_cut and _ends(value)
    joined = (to for to, value in given if calls_in(value) & JOINING)
    filled = (owner_of(each) for each in nodes if method(each) in FILLING)
    grows = any(each is not None and spots(each) & behind for each in (*joined, *filled))
    return bool(behind & spots(answer)) and UNKNOWN not in behind and (is_one_step or not grows)


def _ends(value: ast.expr) -> bool:
    """Return whether this is the end of a series: `x[:, -1:]`."""
    places = [ast.unparse(each.slice) for each in parts(value, ast.Subscript)]
    return any(
        re.match(r"-1(?!\d)", place.split(", ")[-1 if "," not in place else 1]) for place in places
    )
