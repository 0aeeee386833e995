"""Where values come from, by a script's text: through names, functions, objects and containers.

Of a name that a function gives several values, it may be any that can still be there where the name
is read. Of attributes the order of lines is not looked at.
"""

import ast
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field

from course_probe.reading.names import given
from course_probe.reading.script_text import (
    Scope,
    around,
    functions_of,
    given_back,
    last_part,
    named,
    own_nodes,
    parents,
    parts,
    scopes,
    worked_on,
)

DEEPEST = 12
"""Steps back from a value to what made it."""
MOST = 400
"""Values that are looked at for one."""
SHAPED = {
    *("reshape", "view", "flatten", "ravel", "squeeze", "unsqueeze", "transpose", "permute", "T"),
    *("contiguous", "copy", "clone", "detach", "cpu", "cuda", "numpy", "from_numpy", "expand_dims"),
    *("cat", "concat", "concatenate", "stack", "hstack", "vstack", "array", "asarray", "tensor"),
    *("as_tensor", "list", "flip", "roll"),
}
"""Methods and functions that leave numbers, and their type, as they are."""
SAME = SHAPED | {
    *("astype", "to", "type", "int", "long", "float", "double", "bool", "byte", "item", "tolist"),
    *("to_numpy", "FloatTensor", "LongTensor"),
}
"""Those that leave them as they are, maybe of another type."""
FILLING = {"append", "extend", "add", "insert"}
"""Methods that put what they are given last into a container."""
ONE = ast.Constant(None)
"""Stands for any place: what a loop takes of what it goes over."""


@dataclass(frozen=True, eq=False)
class TextValue:
    """An expression where it stands: in a function, with what one call has `given` it, if known."""

    node: ast.expr
    scope: Scope
    given: "Mapping[str, TextValue]" = field(default_factory=dict)

    def of(self, node: ast.expr) -> "TextValue":
        """Return another expression at the same place."""
        return TextValue(node, self.scope, self.given)


def _is_none(_value: TextValue) -> bool:
    return False


def passed_on(node: ast.expr, by: Set[str] = SAME) -> ast.expr | None:
    """Return what an expression gives on in another form, by such calls; None of all else."""
    match node:
        case ast.Call(func=func) if last_part(func) in by:
            return next(iter(worked_on(node)), None)
        case ast.Subscript(value=whole, slice=place) if not isinstance(place, ast.Constant):
            return whole
        case ast.ListComp(elt=each) | ast.GeneratorExp(elt=each):
            return each
    return None


