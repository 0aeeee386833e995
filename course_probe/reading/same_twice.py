"""Metrics that the text of a script computes of something and of the same thing again."""

import ast
import re

from course_probe.reading.script_text import last_part

METRIC = re.compile(r"_score$|_error$|^(?:classification_report|confusion_matrix|accuracy)$")
"""Functions of scikit-learn and others that compare truth and answers."""
BOTH = (("predictions", "references"), ("y_pred", "y_true"), ("preds", "target"))
"""What they, and the metrics of `evaluate`, call the two."""
LABELLED = re.compile(r"silhouette|davies|calinski|cross_val|^log_error$")
"""Scores of one table, or of a model."""


def scored_against_itself(tree: ast.Module) -> list[int]:
    """The lines of metrics that are given one thing twice: they are perfect, whatever it is."""
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = last_part(node.func)
        is_metric = METRIC.search(name) is not None and not LABELLED.search(name)
        named = {each.arg: each.value for each in node.keywords}
        pairs = [(named[a], named[b]) for a, b in BOTH if a in named and b in named]
        if is_metric and len(node.args) > 1:
            pairs.append((node.args[0], node.args[1]))
        if is_metric or name == "compute":
            found += [
                node.lineno
                for one, other in pairs
                if ast.unparse(one) == ast.unparse(other) and not isinstance(one, ast.Constant)
            ]
    return sorted(found)
