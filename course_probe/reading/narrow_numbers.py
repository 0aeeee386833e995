"""Arithmetic with bytes that leaves their range, by a script's text.

An image is mostly kept as bytes, from 0 to 255. NumPy and PyTorch compute with bytes in bytes: what
lies above 255, or below 0, comes back at the other end.
"""

import ast
import re
from collections.abc import Iterator

from course_probe.reading.flow import SHAPED, Flow, TextValue, passed_on
from course_probe.reading.script_text import (
    Scope,
    is_library,
    last_part,
    named,
    own_nodes,
    parents,
    parts,
    scopes,
    worked_on,
)

BYTES = {"uint8", "ubyte"}
OF_ALIKE = {"rot90", "zeros_like", "empty_like", "full_like", "repeat", "pad", "fliplr", "flipud"}
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
    if not re.search("uint8|ubyte|byte", ast.unparse(tree)):
        return []
    bytes_of, within, found = _Bytes(tree), parents(tree), set[int]()
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
            if is_library(ast.Name(library)) and done in OPERATIONS and args:
                yield args[0], OPERATIONS[done], args[0 if done == "diff" else 1 % len(args)]
        case ast.AugAssign(target=one, op=op, value=other) if not isinstance(one, ast.Subscript):
            yield one, op, other


def _is_guarded(node: ast.AST, within: dict[ast.AST, ast.AST]) -> bool:
    """Return whether a comparison chooses, or nothing but a change is asked for."""
    while (outer := within.get(node)) is not None:
        match outer:
            case ast.Call(func=func) if last_part(func) in GUARDS:
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
        self._flow = Flow(tree)

    def leave(self, one: ast.expr, other: ast.expr, op: ast.operator, scope: Scope) -> bool:
        """Return whether an operation with two tables of bytes, or one and a number, leaves them.

        To be certain of it, they have to be bytes of the whole range.
        """
        if not isinstance(op, ast.Add | ast.Sub | ast.Mult):
            return False
        left, right = TextValue(one, scope), TextValue(other, scope)
        for bytes_, beside in ((left, self._number(right)), (right, self._number(left))):
            if beside is not None:
                # What is taken from 255 stays in range.
                is_changed = beside > isinstance(op, ast.Mult)
                is_taken = bytes_ is right and isinstance(op, ast.Sub)
                return is_changed and not is_taken and self._are_full(bytes_)
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
        found = {getattr(e.node, "value", None) for e in self._flow.origins(value)}
        return (
            next((each for each in found if type(each) is int), None) if len(found) == 1 else None
        )

    def _are_full(self, value: TextValue) -> bool:
        """Return whether these are bytes, of which some come near to 255."""
        return self._are_bytes(value) and self._largest(value) >= FULL.start

    def _largest(self, value: TextValue) -> float:
        """Return the largest number that bytes may be, of those that their text has."""
        numbers = (getattr(each.node, "value", None) for each in self._flow.behind(value))
        known = (e for e in numbers if isinstance(e, int | float) and e < FULL.stop)
        return max(known, default=0)

    def _are_bytes(self, value: TextValue, seen: frozenset[int] = frozenset()) -> bool:
        """Return whether all that a value may be is a table of bytes.

        What is made of itself is what it was.
        """
        found = self._flow.contents(value)
        new = [each for each in found if id(each.node) not in seen]
        seen |= {id(each.node) for each in new}
        is_begun = bool(new) or bool(found)
        return is_begun and len(seen) < DEEPEST and all(self._is_byte(e, seen) for e in new)

    def _is_byte(self, value: TextValue, seen: frozenset[int]) -> bool:
        inner = passed_on(value.node, SHAPED | OF_ALIKE)
        match value.node:
            case ast.Call() as call if (kind := self._kind(call)) is not None:
                return kind and not _is_mask(call)
            case ast.Subscript(value=whole):
                inner = whole
            case ast.BinOp(left=one, op=ast.Add() | ast.Sub() | ast.Mult(), right=other):
                # Bytes and bytes are bytes, and so are bytes and a number.
                sides = [value.of(e) for e in (one, other) if self._number(value.of(e)) is None]
                return bool(sides) and all(self._are_bytes(each, seen) for each in sides)
        return inner is not None and self._are_bytes(value.of(inner), seen)

    def _kind(self, call: ast.Call) -> bool | None:
        """Return whether a call makes bytes; None where it does not say what it makes."""
        name, given = last_part(call.func), named(call).get("dtype")
        told = [*call.args, *([given] if given is not None else [])]
        if name in {*BYTES, "byte"} or any(_text(each) in BYTES for each in told):
            return True
        return False if given is not None or name in ("astype", "type") else None


def _text(node: ast.expr) -> object:
    return node.value if isinstance(node, ast.Constant) else last_part(node)


def _is_mask(call: ast.Call) -> bool:
    """Return whether bytes are made of a comparison: they are 0 or 1."""
    return any(parts(each, ast.Compare) for each in worked_on(call))