class Flow:
    """The values of a script, and what they are made of."""

    def __init__(self, tree: ast.Module) -> None:
        self._functions = functions_of(tree)
        self._begun = {
            each: kind.name
            for kind in parts(tree, ast.ClassDef)
            for each in kind.body
            if isinstance(each, ast.FunctionDef) and each.name == "__init__"
        }
        self._calls: dict[str, list[TextValue]] = {}
        self._names: dict[Scope, dict[str, list[_Stored]]] = {}
        self._parts: dict[str, list[TextValue]] = {}
        self._tree, self._within = tree, parents(tree)
        for scope in scopes(tree):
            held = self._names.setdefault(scope, {})
            for node in own_nodes(scope.body):
                if isinstance(node, ast.Call):
                    self._calls.setdefault(last_part(node.func), []).append(TextValue(node, scope))
                for target, value in _stores(node):
                    if isinstance(target, ast.Name):
                        held.setdefault(target.id, []).append((value, node))
                    else:
                        self._parts.setdefault(_key(target), []).append(TextValue(value, scope))

    def origins(
        self, value: TextValue, is_end: Callable[[TextValue], bool] = _is_none, depth: int = 0
    ) -> Iterator[TextValue]:
        """Yield what a value may be, as it was made: no name, and no call of the script's own.

        An end may be such a call.
        """
        found = [] if depth >= DEEPEST or is_end(value) else self.before(value, is_end, depth)
        for each in found:
            yield from self.origins(each, is_end, depth + 1)
        if not found:
            yield value

    def contents(self, value: TextValue) -> list[TextValue]:
        """Return what a value may be, without the empty list that it may begin as."""
        found = self.origins(value)
        return [each for each in found if ast.unparse(each.node) not in ("[]", "list()")]

    def before(
        self, value: TextValue, is_end: Callable[[TextValue], bool] = _is_none, depth: int = 0
    ) -> list[TextValue]:
        """Return what a value is given, one step back; nothing where that is not known."""
        node = value.node
        match node:
            case ast.Name(id=name):
                return self.held(name, value)
            case ast.Attribute():
                return self._parts.get(_key(node), [])
            case ast.Subscript(value=whole, slice=ast.Constant(value=key)):
                of = self.origins(value.of(whole), is_end, depth + 1)
                inside = (one for each in of for one in _part(each, key))
                return [*self._parts.get(_key(node), []), *inside]
            case ast.Call():
                return self.given_back(value)
            case ast.IfExp():
                return [value.of(node.body), value.of(node.orelse)]
            case ast.NamedExpr() | ast.Starred() | ast.Await():
                return [value.of(node.value)]
        return []

    def held(self, name: str, at: TextValue) -> list[TextValue]:
        """Return the values that a name is given: there, by calls of its function, or outside."""
        stored = self._names[at.scope].get(name, [])
        last = self._last_before(at.node, stored)
        found = [at.of(value) for value, node in stored if self._is_there(node, at.node, last)]
        if isinstance(at.scope, ast.Module) or last is not None:
            return found
        if name in at.given:
            return [*found, at.given[name]]
        taken = _taken(at.scope)
        if name in taken:
            called = [n for n, each in self._functions.items() if each is at.scope]
            called += [self._begun.get(at.scope, at.scope.name)]
            calls = [call for each in dict.fromkeys(called) for call in self._calls.get(each, ())]
            given_by = (_given(call, taken).get(name) for call in calls)
            return [*found, *(each for each in given_by if each is not None)]
        outside = self._names[self._tree].get(name, []) if not found else []
        return [*found, *(TextValue(each, self._tree) for each, _node in outside)]

    def _last_before(self, read: ast.AST, stored: "list[_Stored]") -> ast.stmt | None:
        """Return the last statement that gives a name a value in any case before it is read."""
        found: ast.stmt | None = None
        path = {read, *around(read, self._within)} if len(stored) > 1 else set()
        for _value, node in stored:
            if isinstance(node, ast.Assign | ast.AnnAssign) and node not in path:
                block = _block(self._within[node], node)
                is_before = any(each in path for each in block[block.index(node) + 1 :])
                found = node if is_before and _is_later(node, found) else found
        return found

    def _is_there(self, node: ast.AST, read: ast.AST, last: ast.stmt | None) -> bool:
        """Return whether a value may still be there where a name is read, by its last sure one."""
        if last is None or node is last:
            return True
        if not _is_later(node, last):
            return False
        # What comes after it is there in the next turn, if that begins after the sure one.
        outer = {one for one in around(read, self._within) if isinstance(one, ast.For | ast.While)}
        outer -= {*around(last, self._within)}
        is_after = _is_later(node, read) or node in around(read, self._within)
        return not is_after or bool(outer & {*around(node, self._within)})

    def function(self, call: ast.Call) -> ast.FunctionDef | None:
        """Return the function of the script that a call runs; a library's own may be called so."""
        function = self._functions.get(last_part(call.func))
        if function is None or not isinstance(call.func, ast.Attribute):
            return function
        is_method = bool(function.args.args) and function.args.args[0].arg == "self"
        return function if is_method else None

    def given_back(self, call: TextValue) -> list[TextValue]:
        """Return what a call of the script's own function gives; nothing for any other."""
        function = self.function(call.node) if isinstance(call.node, ast.Call) else None
        if function is None:
            return []
        taken = _given(call, _taken(function))
        return [TextValue(each, function, taken) for each in given_back(function)]

    def behind(
        self, value: TextValue, is_end: Callable[[TextValue], bool] = _is_none
    ) -> Iterator[TextValue]:
        """Yield all that a value is made of: its origins, their parts, and what those are.

        With an end, and not what that is made of.
        """
        waiting, seen = [value], set[tuple[int, int]]()
        while waiting and len(seen) < MOST:
            one = waiting.pop()
            for each in self.origins(one, is_end):
                at = (id(each.node), id(each.scope))
                if at in seen:
                    continue
                seen.add(at)
                yield each
                if is_end(each):
                    continue
                inner = ast.iter_child_nodes(each.node)
                waiting += (each.of(part) for part in inner if isinstance(part, ast.expr))
                keywords = each.node.keywords if isinstance(each.node, ast.Call) else []
                waiting += (each.of(keyword.value) for keyword in keywords)


_Stored = tuple[ast.expr, ast.AST]
"""A value of a name, and the statement that gives it."""


def _is_later(node: ast.AST, other: ast.AST | None) -> bool:
    """Return whether a node begins after another one."""
    return other is None or _begin(node) > _begin(other)


