"""Where a script makes what stands in a line: backwards from there, through calls and data sets.

A value that does not fit is often made far above the line that fails, in another function, or in
the data set whose batches a loop goes through. Nothing is run: names are followed by the text.
"""

import ast
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeGuard

from course.diagnosis.text.script_text import Function, ScriptText
from course_probe.reading.names import given
from course_probe.reading.script_text import given_back, last_part, named, own_nodes

MOST = 200
"""Expressions that are looked at for one line: a script may go round in circles."""
PASSED_ON = frozenset({"tqdm", "iter", "list", "tuple", "sorted", "reversed", "islice", "cycle"})
"""Calls that give the elements of what they are given."""
PARTS_OF = frozenset({"DataLoader", "Subset", "random_split", "ConcatDataset", "train_test_split"})
"""Calls that give elements of a data set, in batches or in parts."""
OF_ROWS = frozenset({"map", "select", "shuffle", "with_format", "filter", "remove_columns"})
"""Methods that give a data set with the rows of the one they belong to."""
HAND_ON = PASSED_ON | OF_ROWS | {"DataLoader", "Subset", "to", "cuda", "enumerate", "zip"}
"""Calls that change no value."""
COLLATES = ("collate_fn", "data_collator")

Path = tuple[int | str, ...]
"""Which part of a value is meant: places in tuples, keys of mappings, the outermost first."""


class Wanted(NamedTuple):
    """An expression, which part of its value is meant, and whether of each of its elements.

    What is called comes `late`, behind what it is given.
    """

    node: ast.expr
    path: Path = ()
    element: bool = False
    late: bool = False


def names(node: ast.AST) -> list[str]:
    """List the names, and own attributes, that code takes; of a loop or branch only its head."""
    found = (each for head in _heads(node) for each in ast.walk(head) if isinstance(each, ast.expr))
    return [
        ast.unparse(each)
        for each in found
        if (isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load))
        or (isinstance(each, ast.Attribute) and ast.unparse(each.value) == "self")
    ]


def follow(script: ScriptText, node: ast.AST, line: int) -> Iterator[int]:
    """Yield the lines that made what stands in some code, what is nearest to it first.

    Lines that only hand a value on come behind those that make or change one.
    """
    origins = _WayBack(script)
    taken = (
        each
        for head in _heads(node)
        for each in (ast.iter_child_nodes(head) if isinstance(head, ast.stmt) else (head,))
    )
    waiting = deque(Wanted(each) for each in taken if _is_value(each))
    seen: set[tuple[int, Path, bool]] = set()
    handed_on = []
    late: deque[Wanted] = deque()
    while (waiting or late) and len(seen) < MOST:
        part = (waiting or late).popleft()
        known = (id(part.node), part.path, part.element)
        if known in seen:
            continue
        seen.add(known)
        at = part.node.lineno
        if at != line and origins.is_given(part.node):
            if origins.makes(part.node):
                yield at
            else:
                handed_on.append(at)
        for each in origins.before(part._replace(late=False)):
            (late if each.late else waiting).append(each)
    yield from handed_on


