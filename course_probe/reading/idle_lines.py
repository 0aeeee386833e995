"""Lines that look as if they did something, by the text of a script, and do not.

What they leave as it was has to be measured.
"""

import ast
import difflib

FREEZING = "requires_grad"
NEAR = 0.85
"""From here on a name is one that is misspelt."""


def said_frozen(tree: ast.Module) -> list[int]:
    """The lines that give something the attribute `requires_grad`, as `model.body` and not a loop.

    Only parameters are asked for it: a part of a network that has it goes on learning.
    """
    loops = {
        name.id
        for node in ast.walk(tree)
        if isinstance(node, ast.For | ast.comprehension)
        for name in ast.walk(node.target)
        if isinstance(name, ast.Name)
    }
    return sorted(
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and ast.unparse(node.value) == "False"
        for target in node.targets
        if isinstance(target, ast.Attribute) and target.attr == FREEZING
        if ast.unparse(target.value) not in {*loops, "self"}
    )


def misspelt_freezing(tree: ast.Module) -> list[tuple[int, str]]:
    """The lines that give each parameter of a loop an attribute which is nearly `requires_grad`."""
    found = []
    for loop in ast.walk(tree):
        if not isinstance(loop, ast.For) or "parameters(" not in ast.unparse(loop.iter):
            continue
        names = {each.id for each in ast.walk(loop.target) if isinstance(each, ast.Name)}
        for node in ast.walk(loop):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                is_near = difflib.SequenceMatcher(None, node.attr, FREEZING).ratio() > NEAR
                if is_near and node.attr != FREEZING and ast.unparse(node.value) in names:
                    found.append((node.lineno, node.attr))
    return found


def never_trained(tree: ast.Module) -> list[int]:
    """The lines where a trainer that has rows to train on evaluates, and nothing calls `train`."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    made = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if any(each.arg == "train_dataset" for each in node.value.keywords)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    called = [each.func for each in calls if isinstance(each.func, ast.Attribute)]
    if any(each.attr in ("train", "hyperparameter_search") for each in called):
        return []
    return sorted(
        each.lineno
        for each in called
        if each.attr in ("evaluate", "predict") and ast.unparse(each.value) in made
    )