def _begin(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _block(outer: ast.AST, node: ast.stmt) -> list[ast.stmt]:
    """Return the statements beside this one, of the node that it is in."""
    blocks = (getattr(outer, name, []) for name in ("body", "orelse", "finalbody"))
    return next((each for each in blocks if isinstance(each, list) and node in each), [node])


def _stores(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what a statement gives values, each with its own: of several taken at once, a part."""
    match node:
        case ast.For(target=target, iter=over) | ast.comprehension(target=target, iter=over):
            yield from _apart(target, _one_of(over))
        case ast.AugAssign(target=target, value=value):
            yield target, value
        case ast.Call(func=ast.Attribute(value=owner, attr=done), args=[*_, value]):
            if done in FILLING:
                yield owner, value
        case ast.With(items=items):
            pairs = ((each.optional_vars, each.context_expr) for each in items)
            yield from ((target, value) for target, value in pairs if target is not None)
        case _:
            for target, value in given(node):
                yield from _apart(target, value)


def _apart(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    if not isinstance(target, ast.Tuple | ast.List):
        yield target, value
        return
    for place, each in enumerate(target.elts):
        part = ast.Subscript(value, ast.Constant(place), ast.Load())
        yield from _apart(each, ast.copy_location(part, value))


def _one_of(over: ast.expr) -> ast.expr:
    """Return what a loop takes of what it goes over; of several side by side, one of each."""
    match over:
        case ast.Call(func=ast.Name(id="zip"), args=several):
            one: ast.expr = ast.Tuple([_one_of(each) for each in several], ast.Load())
        case ast.Call(func=ast.Name(id="enumerate"), args=[of, *_]):
            one = ast.Tuple([ONE, _one_of(of)], ast.Load())
        case ast.Call(func=ast.Name(id="tqdm"), args=[of, *_]):
            return _one_of(of)
        case _:
            one = ast.Subscript(over, ONE, ast.Load())
    return ast.copy_location(one, over)


def _part(whole: TextValue, key: object) -> list[TextValue]:
    """Return what a container that is written out has at a place, or at any; else nothing."""
    match whole.node:
        case ast.Tuple(elts=[ast.Starred(value=several)]):
            place = ast.Constant(key if isinstance(key, int) else None)
            return [whole.of(ast.Subscript(several, place, ast.Load()))]
        # What a data set, a loader or a split gives of what it was given.
        case ast.Call(func=func, args=[_, *_] as args) if last_part(func) == "TensorDataset":
            return [whole.of(ast.Tuple(args, ast.Load()))] if key is None else []
        case ast.Call(func=func, args=[first, *_]) if last_part(func) == "DataLoader":
            return [whole.of(_one_of(first))]
        case ast.Call(func=func, args=[first, *_]) if last_part(func) == "random_split":
            return [whole.of(first)]
        case ast.Call(func=func, args=args) if last_part(func) == "train_test_split":
            is_place = isinstance(key, int) and 0 <= key < 2 * len(args)
            return [whole.of(args[key // 2])] if is_place and isinstance(key, int) else []
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            if key is None:
                return [whole.of(each) for each in elts]
            is_place = isinstance(key, int) and -len(elts) <= key < len(elts)
            return [whole.of(elts[key])] if is_place and isinstance(key, int) else []
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return [whole.of(v) for k, v in pairs if isinstance(k, ast.Constant) and k.value == key]
        case ast.Call(func=ast.Name(id="dict"), keywords=keywords):
            return [whole.of(each.value) for each in keywords if each.arg == key]
        case ast.ListComp(elt=each) | ast.GeneratorExp(elt=each) if key is None:
            return [whole.of(each)]
    return []


def _key(target: ast.expr) -> str:
    """Return what tells an attribute, or a place, apart; whose attribute it is makes none."""
    return target.attr if isinstance(target, ast.Attribute) else ast.unparse(target)


def _taken(function: ast.FunctionDef) -> list[str]:
    """Return the names of what a function takes, without the object itself."""
    taken = [each.arg for each in (*function.args.args, *function.args.kwonlyargs)]
    return taken[1:] if taken[:1] in (["self"], ["cls"]) else taken


def _given(call: TextValue, taken: list[str]) -> dict[str, TextValue]:
    """Return what a call gives for each name that its function takes."""
    node = call.node
    if not isinstance(node, ast.Call):
        return {}
    by_name = {name: value for name, value in named(node).items() if name in taken}
    found = {**dict(zip(taken, node.args, strict=False)), **by_name}
    return {name: call.of(value) for name, value in found.items() if name}
