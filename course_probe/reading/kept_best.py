"""Weights that are kept when a figure is worse than the best one, by a script's text."""

import ast
import re

from course_probe.reading.figures import WORSE, FigureKinds, is_higher, is_lower
from course_probe.reading.script_text import bound, last_part, parts, scopes

BEST = re.compile(r"(?i)best")
SIGNED = re.compile(r"(?i)log_?prob|gaussian_?nll|elbo|critic|logsumexp|logdet|cosine")
"""What marks a script whose loss may be below 0."""
INFINITE = r"(?:(?:np|math|torch)\.inf|float\(['\"]inf(?:inity)?['\"]\))"
KEEPS = {"state_dict", "save", "save_pretrained", "save_model", "save_state", "save_checkpoint"}


def kept_worst(tree: ast.Module) -> list[tuple[int, str]]:
    """Find where weights are kept if an accuracy is below the best, or a loss above, and its name.

    `if accuracy < best_accuracy: best_accuracy = accuracy`, beside a call that saves weights. Who
    looks for inputs of the highest loss keeps no weights.
    """
    found = set[tuple[int, str]]()
    for scope in scopes(tree):
        figures = FigureKinds(tree, scope)
        for node in (each for each in figures.nodes if isinstance(each, ast.If)):
            name, is_of_all = _worse(node.test, figures)
            # Who stops there keeps the last weights.
            is_taken = _takes(node, name) or (is_of_all and not _stops(node))
            if name and is_taken and _keeps(node):
                found.add((node.lineno, name))
    return sorted(found)


def kept_never(tree: ast.Module) -> list[tuple[int, str]]:
    """Find where weights are kept if a figure is better than what it can never be, and its name.

    `best_loss = 0.0` and `if loss < best_loss`: no loss is below 0, and no figure above infinity.
    """
    found = []
    is_signed = bool(SIGNED.search(ast.unparse(tree)))
    for node in parts(tree, ast.If):
        match node.test:
            case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE()], comparators=[right]):
                name, best, is_never = last_part(left), right, _is_lowest
            case ast.Compare(left=left, ops=[ast.Gt() | ast.GtE()], comparators=[right]):
                name, best, is_never = last_part(left), right, _is_highest
            case _:
                continue
        if not (name and _takes(node, name) and _keeps(node)):
            continue
        is_known = is_never is _is_highest or (is_lower(name) and not is_signed)
        taken = {id(each) for statement in node.body for each in ast.walk(statement)}
        begins = [
            value
            for each in parts(tree, ast.Assign)
            if id(each) not in taken
            for target, value in bound(each)
            if ast.unparse(target) == ast.unparse(best)
        ]
        if is_known and begins and all(map(is_never, begins)):
            found.append((node.lineno, name))
    return sorted(found)


def _is_lowest(value: ast.expr) -> bool:
    text = ast.unparse(value)
    return text in ("0", "0.0") or bool(re.fullmatch(rf"-{INFINITE}", text))


def _is_highest(value: ast.expr) -> bool:
    return bool(re.fullmatch(INFINITE, ast.unparse(value)))


def kept_itself(tree: ast.Module) -> list[tuple[int, str]]:
    """Find where the best network, or its weights, are to be kept, and are the trained ones.

    `best = model`, or `best = model.state_dict()`, beside a comparison with the best figure in a
    loop that trains this model on. Who makes a model anew in each turn keeps another one each time.
    """
    trained = {
        ast.unparse(call.func.value)
        for call in parts(tree, ast.Call)
        if isinstance(call.func, ast.Attribute) and call.func.attr == "parameters"
    }
    functions = {each.name: each for each in parts(tree, ast.FunctionDef)}
    found = set[tuple[int, str]]()
    for loop in (*parts(tree, ast.For), *parts(tree, ast.While)):
        anew = {ast.unparse(t) for each in parts(loop, ast.Assign) for t in each.targets}
        for node in parts(loop, ast.If):
            if not isinstance(node.test, ast.Compare) or not BEST.search(ast.unparse(node)):
                continue
            called = {last_part(c.func) for each in node.body for c in parts(each, ast.Call)}
            keeping = [functions[name] for name in sorted(called & functions.keys())]
            inside = {id(one) for each in (node, *keeping) for one in ast.walk(each)}
            body = [*node.body, *(each for function in keeping for each in function.body)]
            made = [one for statement in body for one in parts(statement, ast.Assign)]
            held = {ast.unparse(each.targets[0]): each.value for each in made}
            for each in made:
                name = ast.unparse(each.targets[0])
                # What is saved at once is as it was then.
                is_read = any(
                    ast.unparse(one) == name and id(one) not in inside
                    for one in ast.walk(tree)
                    if isinstance(one, ast.Name | ast.Attribute) and isinstance(one.ctx, ast.Load)
                )
                # Beside other figures of that epoch.
                several = each.value.values if isinstance(each.value, ast.Dict) else [each.value]
                kept = {_whose(held.get(ast.unparse(one), one)) for one in several}
                if kept & (trained - anew) and is_read and re.search(r"(?i)best|kept|keep", name):
                    found.add((each.lineno, name))
    return sorted(found)


def _whose(value: ast.expr) -> str:
    """Return of what a value is the network or its weights, which are no copies; else its text."""
    match value:
        case ast.DictComp(
            value=ast.Name()
            | ast.Attribute(attr="data")
            | ast.Call(func=ast.Attribute(attr="detach"), args=[]),
            generators=[ast.comprehension(iter=ast.Call(func=ast.Attribute() as source))],
        ):
            weights = source.value if source.attr == "items" else ast.Call(source, [], [])
        case _:
            weights = value
    match weights:
        case ast.Call(func=ast.Attribute(value=owner, attr="state_dict" | "named_parameters")):
            return ast.unparse(owner)
    return ast.unparse(value)


def _worse(test: ast.expr, figures: FigureKinds) -> tuple[str, bool]:
    """Return the name of a figure that is compared as if the worse one were the better one.

    With whether it is compared with the best of all that were gathered: `max(losses)`.
    """
    match test:
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE()], comparators=[right]):
            lower, higher = left, right
        case ast.Compare(left=left, ops=[ast.Gt() | ast.GtE()], comparators=[right]):
            lower, higher = right, left
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Call() as right]):
            lower, higher = (left, right) if last_part(right.func) == "min" else (right, left)
        case _:
            return "", False
    for figure, best, mode in ((lower, higher, "min"), (higher, lower, "max")):
        is_of_all = isinstance(best, ast.Call) and last_part(best.func) == mode
        is_best = bool(BEST.search(last_part(best))) and not BEST.search(last_part(figure))
        kinds = {*figures.kinds(figure)} if is_of_all or is_best else set()
        # What the best one is called says something as well.
        is_other = (is_lower if mode == "min" else is_higher)(last_part(best))
        if kinds and kinds <= WORSE[mode] and not is_other:
            return last_part(figure), is_of_all
    return "", False


def _takes(node: ast.If, name: str) -> bool:
    """Return whether the figure is then the best one."""
    taken = (each for statement in node.body for each in parts(statement, ast.Assign))
    return any(
        last_part(value) == name and bool(BEST.search(ast.unparse(target)))
        for each in taken
        for target, value in bound(each)
    )


def _stops(node: ast.If) -> bool:
    return any(isinstance(each, ast.Break | ast.Return) for each in ast.walk(node))


def _keeps(node: ast.If) -> bool:
    """Return whether weights are kept."""
    calls = (each for statement in node.body for each in parts(statement, ast.Call))
    return any(last_part(each.func) in KEEPS for each in calls)
