"""Whether a script moves to a device what it gives its network, by its text.

On a machine with one device, all tensors are in one place, moved or not: no run tells it there.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from course_probe.reading.names import given
from course_probe.reading.script_text import (
    around,
    given_back,
    in_order,
    last_part,
    named,
    names,
    parents,
    parts,
    stored,
)

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Module)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LOOPS = (ast.DictComp, ast.ListComp, ast.SetComp, ast.GeneratorExp)
GIVING = {"__getitem__", "__iter__", "__call__", "__next__"}
"""Methods by which an object of the script's own gives a batch or a row."""


def moves_inputs(tree: ast.Module, lines: Iterable[int]) -> bool:
    """Return whether the calls on all these lines, of a network, are given what was moved."""
    reader = InputMoves(tree)
    return all(map(reader.is_given_moved, lines))


@dataclass(frozen=True)
class GivenValue:
    """A value that a name is given: at a place, one column of it only, or by a loop."""

    at: tuple[int, int]
    value: ast.expr
    column: bool = False


class InputMoves:
    """The values of one text, and which of them are on a device because the text moves them."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._parents = parents(tree)
        self._functions = {each.name: each for each in parts(tree, ast.FunctionDef)}
        self._classes = {each.name: each for each in parts(tree, ast.ClassDef)}
        self._calls = parts(tree, ast.Call)
        self._open: set[int] = set()

    def is_given_moved(self, line: int) -> bool:
        """Return whether the innermost calls on a line are given what was moved."""
        if any(last_part(call.func) == "set_default_device" for call in self._calls):
            return True
        here = [c for c in self._calls if c.lineno <= line <= (c.end_lineno or line)]
        here = [c for c in here if _given(c) and not self._is_mover(c)]
        inner = [c for c in here if not any(e is not c and e in here for e in ast.walk(c))]
        return bool(inner) and all(self._all_moved(_given(each)) for each in inner)

    def _is_mover(self, call: ast.Call) -> bool:
        """Return whether a call moves what it is given, or makes it on a device."""
        name, device = last_part(call.func), named(call).get("device")
        if name in ("cuda", "prepare"):
            return True
        if name == "to":
            given = (*call.args, *(each.value for each in call.keywords))
            return not all(map(_is_dtype, given))
        if device is not None and not _is_dtype(device):
            return True
        made = self._functions.get(name)
        return made is not None and self._is_given_back(made)

    def _is_given_back(self, function: ast.FunctionDef | ast.Lambda) -> bool:
        """Return whether all that a function returns or yields was moved."""
        if isinstance(function, ast.Lambda):
            return self._is_moved(function.body)
        found = given_back(function)
        return bool(found) and all(map(self._is_moved, found))

    def _all_moved(self, values: Iterable[ast.expr]) -> bool:
        found = [each for each in values if names(each)]
        return bool(found) and all(map(self._is_moved, found))

    def _is_moved(self, value: ast.AST) -> bool:
        """Return whether a value was moved; False while that is being asked."""
        if id(value) in self._open:
            return False
        self._open.add(id(value))
        try:
            return self._is_moved_value(value)
        finally:
            self._open.discard(id(value))

    def _is_moved_value(self, value: ast.AST) -> bool:
        match value:
            case ast.Name():
                return self._is_name_moved(value)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                return any(map(self._is_moved, self._attributes(name)))
            case ast.Call():
                return self._is_result_moved(value)
            case ast.Subscript() | ast.Attribute() | ast.Starred():
                return self._is_moved(value.value)
            case ast.Dict(values=values) | ast.List(elts=values) | ast.Tuple(elts=values):
                return self._all_moved(values)
            case ast.DictComp(value=each) | ast.ListComp(elt=each) | ast.GeneratorExp(elt=each):
                return self._is_moved(each)
            case ast.Lambda() | ast.FunctionDef():
                return self._is_given_back(value)
            case ast.ClassDef():
                given = [e for e in parts(value, ast.FunctionDef) if e.name in GIVING]
                return any(map(self._is_given_back, given))
        whole = (ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.UnaryOp)
        return isinstance(value, whole) and any(map(self._is_moved, ast.iter_child_nodes(value)))

    def _is_result_moved(self, call: ast.Call) -> bool:
        """Return whether the result of a call was moved: by it, or it is made of what was."""
        if self._is_mover(call):
            return True
        if last_part(call.func) in self._functions:
            # Of a function of the script's own, what it returns tells.
            return False
        of = [call.func.value] if isinstance(call.func, ast.Attribute) else []
        made = [self._classes[n] for n in [last_part(call.func)] if n in self._classes]
        return any(map(self._is_moved, (*of, *made, *_given(call))))

    def _is_name_moved(self, name: ast.Name) -> bool:
        """Return whether the value that a name has at its place was moved."""
        if (made := self._functions.get(name.id) or self._classes.get(name.id)) is not None:
            return self._is_moved(made)
        is_here = True
        for scope in around(name, self._parents):
            for loop in scope.generators if isinstance(scope, LOOPS) else ():
                if name.id in stored(loop.target):
                    return self._is_moved(loop.iter)
            if not isinstance(scope, SCOPES):
                continue
            body = [] if isinstance(scope, ast.Lambda) else scope.body
            found = sorted(self._values(name.id, body), key=lambda each: each.at)
            at = (name.lineno, name.col_offset)
            before = [each for each in found if not is_here or each.at < at]
            is_here = False
            if before:
                return self._is_last_moved(before)
            if isinstance(scope, (*FUNCTIONS, ast.Lambda)) and name.id in _parameters(scope):
                return self._is_parameter_moved(scope, name.id)
        return False

    def _is_last_moved(self, values: list[GivenValue]) -> bool:
        """Return whether the last of the values that a name is given was moved, and is all of it.

        One column after the other may be moved: not the labels alone.
        """
        *before, last = values
        if not last.column:
            return self._is_moved(last.value)
        others = [each.value for each in before if each.column]
        whole = [each.value for each in before if not each.column][-1:]
        return self._is_moved(last.value) and any(map(self._is_moved, (*others, *whole)))

    def _is_parameter_moved(self, function: ast.AST, name: str) -> bool:
        """Return whether each call of a function gives it what was moved under this name."""
        place = _parameters(function).index(name)
        calls = [c for c in self._calls if last_part(c.func) == getattr(function, "name", None)]
        found = []
        for call in calls:
            is_method = _parameters(function)[0] == "self" and isinstance(call.func, ast.Attribute)
            at = place - is_method
            value = named(call).get(name) or (call.args[at] if 0 <= at < len(call.args) else None)
            found.append(value is not None and self._is_moved(value))
        return bool(found) and all(found)

    def _values(self, name: str, body: Sequence[ast.stmt]) -> Iterator[GivenValue]:
        """Yield what a name is given within a scope."""
        for node in in_order(body):
            if self._is_shut_off(node):
                continue
            loop = [(node.target, node.iter)] if isinstance(node, ast.For) else []
            for target, value in (*given(node), *loop):
                at = (value.end_lineno or value.lineno, value.end_col_offset or 0)
                match target:
                    case ast.Subscript(value=ast.Name(id=of), slice=key) if of == name:
                        yield GivenValue(at, value, column=isinstance(key, ast.Constant))
                    case ast.expr() if name in stored(target):
                        yield GivenValue(at, value)
            match node:
                # A batch of a tokenizer is moved as it is, and so is a data set that is told where.
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=of))) as call):
                    if of == name and self._is_mover(call) and self._is_kept(call, name):
                        yield GivenValue((node.lineno, node.col_offset), call)

    def _is_shut_off(self, node: ast.AST) -> bool:
        """Return whether a statement stands under a condition that is written out, and not true."""
        outside = takewhile(lambda n: not isinstance(n, SCOPES), around(node, self._parents))
        tests = [each.test for each in outside if isinstance(each, ast.If | ast.While)]
        return any(
            not names(test) and not (isinstance(test, ast.Constant) and test.value)
            for test in tests
        )

    def _is_kept(self, call: ast.Call, name: str) -> bool:
        """Return whether a call that moves changes its object itself: a mapping's may."""
        spread = (k.value for c in self._calls for k in c.keywords if k.arg is None)
        return last_part(call.func) != "to" or any(
            isinstance(e, ast.Name) and e.id == name for e in spread
        )

    def _attributes(self, name: str) -> Iterator[ast.expr]:
        """Yield the values that an attribute of this name is given anywhere."""
        for target, value in (pair for node in ast.walk(self._tree) for pair in given(node)):
            if isinstance(target, ast.Attribute) and target.attr == name:
                yield value


def _given(call: ast.Call) -> list[ast.expr]:
    """Return the arguments of a call, without those that are written out."""
    return [e for e in (*call.args, *(one.value for one in call.keywords)) if names(e)]


def _is_dtype(value: ast.expr) -> bool:
    """Return whether a value is a kind of numbers, as `torch.float16`, or yes, no or nothing."""
    match value:
        case ast.Attribute(value=ast.Name(id="torch")) | ast.Constant(value=bool() | None):
            return True
    return False


def _parameters(function: ast.AST) -> list[str]:
    given = function.args if isinstance(function, (*FUNCTIONS, ast.Lambda)) else None
    return [e.arg for e in (*given.posonlyargs, *given.args, *given.kwonlyargs)] if given else []
