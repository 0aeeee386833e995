"""Weights that are kept when a figure is worse than the best one, by a script's text."""

import ast
import re

from course_probe.reading.script_text import last_part, parts

HIGHER = re.compile(
    r"(?i)acc(?!um)|f1|precision|recall|auc|bleu|rouge|matthews|exact_match|iou|dice"
)
LOWER = re.compile(r"(?i)loss|perplexity|ppl|error|wer\b|cer\b|mse|mae")
BEST = re.compile(r"(?i)best")
KEEPS = {"state_dict", "save", "save_pretrained", "save_model", "save_state", "save_checkpoint"}


def kept_worst(tree: ast.Module) -> list[tuple[int, str]]:
    """Find where weights are kept if an accuracy is below the best, or a loss above, and its name.

    `if accuracy < best_accuracy: best_accuracy = accuracy`, beside a call that saves weights. Who
    looks for inputs of the highest loss keeps no weights.
    """
    return sorted(
        (node.lineno, name)
        for node in parts(tree, ast.If)
        for name in [_is_worse(node.test)]
        if name and _takes(node, name) and _keeps(node)
    )


def _is_worse(test: ast.expr) -> str:
    """Return the name of a figure that is compared as if the worse one were the better one."""
    match test:
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE()], comparators=[right]):
            lower, higher = last_part(left), last_part(right)
        case ast.Compare(left=left, ops=[ast.Gt() | ast.GtE()], comparators=[right]):
            lower, higher = last_part(right), last_part(left)
        case _:
            return ""
    if BEST.search(higher) and not BEST.search(lower):
        return lower if is_higher(lower) and not is_lower(higher) else ""
    if BEST.search(lower) and not BEST.search(higher):
        return higher if is_lower(higher) and not is_higher(lower) else ""
    return ""


def is_higher(name: str) -> bool:
    """Return whether more of a figure of this name is better."""
    return bool(HIGHER.search(name)) and not LOWER.search(name)


def is_lower(name: str) -> bool:
    """Return whether less of a figure of this name is better."""
    return bool(LOWER.search(name))


def _takes(node: ast.If, name: str) -> bool:
    """Return whether the figure is then the best one."""
    taken = (each for statement in node.body for each in parts(statement, ast.Assign))
    return any(
        last_part(each.value) == name and any(BEST.search(ast.unparse(t)) for t in each.targets)
        for each in taken
    )


def _keeps(node: ast.If) -> bool:
    """Return whether weights are kept."""
    calls = (each for statement in node.body for each in parts(statement, ast.Call))
    return any(last_part(each.func) in KEEPS for each in calls)
