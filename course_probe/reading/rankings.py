"""Metrics that rank rows by a score and are given classes instead, by a script's text.

The area under a curve asks for each pair of rows which of the two has the higher score. Of answers
that are cut to 0 or 1 before, most pairs are a tie.
"""

import ast
from collections.abc import Iterator

from course_probe.reading.flow import Flow, TextValue, passed_on
from course_probe.reading.script_text import last_part, named, own_nodes, scopes

TRUTH_FIRST = {
    *("roc_auc_score", "average_precision_score", "roc_curve", "precision_recall_curve"),
    *("det_curve", "label_ranking_average_precision_score"),
}
"""Functions of scikit-learn that take the labels, then the scores."""
SCORES = ("y_score", "prediction_scores")
"""What they, and the metric of `evaluate`, call the scores."""
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
    found = flow.contents(value)
    return bool(found) and depth < DEEPEST and all(_is_class(flow, e, depth) for e in found)


def _is_class(flow: Flow, value: TextValue, depth: int) -> bool:
    inner = [passed_on(value.node)]
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
        case ast.Subscript(value=ast.Call() as most, slice=ast.Constant(value=1)):
            # `out.max(1)[1]`
            return last_part(most.func) == "max"
        case ast.List(elts=[_, *_] as several):
            inner = [*several]
        case ast.BinOp(left=ast.Constant(value=1), op=ast.Mult(), right=one):
            inner = [one]
    return all(e is not None and _are_classes(flow, value.of(e), depth + 1) for e in inner)
