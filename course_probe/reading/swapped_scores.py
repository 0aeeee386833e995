"""Metrics in which answers and labels have changed places, by the text of a script.

Which is which is told by what the Trainer calls them, `predictions` and `label_ids`, or by their
order in the pair that a function for `compute_metrics` is given. Metrics that are the same either
way are left out: an accuracy is.
"""

import ast

from course_probe.reading.script_text import last_part

ONE_WAY = {
    *("precision_score", "recall_score", "precision_recall_fscore_support", "r2_score"),
    *("classification_report", "balanced_accuracy_score", "explained_variance_score"),
    "mean_absolute_percentage_error",
}
"""Metrics of scikit-learn that expect the truth first, and are others the other way round."""
ANSWERS, LABELS = "predictions", "label_ids"


def swapped_scores(tree: ast.Module) -> list[int]:
    """The lines of such metrics."""
    measuring = {
        each.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for each in node.keywords
        if each.arg == "compute_metrics" and isinstance(each.value, ast.Name)
    }
    return sorted(
        {
            node.lineno
            for function in ast.walk(tree)
            if isinstance(function, ast.FunctionDef)
            for sides in [_Sides(function, is_measuring=function.name in measuring)]
            for node in ast.walk(function)
            if isinstance(node, ast.expr) and sides.are_swapped_in(node)
        }
    )


class _Sides:
    """What the names of one function hold: answers, labels, or something made of neither."""

    def __init__(self, function: ast.FunctionDef, *, is_measuring: bool) -> None:
        self._made: dict[str, ast.expr | str] = {}
        given = {each.arg for each in function.args.args} if is_measuring else set()
        nodes = sorted(
            (node for node in ast.walk(function) if isinstance(node, ast.Assign)),
            key=lambda node: node.lineno,
        )
        for node in nodes:
            match node.targets[0], node.value:
                case ast.Tuple(elts=[ast.Name(id=one), ast.Name(id=two)]), ast.Name(id=pair):
                    if pair in given:
                        self._made |= {one: ANSWERS, two: LABELS}
                case ast.Name(id=name), value if name not in self._made:
                    self._made[name] = value
                case ast.Tuple(elts=names), ast.Tuple(elts=values) if len(names) == len(values):
                    pairs = zip(names, values, strict=True)
                    self._made |= {n.id: v for n, v in pairs if isinstance(n, ast.Name)}

    def are_swapped_in(self, node: ast.expr) -> bool:
        """Whether a metric takes answers for the truth, and the truth for answers."""
        match node:
            case ast.Call():
                named = {each.arg: each.value for each in node.keywords}
                pair: tuple[ast.expr | None, ...] = tuple(node.args[:2])
                if last_part(node.func) == "compute":
                    pair = (named.get("references"), named.get("predictions"))
                elif last_part(node.func) not in ONE_WAY:
                    return False
                elif {"y_true", "y_pred"} <= named.keys():
                    pair = (named["y_true"], named["y_pred"])
                return len(pair) == 2 and tuple(map(self._side, pair)) == (ANSWERS, LABELS)
            case ast.BinOp(op=ast.Sub(), left=ast.Constant(value=1), right=ast.BinOp() as share):
                # The share of the variance: it is that of the labels.
                is_share = isinstance(share.op, ast.Div)
                return is_share and self._side(_centred(share.right)) == ANSWERS
        return False

    def _side(self, node: ast.expr | None, depth: int = 0) -> str | None:
        if node is None or depth > 10:
            return None
        found = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
        sides: set[str | None] = {each for each in (ANSWERS, LABELS) if each in found}
        for name in {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}:
            made = self._made.get(name)
            sides.add(
                made if made is None or isinstance(made, str) else self._side(made, depth + 1)
            )
        sides.discard(None)
        return sides.pop() if len(sides) == 1 else None


def _centred(node: ast.expr) -> ast.expr | None:
    """What is taken from its own mean: `y` of `((y - y.mean()) ** 2).sum()`."""
    for each in ast.walk(node):
        match each:
            case ast.BinOp(op=ast.Sub(), left=one, right=ast.Call() as mean):
                owner = mean.func.value if isinstance(mean.func, ast.Attribute) else mean.func
                owner = mean.args[0] if mean.args else owner
                if last_part(mean.func) == "mean" and ast.unparse(owner) == ast.unparse(one):
                    return one
    return None
