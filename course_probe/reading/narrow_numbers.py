"""Arithmetic with bytes that leaves their range, by a script's text.

An image is mostly kept as bytes, from 0 to 255. NumPy and PyTorch compute with bytes in bytes: what
lies above 255, or below 0, comes back at the other end.
"""

import ast
from collections.abc import Iterator

from course_probe.reading.flow import Flow, TextValue
from course_probe.reading.script_text import (
    Scope,
    last_part,
    named,
    own_nodes,
    parents,
    parts,
    scopes,
)

BYTES = {"uint8", "ubyte"}
MAKING = {"array", "asarray", "zeros", "full", "empty", "integers", "randint", "tensor"}
MAKING |= {"as_tensor", "ascontiguousarray", "fromiter", "ones", "frombuffer"}
"""Functions whose `dtype` is that of what they make."""
KEEPING = {
    *("reshape", "copy", "clone", "view", "squeeze", "unsqueeze", "flatten", "ravel", "transpose"),
    *("permute", "cpu", "numpy", "contiguous", "repeat", "roll", "flip"),
}
"""Methods that leave the numbers of a table as they are."""
GATHERING = {
    *("stack", "concatenate", "cat", "roll", "flip", "fliplr", "flipud", "from_numpy", "pad"),
    *("rot90", "expand_dims", "squeeze", "transpose", "asarray", "array", "ascontiguousarray"),
    *("zeros_like", "empty_like", "full_like", "tensor", "as_tensor"),
}
"""Functions that leave the type of the numbers that they are given."""
LIBRARIES = {"np", "numpy", "torch"}
OPERATIONS: dict[str, ast.operator] = {
    **dict.fromkeys(("add",), ast.Add()),
    **dict.fromkeys(("subtract", "sub", "diff"), ast.Sub()),
    **dict.fromkeys(("multiply", "mul"), ast.Mult()),
}
"""Functions of these for what an operator does."""
NOTICED = 10
"""What few bytes of an image lie that near to 255."""
FULL = range(200, 257)
"""What bytes of an image are multiplied by, cut to or drawn below."""
DEEPEST = 16
GUARDS = {"where", "maximum", "minimum"}
"""Functions around what may be taken only where it is in range."""


def out_of_range(tree: ast.Module) -> list[int]:
    """Find the lines that add or subtract bytes, or multiply them, in bytes."""
    bytes_of = _Bytes(tree)
    if not bytes_of.are_there:
        return []
    within, found = parents(tree), set[int]()
    for scope in scopes(tree):
        for node in own_nodes(scope.body):
            leaves = any(bytes_of.leave(a, b, op, scope) for a, op, b in _operations(node))
            if leaves and not _is_guarded(node, within):
                found.add(getattr(node, "lineno", 0))
    return sorted(found)


def _operations(node: ast.AST) -> Iterator[tuple[ast.expr, ast.operator, ast.expr]]:
    match node:
        case ast.BinOp(left=one, op=op, right=other):
            yield one, op, other
        case ast.Call(func=ast.Attribute(value=ast.Name(id=library), attr=done), args=args):
            if library in LIBRARIES and done in OPERATIONS and args:
                yield args[0], OPERATIONS[done], args[0 if done == "diff" else 1 % len(args)]
        case ast.AugAssign(target=one, op=op, value=other) if not isinstance(one, ast.Subscript):
            yield one, op, other


def _is_guarded(node: ast.AST, within: dict[ast.AST, ast.AST]) -> bool:
    """Return whether a comparison chooses, or nothing but a change is asked for."""
    while (outer := within.get(node)) is not None:
        match outer:
            case ast.Call(func=func) if last_part(func) in GUARDS:
                return True
            case ast.Call(func=ast.Attribute(attr="astype" | "view"), args=[kind]):
                # Bytes of a sign are meant to come back at the other end.
                if "int8" in ast.unparse(kind) and "uint8" not in ast.unparse(kind):
                    return True
            case ast.Compare() | ast.IfExp() | ast.If():
                return True
            case ast.BinOp(op=ast.Mod() | ast.BitAnd() | ast.BitXor() | ast.BitOr()):
                return True
            case ast.stmt():
                return False
        node = outer
    return False


