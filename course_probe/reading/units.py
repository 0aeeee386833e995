"""Metrics that set answers and labels of other units beside each other, by a script's text.

A network that is trained on scaled labels answers in their units. Before a metric, both sides are
brought back, or none is.
"""

import ast
import re
from collections.abc import Iterator

from course_probe.reading.flow import MOST, Flow, TextValue, passed_on
from course_probe.reading.script_text import (
    last_part,
    named,
    names,
    networks_of,
    own_nodes,
    parts,
    scopes,
    stored,
    worked_on,
)

UNITS = {
    **dict.fromkeys(("transform", "fit_transform", "log", "log1p", "log2", "log10"), 1),
    **dict.fromkeys(("inverse_transform", "exp", "expm1"), -1),
}
"""Functions and methods that bring numbers to other units, or back."""
COMPARES = re.compile(r"(?i)loss|criter|_score$|error|^r?m[as]e$|^r2|^rmse")
DEEPEST = 20
PREDICTIONS, LABELS = "predictions", "label_ids"
PLAIN = (False, 0, False)
Unit = tuple[bool, int, bool]
"""Whether numbers are answers, how often they were brought to other units, and if that is seen."""


def in_other_units(tree: ast.Module) -> list[int]:
    """Find the lines that compare answers with labels of which only one was brought back.

    A loss of the same network has to show that it answers in units of its own.
    """
    reader, found = _Units(tree), set[tuple[int, int, int, bool]]()
    columns, others = set[str](), list[tuple[int, set[str]]]()
    for scope in scopes(tree):
        for node in own_nodes(scope.body):
            pair = [TextValue(each, scope) for each in _sides(node)]
            for one, other in (pair, pair[::-1]) if len(pair) == 2 else ():
                both = [*{*reader.of(one)}, *{*reader.of(other)}]
                if [each[0] for each in both] == [True, False] and not reader.holds_answers(other):
                    # Of what is given as it is, nothing unseen has changed it.
                    is_sure = both[1][2] or not reader.is_changed(other)
                    found.add((one.node.lineno, both[0][1], both[1][1], is_sure))
                    if both[1][1:] == (1, True):
                        columns |= reader.columns(other)
                    elif both[0][1] == both[1][1] == 0:
                        others.append((one.node.lineno, reader.columns(other, only=True)))
    if not reader.is_of_trainer and not any(each[1:3] == (0, 1) for each in found):
        return []
    lines = {line for line, back, away, is_sure in found if is_sure and 1 + back != away}
    # The same column that the network was trained on in other units.
    return sorted(lines | {line for line, mine in others if mine & columns})


def peaks_of_bytes(tree: ast.Module) -> list[int]:
    """Find the lines that set an error beside 255, the highest number of a picture in bytes.

    Not where something is multiplied by it, and so brought to bytes.
    """
    products = (e for e in parts(tree, ast.BinOp) if isinstance(e.op, ast.Mult))
    calls = (e for e in parts(tree, ast.Call) if last_part(e.func).startswith("mul"))
    is_scaled = any(_is_byte(side) for each in products for side in (each.left, each.right))
    is_scaled |= any(_is_byte(arg) for call in calls for arg in call.args)
    if is_scaled or re.search(r"imread|pil_image|ubyte|uint8|tensor2img", ast.unparse(tree)):
        return []
    found = set[int]()
    for scope in scopes(tree):
        nodes = [*own_nodes(scope.body)]
        given = [e for e in nodes if isinstance(e, ast.Assign) and _is_byte(e.value)]
        named_so = {name for each in given for name in stored(each)}
        for call in (e for e in nodes if isinstance(e, ast.Call) and last_part(e.func) == "log10"):
            over = [e.left for one in call.args for e in parts(one, ast.BinOp)]
            if any(_is_byte(e) or names(e) & named_so for e in over):
                found.add(call.lineno)
    return sorted(found)


def _is_byte(node: ast.expr) -> bool:
    """Return whether this is 255, or its square."""
    base = node.left if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) else node
    return isinstance(base, ast.Constant) and base.value in (255, 255**2)


def _sides(node: ast.AST) -> list[ast.expr]:
    """Return the two sides of what compares, if anything here does."""
    match node:
        case ast.Call(func=func) if COMPARES.search(last_part(func)):
            by_name = [v for k, v in named(node).items() if k in ("y_true", "y_pred")]
            return node.args[:2] or by_name
        case ast.BinOp(op=ast.Sub(), left=one, right=other):
            return [one, other]
    return []


