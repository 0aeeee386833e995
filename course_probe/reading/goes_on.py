"""Loops that go on step by step, of which a step does not reach the next one, by a script's text.

A recurrent network is given one step, and gives an answer and a state. The state belongs to the
next step of the same rows.
"""

import ast
import re
from collections.abc import Iterator

from course_probe.reading.flow import Flow, TextValue
from course_probe.reading.script_text import (
    Scope,
    bound,
    functions_of,
    last_part,
    names,
    own_nodes,
    parents,
    parts,
    scopes,
)

CELLS = {"LSTMCell", "GRUCell", "RNNCell"}
LAYERS = {"LSTM", "GRU", "RNN"}
JOINING = {"cat", "concat", "concatenate", "append", "stack", "hstack", "vstack", "roll", "pad"}
"""Functions by which a text or a series grows, so that all of it is read each time."""
FILLING = {"append", "extend", "add_", "copy_"}
BEGINS = re.compile(r"None|zeros|init|randn|Parameter|begin|start")
"""What marks the state that a series begins with."""
DEEPEST = 4
"""How often it is asked what a name is made of."""
UNKNOWN = "…"
Loop = ast.For | ast.While


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
        self._forwards = {
            kind.name: each
            for kind in parts(tree, ast.ClassDef)
            for each in kind.body
            if isinstance(each, ast.FunctionDef) and each.name == "forward"
        }
        forwards = [e for e in parts(tree, ast.FunctionDef) if e.name == "forward"]
        # What is handed over under any name can only be the one network that there is.
        self._only = forwards[0] if len(forwards) == 1 else None
        self._given = {each.arg for each in parts(tree, ast.arg)}

    def is_cell(self, call: ast.Call) -> bool:
        """Return whether a call asks a recurrent cell, which knows one step only."""
        made = self._made.get(ast.unparse(call.func), set())
        return bool(made & CELLS) and made <= CELLS

    def gives_state(self, call: ast.Call, scope: Scope) -> bool:
        """Return whether a call gives the state of a recurrent layer, behind what it answers."""
        made = self._made.get(ast.unparse(call.func), set())
        if made and made <= LAYERS:
            return True
        handed = self._only if isinstance(call.func, ast.Name) else None
        handed = handed if last_part(call.func) in self._given else None
        forward = self._forward(call, scope) or self.functions.get(last_part(call.func), handed)
        owner = self.within.get(forward) if forward is not None else None
        if forward is None or not isinstance(owner, ast.ClassDef):
            return False
        # A state that the network keeps itself goes on.
        held = [e for e in parts(owner, ast.Attribute) if isinstance(e.ctx, ast.Store)]
        inits = [e for e in owner.body if getattr(e, "name", "") == "__init__"]
        begun = {e for one in inits for e in ast.walk(one)}
        ends = [e.value for e in parts(forward, ast.Return)]
        states = {
            ast.unparse(target.elts[-1])
            for node in parts(forward, ast.Assign)
            for target, value in bound(node)
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Call)
            if self._made.get(ast.unparse(value.func), {""}) <= LAYERS
        }
        states |= {f"{each}.{done}(0)" for each in states for done in ("squeeze", "unsqueeze")}
        return (
            all(e in begun for e in held)
            and bool(ends)
            and all(
                isinstance(e, ast.Tuple) and len(e.elts) > 1 and ast.unparse(e.elts[-1]) in states
                for e in ends
            )
        )

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
        for loop in _loops(scope):
            nodes = [*own_nodes(loop.body)]
            for call in (e for e in nodes if isinstance(e, ast.Call) and e.args):
                if script.is_cell(call) and _is_dropped_by_cell(call, loop, scope, tree):
                    found.add(call.lineno)
            for node in (e for e in nodes if isinstance(e, ast.Assign)):
                for target, value in bound(node):
                    match target, value:
                        case ast.Tuple(elts=[answer, state]), ast.Call():
                            is_known = script.gives_state(value, scope)
                            if is_known and _is_dropped(answer, state, value, nodes):
                                found.add(value.lineno)
    return sorted(found)


