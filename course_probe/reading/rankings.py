"""Metrics that rank rows by a score and are given classes instead, by a script's text.

The area under a curve asks for each pair of rows which of the two has the higher score. Of answers
that are cut to 0 or 1 before, most pairs are a tie.
"""

import ast
from collections.abc import Iterator

from course_probe.reading.flow import Flow, TextValue
from course_probe.reading.script_text import last_part, named, own_nodes, scopes

TRUTH_FIRST = {
    *("roc_auc_score", "average_precision_score", "roc_curve", "precision_recall_curve"),
    *("det_curve", "label_ranking_average_precision_score"),
}
"""Functions of scikit-learn that take the labels, then the scores."""
SCORES = ("y_score", "prediction_scores")
"""What they, and the metric of `evaluate`, call the scores."""
KEEPING = {
    *("astype", "int", "long", "float", "double", "bool", "byte", "to", "cpu", "detach", "numpy"),
    *("tolist", "item", "squeeze", "unsqueeze", "view", "reshape", "flatten", "ravel", "clone"),
    *("copy", "type", "to_numpy"),
}
"""Methods that leave apart what was apart, and make nothing else so."""
GATHERING = {
    *("cat", "concatenate", "stack", "hstack", "vstack", "array", "asarray", "tensor"),
    *("as_tensor", "from_numpy", "list", "int", "float", "one_hot", "label_binarize", "squeeze"),
    *("ravel", "reshape"),
}
"""Functions that put several together, or give each another form."""
CHOSEN = {"argmax", "argmin"}
DEEPEST = 20


def ranked_by_classes(tree: ast.Module) -> list[int]:
    """Find the lines of such metrics whose scores are answers of a comparison or an argmax."""
    flow = Flow(tree)
    return sorted(
        {
            node.lineno
            for scope in scopes(tree)
            for node in own_nodes(scope.body)
            if isinstance(node, ast.Call)
            for scores in _scores(node)
            if _are_classes(flow, TextValue(scores, scope))
        }
    )


def _scores(call: ast.Call) -> Iterator[ast.expr]:
    given = named(call)
    if last_part(call.func) in TRUTH_FIRST:
        yield from call.args[1:2]
    if last_part(call.func) in {*TRUTH_FIRST, "compute"}:
        yield from (given[name] for name in SCORES if name in given)


def _are_classes(flow: Flow, value: TextValue, depth: int = 0) -> bool:
    """Return whether all that a value may be are classes, and it is anything at all."""
    found = [e for e in flow.origins(value) if ast.unparse(e.node) not in ("[]", "list()")]
    return bool(found) and depth < DEEPEST and all(_is_class(flow, e, depth) for e in found)


def _given_on(call: ast.Call) -> ast.expr | None:
    """Return what a call gives in another form; None where it may change it."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    done, first = last_part(call.func), next(iter(call.args), None)
    if owner is None or ast.unparse(owner) in ("np", "numpy", "torch", "F", "nn.functional"):
        return first if done in GATHERING else None
    return owner if done in KEEPING else None


def _is_class(flow: Flow, value: TextValue, depth: int) -> bool:
    inner: ast.expr | None = None
    match value.node:
        case ast.Compare():
            return True
        case ast.Constant(value=bool() | int() as number):
            # One of the two ends of a condition.
            return number in (0, 1)
        case ast.Call(func=func, args=[_, ast.Constant(), ast.Constant()]):
            return last_part(func) == "where"
        case ast.Call(func=func) if last_part(func) in CHOSEN:
            return True
        case ast.Call() as call:
            inner = _given_on(call)
        case ast.Subscript(value=ast.Call() as most, slice=ast.Constant(value=1)):
            # `out.max(1)[1]`
            return last_part(most.func) == "max"
        case ast.Attribute(value=ast.Call() as most, attr="indices"):
            return last_part(most.func) == "max"
        case ast.Subscript(value=owner, slice=place) if not isinstance(place, ast.Constant):
            inner = owner
        case ast.ListComp(elt=each) | ast.GeneratorExp(elt=each):
            inner = each
        case ast.List(elts=several) if several:
            return all(_are_classes(flow, value.of(each), depth + 1) for each in several)
        case (
            ast.BinOp(left=ast.Constant(value=1), op=ast.Mult(), right=one)
            | ast.BinOp(left=one, op=ast.Mult(), right=ast.Constant(value=1))
        ):
            inner = one
    return inner is not None and _are_classes(flow, value.of(inner), depth + 1)