class _Bytes:
    """The values of a script that are tables of bytes."""

    def __init__(self, tree: ast.Module) -> None:
        constants = {each.value for each in parts(tree, ast.Constant)}
        kinds = {each.attr for each in parts(tree, ast.Attribute)} | {
            each for each in constants if isinstance(each, str)
        }
        self.are_there = bool(kinds & {*BYTES, "byte", "ByteTensor"})
        self._flow = Flow(tree) if self.are_there else None

    def leave(self, one: ast.expr, other: ast.expr, op: ast.operator, scope: Scope) -> bool:
        """Return whether an operation with two tables of bytes, or one and a number, leaves them.

        To be certain of it, they have to be bytes of the whole range.
        """
        if not isinstance(op, ast.Add | ast.Sub | ast.Mult):
            return False
        left, right = TextValue(one, scope), TextValue(other, scope)
        number = self._number(right)
        if number is not None:
            is_changed = number >= 2 if isinstance(op, ast.Mult) else number >= 1
            return is_changed and self._are_full(left)
        if self._number(left) is not None:
            # What is taken from 255 stays in range.
            is_taken = isinstance(op, ast.Sub)
            return not is_taken and (self._number(left) or 0) >= 2 and self._are_full(right)
        if last_part(getattr(other, "func", other)) in ("min", "amin"):
            return False
        if not self._are_bytes(left) or not self._are_bytes(right):
            return False
        # Neighbors of one series, of which either may be the larger one.
        sides = [e.value if isinstance(e, ast.Subscript) else None for e in (one, other)]
        is_series = None not in sides and len({ast.unparse(e) for e in sides if e}) == 1
        if isinstance(op, ast.Sub) and is_series:
            return True
        least = FULL.start if isinstance(op, ast.Mult) else NOTICED
        return self._largest(left) >= FULL.start and self._largest(right) >= least

    def _number(self, value: TextValue) -> int | None:
        """Return the whole number that a value is; None where it is anything else."""
        assert self._flow is not None
        found = {getattr(e.node, "value", None) for e in self._flow.origins(value)}
        return (
            next((each for each in found if type(each) is int), None) if len(found) == 1 else None
        )

    def _are_full(self, value: TextValue) -> bool:
        """Return whether these are bytes, of which some come near to 255."""
        return self._are_bytes(value) and self._largest(value) >= FULL.start

    def _largest(self, value: TextValue) -> float:
        """Return the largest number that bytes may be, of those that their text has."""
        assert self._flow is not None
        numbers = (getattr(each.node, "value", None) for each in self._flow.behind(value))
        known = (e for e in numbers if isinstance(e, int | float) and e < FULL.stop)
        return max(known, default=0)

    def _are_bytes(self, value: TextValue, seen: frozenset[int] = frozenset()) -> bool:
        """Return whether all that a value may be is a table of bytes.

        What is made of itself is what it was.
        """
        assert self._flow is not None
        found = [
            e for e in self._flow.origins(value) if ast.unparse(e.node) not in ("[]", "list()")
        ]
        new = [each for each in found if id(each.node) not in seen]
        seen |= {id(each.node) for each in new}
        is_begun = bool(new) or bool(found)
        return is_begun and len(seen) < DEEPEST and all(self._is_byte(e, seen) for e in new)

    def _is_byte(self, value: TextValue, seen: frozenset[int]) -> bool:
        inner: ast.expr | None = None
        match value.node:
            case ast.Call(func=func) as call if (kind := self._kind(call)) is not None:
                return kind and not _is_mask(call)
            case ast.Call(func=ast.Attribute(value=owner, attr=done), args=args):
                is_library = ast.unparse(owner) in LIBRARIES
                if is_library:
                    inner = args[0] if done in GATHERING and args else None
                else:
                    inner = owner if done in KEEPING else None
            case ast.Call(func=func, args=[one]) if ast.unparse(func) in BYTES:
                return not isinstance(one, ast.Compare)
            case ast.Subscript(value=whole):
                inner = whole
            case ast.BinOp(left=one, op=ast.Add() | ast.Sub() | ast.Mult(), right=other):
                # Bytes and bytes are bytes, and so are bytes and a number.
                sides = [value.of(e) for e in (one, other) if self._number(value.of(e)) is None]
                return bool(sides) and all(self._are_bytes(each, seen) for each in sides)
            case ast.List(elts=several) if several:
                return all(self._are_bytes(value.of(each), seen) for each in several)
            case ast.ListComp(elt=each):
                inner = each
            case ast.Attribute(value=whole, attr="T" | "mT"):
                inner = whole
        return inner is not None and self._are_bytes(value.of(inner), seen)

    def _kind(self, call: ast.Call) -> bool | None:
        """Return whether a call makes bytes; None where it does not say what it makes."""
        name = last_part(call.func)
        given = named(call).get("dtype")
        if name in ("astype", "to", "type"):
            given = given or next(iter(call.args), None)
        if name in BYTES and len(call.args) == 1:
            return True
        if name == "byte" and not call.args:
            return True
        if name in MAKING and given is None and len(call.args) > 1 and name != "tensor":
            given = call.args[1] if last_part(call.args[1]) in BYTES else None
        if given is None:
            return None
        text = given.value if isinstance(given, ast.Constant) else last_part(given)
        if name == "to" and text not in BYTES and not isinstance(given, ast.Attribute):
            # A device.
            return None
        return text in BYTES


def _is_mask(call: ast.Call) -> bool:
    """Return whether bytes are made of a comparison: they are 0 or 1."""
    of = [call.func.value] if isinstance(call.func, ast.Attribute) else []
    return any(isinstance(e, ast.Compare) for one in (*of, *call.args) for e in ast.walk(one))
