"""Schedules that cut a rate once a figure stops to fall, and are given one that is to rise.

`ReduceLROnPlateau` takes lower figures for better ones unless it is told `mode="max"`. What a
figure is, its computation says: a count of equal answers, or a loss.
"""

import ast
import re
from collections.abc import Iterator

from course_probe.reading.names import Names
from course_probe.reading.script_text import (
    bound,
    given_back,
    last_part,
    method,
    named,
    own_nodes,
    parts,
)

RIGHT = re.compile(
    r"^(?:eq|(?:balanced_)?accuracy_score|(?:f1|precision|recall|roc_auc|jaccard|r2)_score"
    r"|\w*(?:Accuracy|F1Score|AUROC)|matthews_corrcoef)$"
)
LOSS = re.compile(r"^(?:\w+Loss|\w+_loss|\w*cross_entropy\w*|mean_(?:squared|absolute)_error)$")
"""Functions and classes of libraries for what is to rise, and for what is to fall."""
SAME = {
    *("sum", "mean", "item", "float", "double", "long", "int", "cpu", "numpy", "detach", "tensor"),
    *("round", "stack", "array", "average", "tolist", "compute"),
}
"""What makes one figure of several, or gives the same one."""
SIZES = {"len", "size", "numel"}
DEEPEST = 12
OTHER = {"right": "wrong", "wrong": "right", "loss": "gain"}
"""What a figure is below 0, or taken from another number."""
WORSE = {"min": {"right"}, "max": {"loss", "wrong"}}


def upside_down(tree: ast.Module) -> list[int]:
    """Find the calls of such schedules with a figure of which the other end is better."""
    modes: dict[str, set[str]] = {}
    for each in parts(tree, ast.Assign):
        for target, value in bound(each):
            if isinstance(value, ast.Call) and last_part(value.func) == "ReduceLROnPlateau":
                modes.setdefault(ast.unparse(target), set()).add(_mode(value))
    found = []
    for body in (tree.body, *(each.body for each in parts(tree, ast.FunctionDef))):
        figures = _Figures(tree, body)
        for node in figures.nodes:
            match node:
                case ast.Call(func=ast.Attribute(value=owner, attr="step"), args=[figure, *_]):
                    worse = [WORSE.get(each, set()) for each in modes.get(ast.unparse(owner), ())]
                    kinds = set(figures.kinds(figure)) if len(worse) == 1 else set()
                    if kinds and kinds <= worse[0]:
                        found.append(node.lineno)
    return sorted(found)


def _mode(call: ast.Call) -> str:
    given = named(call).get("mode", call.args[1] if len(call.args) > 1 else ast.Constant("min"))
    return str(given.value) if isinstance(given, ast.Constant) else ""