class _Units:
    """What is known of the units of a script's values."""

    def __init__(self, tree: ast.Module) -> None:
        self._flow, self._networks = Flow(tree), networks_of(tree)
        self._open, self._looked = set[ast.AST](), 0

        # What a Trainer gives for a score has the units of its training.
        self._scoring = {
            each.args.args[0].arg
            for each in parts(tree, ast.FunctionDef)
            if each.name in _scorers(tree) and each.args.args
        }
        self.is_of_trainer = bool(self._scoring)

    def columns(self, value: TextValue, *, only: bool = False) -> set[str]:
        """Return the names of the columns that a value is made of; `only` those that it is."""
        of = self._flow.origins(value) if only else self._flow.behind(value)
        return {name for each in of for name in _columns(each.node)}

    def is_changed(self, value: TextValue) -> bool:
        """Return whether anything that a value is made of is brought to other units."""
        return any(_change(each.node)[1] > 0 for each in self._flow.behind(value))

    def holds_answers(self, value: TextValue) -> bool:
        """Return whether a value is made of answers, as their mean is."""
        return any(map(self._is_asked, self._flow.behind(value, self._is_asked)))

    def _is_asked(self, value: TextValue) -> bool:
        if self._given(value) == PREDICTIONS:
            return True
        return isinstance(value.node, ast.Call) and ast.unparse(value.node.func) in self._networks

    def _given(self, value: TextValue) -> str:
        """Return which part this is of what a function that scores is given, if it is one."""
        match value.node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in self._scoring:
                return attr
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=0 | 1 as place)):
                return (PREDICTIONS, LABELS)[bool(place)] if name in self._scoring else ""
        return ""

    def of(self, value: TextValue, depth: int = 0) -> Iterator[Unit]:
        """Yield the units that a value may have."""
        for each in self._flow.origins(value, self._is_asked) if depth < DEEPEST else ():
            self._looked = self._looked * bool(depth) + 1
            if each.node in self._open or self._looked > MOST:
                # What a loop makes of itself.
                continue
            inner, change = _change(each.node)
            if self._is_asked(each):
                yield True, 0, False
            elif self._given(each) == LABELS:
                yield False, 1, True
            elif not inner and not isinstance(each.node, ast.Constant | ast.List):
                yield False, 0, False
            elif inner:
                self._open.add(each.node)
                units = {unit for one in inner for unit in self.of(each.of(one), depth + 1)}
                self._open.discard(each.node)
                # Of a product, the other side is the scale; what was never away is only made so.
                known = units - {PLAIN} or {PLAIN} if len(inner) > 1 else units
                for is_answer, away, is_seen in known:
                    now = away + change if is_answer else max(0, away + change)
                    yield is_answer, now, is_seen or change > 0


def _scorers(tree: ast.Module) -> set[str]:
    """Return the names of the functions that score for a Trainer."""
    given = (named(call).get("compute_metrics") for call in parts(tree, ast.Call))
    return {last_part(each) for each in given if each is not None}


def _columns(node: ast.AST) -> set[str]:
    """Return the names of columns in it: `"price"` of `table["price"]`."""
    places = (each.slice for each in parts(node, ast.Subscript))
    return {e.value for e in places if isinstance(e, ast.Constant) and isinstance(e.value, str)}


def _change(node: ast.expr) -> tuple[list[ast.expr], int]:
    """Return what numbers are made of, and whether that brings them to other units, or back."""
    match node:
        case ast.Call(func=func, args=args) if last_part(func) in UNITS:
            is_given = last_part(func).endswith("transform")
            return (args if is_given else worked_on(node))[:1], UNITS[last_part(func)]
        case ast.BinOp(op=ast.Div(), left=ast.BinOp(op=ast.Sub(), left=rows)):
            return [rows], 1
        case (
            ast.BinOp(op=ast.Add(), left=ast.BinOp(op=ast.Mult(), left=one, right=other))
            | ast.BinOp(op=ast.Add(), right=ast.BinOp(op=ast.Mult(), left=one, right=other))
        ):
            return [one, other], -1
        case ast.Attribute(value=whole, attr="values" | "T") | ast.List(elts=[whole]):
            return [whole], 0
    inner = passed_on(node)
    return ([] if inner is None else [inner]), 0
