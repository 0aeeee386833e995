"""What the figures of a script are made of, by its text: counts of equal answers, or losses."""

import ast
import re
from collections.abc import Iterator

from course_probe.reading.names import Names
from course_probe.reading.script_text import (
    bound,
    functions_of,
    given_back,
    given_for,
    last_part,
    method,
    own_nodes,
    parts,
)

HIGHER = re.compile(
    r"(?i)acc(?!um)|f1|precision|recall|auc|bleu|rouge|matthews|exact_match|iou|dice"
)
LOWER = re.compile(r"(?i)loss|perplexity|ppl|error|wer\b|cer\b|mse|mae")
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
OTHER = {"right": "wrong", "wrong": "right", "loss": "gain", "gain": "loss"}
"""What a figure is below 0, or taken from another number."""
WORSE = {"min": {"right", "gain"}, "max": {"loss", "wrong"}}
"""What is worse the lower it is, and the higher it is."""
LIBRARIES = ("torch", "np", "numpy", "F")


def is_higher(name: str) -> bool:
    """Return whether more of a figure of this name is better."""
    return bool(HIGHER.search(name)) and not LOWER.search(name)


def is_lower(name: str) -> bool:
    """Return whether less of a figure of this name is better."""
    return bool(LOWER.search(name))


def _summed(node: ast.AST) -> ast.AST:
    """Return what a call of `sum` adds up; any other node itself."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch" | "np"), attr="sum"), args=args):
            return args[0] if args else node
        case ast.Call(func=ast.Attribute(value=inner, attr="sum")):
            return inner
    return node


class FigureKinds:
    """What the figures of a function are computed of, or of the script outside of functions."""

    def __init__(self, tree: ast.Module, scope: ast.Module | ast.FunctionDef) -> None:
        self._tree, self._scope = tree, scope
        self.nodes = list(own_nodes(scope.body))
        self._held = Names(self.nodes)
        self._open = set[str]()
        self._functions = functions_of(tree)

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
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        is_library = owner is None or ast.unparse(owner) in LIBRARIES
        if name in self._functions and (owner is None or not is_library):
            yield from self._returned(name, None, depth)
        elif RIGHT.match(name) or RIGHT.match(self._maker(call.func)):
            yield "right"
        elif LOSS.match(name) or LOSS.match(self._maker(call.func)):
            yield "loss"
        elif name in SAME and isinstance(call.func, ast.Attribute | ast.Name):
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
        found = [*self._of_values(name, depth)]
        self._open.discard(name)
        # Where it is not known what it is computed of, it is what it is called.
        called = "right" if is_higher(name) else "loss" if is_lower(name) else ""
        yield from found if all(found) else [called]

    def _of_values(self, name: str, depth: int) -> Iterator[str]:
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
        if not is_known:
            given = [*given_for(name, self._scope, self._tree)]
            for value, scope in given:
                yield from FigureKinds(self._tree, scope).kinds(value, depth)
            yield from [] if given else [""]

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
        inside = FigureKinds(self._tree, function)
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
