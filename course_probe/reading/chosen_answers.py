"""Where the text of a script looks for the highest output of each row in what a Trainer scores.

A Trainer hands all answers of its model to `compute_metrics` at once, as arrays of NumPy.
"""

import ast
from collections.abc import Iterator

from course_probe.reading.script_text import last_part


def answers_chosen(tree: ast.Module) -> list[int]:
    """The lines with an `argmax` along the last axis of the answers as they are handed over."""
    calls = [each for each in ast.walk(tree) if isinstance(each, ast.Call)]
    named = [keyword for each in calls for keyword in each.keywords]
    if any(each.arg == "preprocess_logits_for_metrics" for each in named):
        return []
    scoring = {last_part(each.value) for each in named if each.arg == "compute_metrics"}
    return sorted(
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name in scoring and node.args.args
        for line in _chosen(node)
    )


def _chosen(function: ast.FunctionDef) -> Iterator[int]:
    given = function.args.args[0].arg
    whole = (f"{given}.predictions", f"{given}[0]")
    answers, others = set(whole), set[str]()
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if isinstance(target, ast.Tuple) and target.elts:
                first, *rest = map(ast.unparse, target.elts)
                is_answers = ast.unparse(node.value) == given
                others |= {*rest, *(() if is_answers else (first,))}
            else:
                first, is_answers = ast.unparse(target), ast.unparse(node.value) in whole
                others |= set() if is_answers else {first}
            answers |= {first} if is_answers else set()
    # What is done under a condition may be of another task.
    unsure = {
        part
        for node in ast.walk(function)
        if isinstance(node, ast.If | ast.IfExp)
        for part in ast.walk(node)
    }
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and node not in unsure and last_part(node.func) == "argmax":
            owner = node.func.value if isinstance(node.func, ast.Attribute) else None
            values = [*node.args, *(each.value for each in node.keywords)]
            names = {ast.unparse(each) for each in (owner, *values) if each is not None}
            if names & (answers - others) and names & {"-1", "1"}:
                yield node.lineno