@dataclass(frozen=True)
class _WayBack:
    """The way back from an expression to what its value is made of, a step at a time."""

    script: ScriptText

    def is_given(self, node: ast.expr) -> bool:
        """Whether this is a whole value that something is given, not a piece of a calculation."""
        around = next(self.script.around(node), None)
        given = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Dict, ast.Tuple)
        return isinstance(around, (*given, ast.keyword, ast.arguments, ast.NamedExpr))

    def makes(self, node: ast.expr) -> bool:
        """Whether a value is made or changed here: by a number, an operation or a library."""
        if isinstance(node, ast.Call):
            is_own = any(made.name == ast.unparse(node.func) for made in self.script.made)
            is_own = is_own or bool(self._functions(node) or self._class_of(node.func))
            return not is_own and last_part(node.func) not in HAND_ON
        is_none = isinstance(node, ast.Constant) and node.value is None
        whole = (ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.Dict)
        return not is_none and not isinstance(node, whole)

    def before(self, part: Wanted) -> Iterable[Wanted]:
        """Yield what the value of an expression is made of."""
        node, path, element, _late = part
        match node:
            case ast.Name():
                return self._bindings(node, part)
            case ast.Attribute():
                return self._attribute(node, part)
            case ast.Subscript(value=value, slice=ast.Constant(value=int() | str() as key)):
                return [Wanted(value, (key, *path), element), *self._stored(value, key, path)]
            case ast.Subscript(value=value):
                return [Wanted(value, path, element)]
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                if path and isinstance(path[0], int) and -len(parts) <= path[0] < len(parts):
                    parts = [parts[path[0]]]
                return [Wanted(each, path[1:]) for each in parts]
            case ast.Dict():
                return self._entries(node, path)
            case ast.ListComp(elt=inner) | ast.GeneratorExp(elt=inner) | ast.Lambda(body=inner):
                return [Wanted(inner, path)]
            case ast.Call():
                return self._called(node, part)
            case _:
                return [Wanted(each) for each in ast.iter_child_nodes(node) if _is_value(each)]

    def _attribute(self, node: ast.Attribute, part: Wanted) -> Iterator[Wanted]:
        if ast.unparse(node.value) == "self":
            kinds = (n for n in self.script.around(node) if isinstance(n, ast.ClassDef))
            yield from self._given_to(next(kinds, self.script.tree), node.attr, part)
        elif (kind := self._class_of(node.value)) is not None:
            yield from self._given_to(kind, node.attr, part)
        else:
            yield part._replace(node=node.value)

    def _entries(self, node: ast.Dict, path: Path) -> Iterator[Wanted]:
        """Yield the entry of a mapping that is meant; all of them, where that is not known."""
        keys = [each.value if isinstance(each, ast.Constant) else None for each in node.keys]
        is_known = bool(path) and path[0] in keys
        for key, value in zip(keys, node.values, strict=True):
            if not is_known or key == path[0]:
                yield Wanted(value, path[1:])

    def _called(self, call: ast.Call, part: Wanted) -> Iterator[Wanted]:
        """Yield what a call gives: what a function returns, or what it makes of its arguments."""
        last, first, kind = last_part(call.func), call.args[:1], self._class_of(call.func)
        place = part.path[0] if part.path and isinstance(part.path[0], int) else None
        if functions := self._functions(call):
            yield from (part._replace(node=each) for each in _given_back(functions))
        elif last == "enumerate" and place == 1:
            yield from (Wanted(each, part.path[1:], element=True) for each in first)
        elif last == "zip" and place is not None:
            yield from (Wanted(n, part.path[1:], element=True) for n in call.args[place:][:1])
        elif last == "TensorDataset" and place is not None:
            yield from (Wanted(each, part.path[1:]) for each in call.args[place:][:1])
        elif last in PARTS_OF | PASSED_ON:
            collates = [value for name, value in named(call).items() if name in COLLATES]
            yield from (part._replace(node=each) for each in self._results(collates))
            whole = first or [each.value for each in call.keywords if each.arg == "dataset"]
            yield from (part._replace(node=each) for each in whole)
        elif last in OF_ROWS and isinstance(call.func, ast.Attribute):
            yield from (Wanted(each, part.path) for each in self._results(first))
            yield part._replace(node=call.func.value)
        elif kind is not None and part.element:
            elements = _methods(kind, "__getitem__", "__iter__")
            yield from (Wanted(each, part.path) for each in _given_back(elements))
        else:
            yield from (Wanted(each) for each in call.args)
            yield from (Wanted(each.value) for each in call.keywords)
            yield part._replace(node=call.func, late=True)

    def _results(self, functions: Iterable[ast.expr]) -> Iterator[ast.expr]:
        """Yield what functions give back that are passed to a library: by name, or as a lambda."""
        for each in functions:
            if isinstance(each, ast.Lambda):
                yield each.body
            else:
                yield from _given_back(self.script.functions(ast.unparse(each)))

    def _functions(self, call: ast.Call) -> list[Function]:
        """List the script's own functions that a call may be of; a network's own is `forward`."""
        name = call.func
        if isinstance(name, ast.Attribute):
            owner = self._class_of(name.value)
            if owner is None and ast.unparse(name.value) in ("self", "cls"):
                around = (n for n in self.script.around(call) if isinstance(n, ast.ClassDef))
                owner = next(around, None)
            if owner is not None and (found := _methods(owner, name.attr)):
                return found
        elif isinstance(name, ast.Name):
            found = [f for f in self.script.functions(name.id) if self._owner(f) is None]
            if found:
                return found
        if self._class_named(ast.unparse(name)) is not None:
            return []
        kind = self._class_of(name)
        return _methods(kind, "forward", "__call__") if kind is not None else []

    def _owner(self, function: Function) -> ast.ClassDef | None:
        """Return the class that a function is a method of."""
        around = next(self.script.around(function), None)
        return around if isinstance(around, ast.ClassDef) else None

    def _class_named(self, name: str) -> ast.ClassDef | None:
        kinds = (n for n in self.script.tree.body if isinstance(n, ast.ClassDef))
        return next((each for each in kinds if each.name == name), None)

    def _class_of(self, node: ast.expr) -> ast.ClassDef | None:
        """Find the script's own class that an expression is, or is an object of."""
        if isinstance(node, ast.Call):
            return self._class_named(ast.unparse(node.func))
        name = ast.unparse(node)
        made = (m.value for m in self.script.made if m.name == name)
        kinds = (self._class_of(each) for each in made if isinstance(each, ast.Call))
        return self._class_named(name) or next((each for each in kinds if each), None)

    def _given_to(self, within: ast.AST, name: str, part: Wanted) -> Iterator[Wanted]:
        """Yield what an attribute of a class's own objects is given."""
        for value, way, _is_loop in _given(f"self.{name}", ast.walk(within)):
            yield Wanted(value, (*way, *part.path), part.element)

    def _stored(self, value: ast.expr, key: int | str, path: Path) -> Iterator[Wanted]:
        """Yield what is put under a key of the same mapping."""
        for target, put in self._subscripts(self.script.tree, ast.unparse(value)):
            if isinstance(target.slice, ast.Constant) and target.slice.value == key:
                yield Wanted(put, path)

    def _subscripts(self, scope: ast.AST, name: str) -> Iterator[tuple[ast.Subscript, ast.expr]]:
        """Yield the places of a named value that are given something, with what they are given."""
        for node in ast.walk(scope):
            for target, value in given(node):
                if isinstance(target, ast.Subscript) and ast.unparse(target.value) == name:
                    yield target, value

    def _bindings(self, node: ast.Name, part: Wanted) -> Iterator[Wanted]:
        """Yield what a name is given: before this line, by a loop around it, or by a caller."""
        functions = [n for n in self.script.around(node) if isinstance(n, Function)]
        for scope in (*functions, self.script.tree):
            at = _position(scope, node.id)
            found = sorted(
                _given(node.id, own_nodes(scope.body)),
                key=lambda each: each[0].lineno,
            )
            before = [each for each in found if each[0].lineno < node.lineno]
            if at is None:
                # A loop comes round again.
                before = before or found
            if before and not part.path:
                # What is put into its places, or columns, is a part of it; the last first.
                filled = [v for _t, v in self._subscripts(scope, node.id) if v.lineno < node.lineno]
                yield from map(Wanted, sorted(filled, key=lambda v: -v.lineno))
            for value, way, is_loop in reversed(before):
                yield Wanted(value, (*way, *part.path), part.element or is_loop)
                # What is added to a value goes with the value before it.
                if not isinstance(next(self.script.around(value)), ast.AugAssign):
                    break
            if before:
                return
            if at is not None and isinstance(scope, Function):
                yield from self._passed(scope, at, part)
                return

    def _passed(self, function: Function, at: int, part: Wanted) -> Iterator[Wanted]:
        """Yield what callers pass for a parameter, or its default."""
        owner = self._owner(function)
        name, arguments = _parameters(function)[at], function.args
        if owner is not None and "staticmethod" not in map(ast.unparse, function.decorator_list):
            place = at - 1
        else:
            place = at
        for _name, call in self.script.calls():
            if owner is not None and function.name == "__init__":
                is_called = ast.unparse(call.func) == owner.name
            else:
                is_called = function in self._functions(call)
            passed = named(call).get(name)
            if is_called and passed is not None:
                yield part._replace(node=passed)
            elif is_called:
                yield from (part._replace(node=n) for n in call.args[max(place, 0) :][:1])
            elif function.name in self._handed_to(call) and not call.args[1:]:
                whole = call.func.value if isinstance(call.func, ast.Attribute) else call.args[0]
                yield Wanted(whole, part.path, element=True)
        number = at - (len(_parameters(function)) - len(arguments.defaults))
        yield from (part._replace(node=n) for n in arguments.defaults[number:][:1] if number >= 0)

    def _handed_to(self, call: ast.Call) -> set[str]:
        """Return the functions that a call gives rows to: those it is given by name."""
        collates = [value for name, value in named(call).items() if name in COLLATES]
        is_map = last_part(call.func) in OF_ROWS and isinstance(call.func, ast.Attribute)
        return {ast.unparse(each) for each in (*collates, *(call.args if is_map else ()))}