def _summed(node: ast.AST) -> ast.AST:
    """Return what a call of `sum` adds up; any other node itself."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch" | "np"), attr="sum"), args=args):
            return args[0] if args else node
        case ast.Call(func=ast.Attribute(value=inner, attr="sum")):
            return inner
    return node


class _Figures:
    """What the figures of a function are computed of, or of the script outside of functions."""

    def __init__(self, tree: ast.Module, body: list[ast.stmt]) -> None:
        self._tree = tree
        self.nodes = list(own_nodes(body))
        self._held = Names(self.nodes)
        self._open = set[str]()
        self._functions = {each.name: each for each in parts(tree, ast.FunctionDef)}

    def kinds(self, node: ast.expr, depth: int = 0) -> Iterator[str]:
        """Yield what a figure is made of: `right`, `wrong`, `loss`, or "" for what is not known."""
        depth += 1
        match node:
            case ast.Constant():
                return
            case _ if depth > DEEPEST:
                yield ""
            case ast.Compare(ops=[ast.Eq() | ast.NotEq() as way]):
                yield "right" if isinstance(way, ast.Eq) else "wrong"
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                yield from (OTHER.get(each, "") for each in self.kinds(inner, depth))
            case ast.BinOp(op=ast.Sub()):
                yield from self.kinds(node.left, depth)
                yield from (OTHER.get(each, "") for each in self.kinds(node.right, depth))
            case ast.BinOp(op=ast.Div()):
                is_overlap = self._is_overlap(node)
                yield from ["right"] if is_overlap else self.kinds(node.left, depth)
            case ast.BinOp(op=ast.Add() | ast.Mult()):
                yield from self.kinds(node.left, depth)
                yield from self.kinds(node.right, depth)
            case ast.ListComp() | ast.GeneratorExp():
                yield from self.kinds(node.elt, depth)
            case ast.Name():
                yield from self._of_name(node.id, depth)
            case ast.Subscript(value=ast.Name() | ast.Call() as whole, slice=ast.Constant() as key):
                yield from self._of_part(whole, key.value, depth)
            case ast.Call():
                yield from self._of_call(node, depth)
            case _:
                yield ""

    def _is_overlap(self, node: ast.BinOp) -> bool:
        """Return whether two masks' product is divided by the sum of both, as for Dice and IoU."""
        above, below = (
            [
                part
                for name in [each, *map(self._held.only, parts(each, ast.Name))]
                if name
                for part in ast.walk(name)
            ]
            for each in (node.left, node.right)
        )
        summed = {ast.unparse(_summed(each)) for each in below if isinstance(each, ast.Call)}
        products = (e for e in map(_summed, above) if isinstance(e, ast.BinOp))
        return any(
            isinstance(each.op, ast.Mult | ast.BitAnd)
            and {ast.unparse(each.left), ast.unparse(each.right)} <= summed
            for each in products
        )

    def _of_call(self, call: ast.Call, depth: int) -> Iterator[str]:
        name = last_part(call.func)
        if name in self._functions and not method(call):
            yield from self._returned(name, None, depth)
        elif RIGHT.match(name) or RIGHT.match(self._maker(call.func)):
            yield "right"
        elif LOSS.match(name) or LOSS.match(self._maker(call.func)):
            yield "loss"
        elif name in SAME and isinstance(call.func, ast.Attribute | ast.Name):
            owner = call.func.value if isinstance(call.func, ast.Attribute) else None
            is_library = owner is None or ast.unparse(owner) in ("torch", "np", "numpy")
            if name == "compute" and owner is not None:
                yield "right" if RIGHT.match(self._maker(owner)) else ""
            elif is_library and call.args:
                yield from self.kinds(call.args[0], depth)
            elif owner is not None:
                yield from self.kinds(owner, depth)
        elif name not in SIZES:
            yield ""

    def _maker(self, node: ast.expr) -> str:
        """Return what has made the object of a name: `CrossEntropyLoss` of `criterion`."""
        made = (
            value
            for each in parts(self._tree, ast.Assign)
            for target, value in bound(each)
            if ast.unparse(target) == ast.unparse(node)
        )
        value = next(made, None)
        while isinstance(value, ast.Call) and method(value) == "to":
            value = value.func.value if isinstance(value.func, ast.Attribute) else None
        return last_part(value.func) if isinstance(value, ast.Call) else ""

    def _of_name(self, name: str, depth: int) -> Iterator[str]:
        if name in self._open:
            return
        self._open.add(name)
        is_known = False
        for node in self.nodes:
            match node:
                case ast.Assign(targets=[ast.Tuple(elts=taken)], value=ast.Call() as call):
                    for place, one in enumerate(taken):
                        if isinstance(one, ast.Name) and one.id == name:
                            is_known = True
                            yield from self._of_part(call, place, depth)
                case ast.Assign():
                    for target, value in bound(node):
                        if isinstance(target, ast.Name) and target.id == name:
                            is_known = True
                            yield from self.kinds(value, depth)
                case ast.AugAssign(target=ast.Name(id=target), op=op, value=value):
                    if target == name and isinstance(op, ast.Add):
                        yield from self.kinds(value, depth)
        self._open.discard(name)
        if not is_known:
            yield ""

    def _of_part(self, whole: ast.expr, key: object, depth: int) -> Iterator[str]:
        """Yield what is in one place of several figures that a function of the script's gives."""
        whole = self._held.only(whole) or whole
        name = last_part(whole.func) if isinstance(whole, ast.Call) else ""
        if name in self._functions:
            yield from self._returned(name, key, depth)
        else:
            yield ""

    def _returned(self, name: str, key: object, depth: int) -> Iterator[str]:
        function = self._functions[name]
        inside = _Figures(self._tree, function.body)
        for end in given_back(function):
            match end:
                case ast.Tuple(elts=elts) if isinstance(key, int) and key < len(elts):
                    yield from inside.kinds(elts[key], depth)
                case ast.Dict(keys=keys, values=values) if key is not None:
                    named_so = (getattr(each, "value", None) for each in keys)
                    yield from (
                        kind
                        for one, value in zip(named_so, values, strict=True)
                        if one == key
                        for kind in inside.kinds(value, depth)
                    )
                case _ if key is None:
                    yield from inside.kinds(end, depth)
                case _:
                    yield ""
