"""Loops that go on step by step, of which a step does not reach the next one, by a script's text.

A recurrent network is given one step, and gives an answer and a state. The state belongs to the
next step of the same rows; the answer too, where a script lets a network go on by itself.
"""

import ast
import re
from collections.abc import Iterator

from course_probe.reading.script_text import (
    Scope,
    around,
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
TOKENS = {"tensor", "LongTensor", "as_tensor", "array"}
CHOOSING = {"argmax", "multinomial", "topk"}
"""Functions and methods that choose a token by what a network answers."""
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
        forwards = [e for e in parts(tree, ast.FunctionDef) if e.name == "forward"]
        # What is handed over under any name can only be the one network that there is.
        self._only = forwards[0] if len(forwards) == 1 else None
        self._given = {each.arg for each in parts(tree, ast.arg)}

    def is_cell(self, call: ast.Call) -> bool:
        """Return whether a call asks a recurrent cell, which knows one step only."""
        made = self._made.get(ast.unparse(call.func), set())
        return bool(made & CELLS) and made <= CELLS

    def gives_state(self, call: ast.Call) -> bool:
        """Return whether a call gives the state of a recurrent layer, behind what it answers."""
        made = self._made.get(ast.unparse(call.func), set())
        if made and made <= LAYERS:
            return True
        handed = self._only if isinstance(call.func, ast.Name) else None
        handed = handed if last_part(call.func) in self._given else None
        forward = self.functions.get(last_part(call.func), handed)
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
        return (
            all(e in begun for e in held)
            and bool(ends)
            and all(
                isinstance(e, ast.Tuple) and len(e.elts) > 1 and ast.unparse(e.elts[-1]) in states
                for e in ends
            )
        )


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
                            is_known = script.gives_state(value)
                            if is_known and _is_dropped(answer, state, value, nodes):
                                found.add(value.lineno)
    return sorted(found)


def answers_dropped(tree: ast.Module) -> list[int]:
    """Find the calls of a loop that goes on by itself whose input is the same in each turn.

    The state goes on, and answers are gathered; what is read is what an earlier loop read last, or
    the last step of a series where nothing is trained.
    """
    script, found = _Script(tree), set[int]()
    for scope in scopes(tree):
        for loop in _loops(scope):
            nodes = [*own_nodes(loop.body)]
            stored = _stored(loop, nodes)
            gathers = any(_fills(each) for each in nodes)
            for node in (e for e in nodes if isinstance(e, ast.Assign)):
                for target, value in bound(node):
                    if not isinstance(value, ast.Call) or len(value.args) != 2:
                        continue
                    of_state = _names(value.args[1])
                    is_on = bool(of_state & _names(target))
                    read = _names(value.args[0])
                    if not is_on or not gathers or not read or read & stored:
                        continue
                    if not (script.is_cell(value) or script.gives_state(value)):
                        continue
                    if (
                        _was_read(read, value, loop, scope)
                        or _is_last(read, loop, scope, script)
                        or _is_token(read, target, nodes, scope)
                    ):
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


def _fills(node: ast.AST) -> bool:
    """Return whether something is gathered: put into a list, or at a place."""
    match node:
        case ast.Call(func=ast.Attribute(attr="append")) | ast.AugAssign():
            return True
        case ast.Assign(targets=[ast.Subscript()]):
            return True
    return False


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
            made |= _names(to) if _names(value) & made else set()
            if _names(to) & behind:
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


def _was_read(read: set[str], call: ast.Call, loop: Loop, scope: Scope) -> bool:
    """Return whether a loop before this one took the names, one step after the other."""
    return any(
        isinstance(each, ast.For)
        and each.lineno < loop.lineno
        and loop not in ast.walk(each)
        and read <= _names(each.target)
        and any(ast.unparse(one.func) == ast.unparse(call.func) for one in parts(each, ast.Call))
        for each in _loops(scope)
    )


def _is_last(read: set[str], loop: Loop, scope: Scope, script: _Script) -> bool:
    """Return whether the names are the last step of a series, in a scope that trains nothing."""
    outer = [*around(loop, script.within)]
    withs = [ast.unparse(i) for e in outer if isinstance(e, ast.With) for i in e.items]
    marks = [ast.unparse(e) for e in getattr(scope, "decorator_list", [])]
    if not any("no_grad" in each or "inference_mode" in each for each in (*withs, *marks)):
        return False
    values = [
        value
        for node in own_nodes(scope.body)
        if isinstance(node, ast.Assign) and node.lineno < loop.lineno
        for to, value in bound(node)
        if _names(to) & read
    ]
    return len(read) == 1 and bool(values) and _ends(values[-1])


def _is_token(read: set[str], answer: ast.expr, nodes: list[ast.AST], scope: Scope) -> bool:
    """Return whether the loop chooses a token by each answer, gathers it, and reads a first one."""
    begun = [
        value
        for node in own_nodes(scope.body)
        if isinstance(node, ast.Assign)
        for to, value in bound(node)
        if _names(to) & read
    ]
    is_first = bool(begun) and all(
        isinstance(each, ast.Call) and last_part(each.func) in TOKENS and parts(each, ast.List)
        for each in begun
    )
    made, chosen = _names(answer), set[str]()
    for node in nodes:
        for to, value in bound(node) if isinstance(node, ast.Assign) else ():
            if _names(value) & made:
                done = {last_part(each.func) for each in parts(value, ast.Call)}
                made |= _names(to)
                chosen |= _names(to) if done & CHOOSING else set()
    gathered = {name for node in nodes if _fills(node) for name in _names(node)}
    return is_first and bool(chosen & gathered)


def _ends(value: ast.expr) -> bool:
    """Return whether this is the end of a series: `x[:, -1:]`."""
    places = [ast.unparse(each.slice) for each in parts(value, ast.Subscript)]
    return any(
        place.split(", ")[-1 if "," not in place else 1].startswith("-1") for place in places
    )