def _heads(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, ast.For | ast.AsyncFor):
        return [node.iter]
    if isinstance(node, ast.If | ast.While):
        return [node.test]
    if isinstance(node, ast.With | ast.AsyncWith):
        return [item.context_expr for item in node.items]
    return [] if isinstance(node, Function | ast.ClassDef | ast.Try) else [node]


def _given(name: str, nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.expr, Path, bool]]:
    """Yield the values that a name is given, with which part of each is meant.

    The last says whether it is given each element of the value in turn.
    """
    for node in nodes:
        match node:
            case ast.Assign(targets=targets, value=ast.expr() as value):
                yield from ((value, way, False) for each in targets for way in _ways(each, name))
            case (
                ast.AnnAssign(target=target, value=ast.expr() as value)
                | ast.AugAssign(target=target, value=value)
                | ast.NamedExpr(target=target, value=value)
                | ast.withitem(context_expr=value, optional_vars=ast.expr() as target)
            ):
                yield from ((value, way, False) for way in _ways(target, name))
            case ast.For() | ast.AsyncFor() | ast.comprehension():
                yield from ((node.iter, way, True) for way in _ways(node.target, name))


def _ways(target: ast.expr, name: str) -> Iterator[Path]:
    """Yield which part of a value a name is given, where a target has it."""
    if isinstance(target, ast.Name | ast.Attribute) and ast.unparse(target) == name:
        yield ()
    elif isinstance(target, ast.Tuple | ast.List):
        for number, each in enumerate(target.elts):
            yield from ((number, *way) for way in _ways(each, name))


def _given_back(functions: Iterable[Function]) -> Iterator[ast.expr]:
    """Yield what functions return; of one that returns nothing, what stands where it ends."""
    for function in functions:
        ends = [n for n in ast.iter_child_nodes(function.body[-1]) if _is_value(n)]
        yield from given_back(function) or ends[-1:]


def _methods(kind: ast.ClassDef, *wanted: str) -> list[Function]:
    return [n for n in kind.body if isinstance(n, Function) and n.name in wanted]


def _is_value(node: ast.AST) -> TypeGuard[ast.expr]:
    """Whether this is an expression that is taken, not one that is given something."""
    return isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), ast.Store)


def _parameters(function: Function) -> list[str]:
    return [each.arg for each in (*function.args.posonlyargs, *function.args.args)]


def _position(scope: ast.AST, name: str) -> int | None:
    """Return which parameter of a function a name is; None where it is none."""
    found = _parameters(scope) if isinstance(scope, Function) else []
    return found.index(name) if name in found else None