def _loops(scope: Scope) -> Iterator[Loop]:
    return (e for e in own_nodes(scope.body) if isinstance(e, ast.For | ast.While))


def _names(node: ast.AST) -> set[str]:
    """Return the names in it, and what lies in an object: `self.hidden`."""
    of_self = (e for e in parts(node, ast.Attribute) if ast.unparse(e.value) == "self")
    return (names(node) - {"self", "torch", "np", "nn"}) | {ast.unparse(each) for each in of_self}


def _stored(loop: Loop, nodes: list[ast.AST]) -> set[str]:
    """Return the names that a turn of a loop gives another value, or what they hold."""
    found = _names(loop.target) if isinstance(loop, ast.For) else set()
    for node in nodes:
        match node:
            case ast.Assign(targets=targets):
                found |= {name for each in targets for name in _names(each)}
            case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
                found |= _names(target)
            case ast.For(target=target) | ast.NamedExpr(target=target):
                found |= _names(target)
            case ast.Call(func=ast.Attribute(value=owner, attr=done)):
                found |= _names(owner) if done in FILLING or done.endswith("_") else set()
    return found


def _is_dropped_by_cell(call: ast.Call, loop: Loop, scope: Scope, tree: ast.Module) -> bool:
    """Return whether a cell reads one step after the other, each with the state of the first."""
    nodes = [*own_nodes(loop.body)]
    stored = _stored(loop, nodes)
    asked = [e for e in parts(tree, ast.Call) if ast.unparse(e.func) == ast.unparse(call.func)]
    # Each turn may be of another cell, or of another batch; leaves of a tree begin alike.
    is_other = bool(_names(call.func) & stored) or len(asked) > 1 or len(call.args) > 2
    done = {last_part(each.func) for each in nodes if isinstance(each, ast.Call)}
    if is_other or call.keywords or "backward" in done or not _names(call.args[0]) & stored:
        return False
    if len(call.args) == 1:
        return True
    loops = {one for each in _loops(scope) for one in own_nodes(each.body)}
    state = _names(call.args[1])
    begun = [
        is_begun
        for node in own_nodes(scope.body)
        if isinstance(node, ast.Assign)
        for to, value in bound(node)
        if _names(to) & state
        for is_begun in [node not in loops and bool(BEGINS.search(ast.unparse(value)))]
    ]
    return bool(begun) and all(begun)


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
    # What the answer leads to, and what the next input is made of.
    made, behind = _names(answer), _names(call.args[0])
    is_one_step = _ends(call.args[0])
    for _turn in range(DEEPEST):
        for to, value in given:
            whole = _names(to.value if isinstance(to, ast.Subscript) else to)
            made |= whole if _names(value) & made else set()
            if whole & behind:
                # Of what is filled place by place, more than one step may be read.
                behind |= _names(value) if isinstance(to, ast.Name | ast.Tuple) else {UNKNOWN}
                is_cut = isinstance(value, ast.Subscript) and not _names(value) & _names(answer)
                is_one_step |= is_cut and _ends(value)
    grows = any(
        _names(to) & behind
        and any(last_part(each.func) in JOINING for each in parts(value, ast.Call))
        for to, value in given
    ) or any(
        isinstance(each, ast.Call)
        and last_part(each.func) in FILLING
        and isinstance(each.func, ast.Attribute)
        and bool(_names(each.func.value) & behind)
        for each in nodes
    )
    is_known = UNKNOWN not in behind
    return bool(behind & _names(answer)) and is_known and (is_one_step or not grows)


def _ends(value: ast.expr) -> bool:
    """Return whether this is the end of a series: `x[:, -1:]`."""
    places = [ast.unparse(each.slice) for each in parts(value, ast.Subscript)]
    return any(
        place.split(", ")[-1 if "," not in place else 1].startswith("-1") for place in places
    )
