"""Data sets that take their part of all rows by a word, and what they scale it by.

`Windows(series, "train")` and `Windows(series, "test")` both begin with all rows. Figures of these
tell of the held-out ones, and figures of the part alone make one number mean two things.
"""

import ast
from collections.abc import Iterator

from course_probe.reading.flow import Flow, TextValue
from course_probe.reading.held_out_names import HELD_OUT
from course_probe.reading.label_names import LABELS
from course_probe.reading.script_text import (
    around,
    bound,
    last_part,
    method,
    names,
    own_nodes,
    parents,
    parts,
)

FITS = {"fit", "fit_transform"}
LIBRARIES = {"np", "numpy", "torch"}


def scaled_by_parts(tree: ast.Module) -> list[tuple[int, bool]]:
    """Find the lines that take figures of rows in such a class; True where of the part alone."""
    flow, within = Flow(tree), parents(tree)
    return sorted(
        {
            found
            for kind in parts(tree, ast.ClassDef)
            if (flags := set(_flags(kind, flow)))
            for found in _Kind(kind, flags, within).scaled()
        }
    )


def _flags(kind: ast.ClassDef, flow: Flow) -> Iterator[str]:
    """Yield what a class is given that is a word for held-out rows once, and another one once."""
    begins = (each for each in kind.body if isinstance(each, ast.FunctionDef))
    for begin in (each for each in begins if each.name == "__init__"):
        for taken in (each.arg for each in begin.args.args[1:]):
            value = TextValue(ast.Name(taken, ast.Load()), begin)
            found = [getattr(each.node, "value", None) for each in flow.origins(value)]
            is_held = {bool(HELD_OUT.search(e.lower())) for e in found if isinstance(e, str)}
            if is_held == {True, False}:
                yield taken


class _Kind:
    """A class, and what in it depends on the word that it is given."""

    def __init__(self, kind: ast.ClassDef, flags: set[str], within: dict[ast.AST, ast.AST]) -> None:
        self._kind, self._within, self._by_flag = kind, within, {*flags}
        pairs = [(e, to, of) for e in parts(kind, ast.Assign) for to, of in bound(e)]
        for _turn in range(4):
            for each, to, of in pairs:
                if _spots(of) & self._by_flag or self._is_under(each):
                    self._by_flag |= _spots(to)

    def scaled(self) -> Iterator[tuple[int, bool]]:
        """Yield the lines that take figures of rows, with whether these are one part of them."""
        taken = {self._part(each) for each in parts(self._kind, ast.Subscript)}
        for function in parts(self._kind, ast.FunctionDef):
            nodes = [*own_nodes(function.body)]
            for rows, line in _measured(nodes):
                if not self._is_under(rows) and not LABELS.search(ast.unparse(rows)):
                    is_part = self._part(self._made(rows, nodes))
                    if is_part or (is_part is None and True in taken):
                        yield line, bool(is_part)

    def _is_under(self, node: ast.AST) -> bool:
        """Return whether something is only done for one word."""
        tests = (e.test for e in around(node, self._within) if isinstance(e, ast.If | ast.IfExp))
        return any(_spots(each) & self._by_flag for each in tests)

    def _part(self, rows: ast.expr) -> bool | None:
        """Return True of a part by the word, False of another one, None of all rows."""
        if isinstance(rows, ast.Subscript) and parts(rows.slice, ast.Slice):
            return bool(_spots(rows.slice) & self._by_flag)
        if isinstance(rows, ast.Subscript):
            return bool(_spots(rows.slice) & self._by_flag) or None
        return True if _spots(rows) & self._by_flag else None

    def _made(self, rows: ast.expr, nodes: list[ast.AST]) -> ast.expr:
        """Return what was made under a name before its figures are taken: `df[a:b].values`."""
        begin = _begin(rows)
        for _turn in range(8):
            match rows:
                case ast.Call(func=ast.Attribute(value=owner)) if not _is_own(owner):
                    rows = owner
                case ast.Attribute(value=owner) if ast.unparse(owner) != "self":
                    rows = owner
                case ast.Name() | ast.Attribute():
                    values = [
                        value
                        for node in nodes
                        if isinstance(node, ast.Assign) and _begin(node) < begin
                        for to, value in bound(node)
                        if ast.unparse(to) == ast.unparse(rows) and rows not in ast.walk(node)
                    ]
                    if not values:
                        return rows
                    rows = values[-1]
                    begin = _begin(rows)
        return rows


def _is_own(owner: ast.expr) -> bool:
    return ast.unparse(owner) in LIBRARIES | {"self"}


def _begin(node: ast.expr | ast.stmt) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _measured(nodes: list[ast.AST]) -> Iterator[tuple[ast.expr, int]]:
    """Yield the rows that a scaler is fitted to, or of which mean and spread are taken."""
    means: dict[str, ast.expr] = {}
    spreads = set[str]()
    for call in (each for each in nodes if isinstance(each, ast.Call)):
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if method(call) in FITS and len(call.args) == 1 and owner is not None:
            if "scale" in ast.unparse(owner).lower():
                yield call.args[0], call.lineno
        elif owner is not None and last_part(call.func) in ("mean", "std"):
            of = call.args[0] if ast.unparse(owner) in LIBRARIES and call.args else owner
            if last_part(call.func) == "mean":
                means[ast.unparse(of)] = of
            else:
                spreads.add(ast.unparse(of))
    yield from ((means[each], means[each].lineno) for each in sorted(spreads & means.keys()))


def _spots(node: ast.AST) -> set[str]:
    """Return the names in it, and the attributes of an object itself: `self.part`."""
    of_self = {e for e in parts(node, ast.Attribute) if ast.unparse(e.value) == "self"}
    return (names(node) - {"self"}) | {ast.unparse(each) for each in of_self}
