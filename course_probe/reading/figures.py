"""What the figures of a script are made of, by its text: counts of equal answers, or losses."""

import ast
import re
from collections.abc import Iterator

from course_probe.reading.flow import Flow, TextValue
from course_probe.reading.script_text import last_part, method, owner_of, worked_on

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


def is_higher(name: str) -> bool:
    """Return whether more of a figure of this name is better."""
    return bool(HIGHER.search(name)) and not LOWER.search(name)


def is_lower(name: str) -> bool:
    """Return whether less of a figure of this name is better."""
    return bool(LOWER.search(name))


def _summed(node: ast.AST) -> ast.AST:
    """Return what a call of `sum` adds up; any other node itself."""
    is_sum = isinstance(node, ast.Call) and method(node) == "sum"
    return next(iter(worked_on(node)), node) if is_sum else node  # type: ignore[arg-type]


class FigureKinds:
    """What the figures of a script are computed of."""

    def __init__(self, tree: ast.Module) -> None:
        self._flow = Flow(tree)
        self._open = set[int]()

    def kinds(self, figure: TextValue, depth: int = 0) -> Iterator[str]:
        """Yield what a figure is made of: `right`, `wrong`, `loss`, or "" for what is not known."""
        node, depth = figure.node, depth + 1
        if depth > DEEPEST:
            yield ""
        elif isinstance(node, ast.Name):
            yield from self._of_name(figure, node.id, depth)
        else:
            for each in self._flow.origins(figure):
                yield from self._of(each, depth)

    def _of(self, figure: TextValue, depth: int) -> Iterator[str]:
        """Yield what a figure is made of, as it was made."""
        node, of = figure.node, figure.of
        match node:
            case ast.Constant() | ast.List(elts=[]):
                return
            case ast.Name(id=name):
                yield _called(name)
            case ast.Compare(ops=[ast.Eq() | ast.NotEq() as way]):
                yield "right" if isinstance(way, ast.Eq) else "wrong"
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                yield from (OTHER.get(each, "") for each in self.kinds(of(inner), depth))
            case ast.BinOp(op=ast.Sub()):
                yield from self.kinds(of(node.left), depth)
                yield from (OTHER.get(each, "") for each in self.kinds(of(node.right), depth))
            case ast.BinOp(op=ast.Div()):
                is_overlap = self._is_overlap(of(node.left), of(node.right))
                yield from ["right"] if is_overlap else self.kinds(of(node.left), depth)
            case ast.BinOp(op=ast.Add() | ast.Mult()):
                yield from self.kinds(of(node.left), depth)
                yield from self.kinds(of(node.right), depth)
            case ast.ListComp() | ast.GeneratorExp():
                yield from self.kinds(of(node.elt), depth)
            case ast.Subscript(slice=ast.Constant(value=str(name))):
                yield _called(name)
            case ast.Call():
                yield from self._of_call(figure, node, depth)
            case _:
                yield ""

    def _is_overlap(self, above: TextValue, below: TextValue) -> bool:
        """Return whether two masks' product is divided by the sum of both, as for Dice and IoU."""
        over, under = (
            [
                part
                for each in self._flow.behind(of)
                for part in ast.walk(each.node)
                if isinstance(part, ast.Call | ast.BinOp)
            ]
            for of in (above, below)
        )
        summed = {ast.unparse(one) for each in under if (one := _summed(each)) is not each}
        return any(
            isinstance(each, ast.BinOp)
            and isinstance(each.op, ast.Mult | ast.BitAnd)
            and {ast.unparse(each.left), ast.unparse(each.right)} <= summed
            for each in over
        )

    def _of_call(self, figure: TextValue, call: ast.Call, depth: int) -> Iterator[str]:
        name, maker = last_part(call.func), self._maker(figure.of(call.func))
        owner = owner_of(call)
        if RIGHT.match(name) or RIGHT.match(maker):
            yield "right"
        elif LOSS.match(name) or LOSS.match(maker):
            yield "loss"
        elif name == "compute" and owner is not None:
            yield "right" if RIGHT.match(self._maker(figure.of(owner))) else ""
        elif name in SAME:
            for each in worked_on(call)[:1]:
                yield from self.kinds(figure.of(each), depth)
        elif name not in SIZES:
            yield ""

    def _maker(self, owner: TextValue) -> str:
        """Return what has made the object of a name: `CrossEntropyLoss` of `criterion`."""
        made = next(self._flow.origins(owner)).node
        while isinstance(made, ast.Call):
            if not isinstance(made.func, ast.Attribute) or made.func.attr != "to":
                return last_part(made.func)
            made = made.func.value
        return ""

    def _of_name(self, figure: TextValue, name: str, depth: int) -> Iterator[str]:
        if id(figure.node) in self._open:
            return
        self._open.add(id(figure.node))
        found = [one for each in self._flow.held(name, figure) for one in self.kinds(each, depth)]
        self._open.discard(id(figure.node))
        # Where it is not known what it is computed of, it is what it is called.
        yield from found if found and all(found) else [_called(name)]


def _called(name: str) -> str:
    return "right" if is_higher(name) else "loss" if is_lower(name) else ""
