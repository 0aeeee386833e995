"""Weights that are kept when a figure is worse than the best one, by a script's text."""

import ast
import re
from collections.abc import Iterator

from course_probe.reading.figures import WORSE, FigureKinds, is_higher, is_lower
from course_probe.reading.flow import Flow, TextValue
from course_probe.reading.script_text import (
    bound,
    calls_in,
    last_part,
    loops_of,
    method,
    named,
    names,
    own_nodes,
    owner_of,
    parts,
    scopes,
    stored,
)

BEST = re.compile(r"(?i)best")
KEPT = re.compile(r"(?i)best|kept|keep")
SHALLOW = {"copy", "dict", "OrderedDict"}
"""What makes a new dictionary of the same tensors."""
SIGNED = re.compile(r"(?i)log_?prob|gaussian_?nll|elbo|critic|logsumexp|logdet|cosine|dice|snr|ncc")
"""What marks a script whose loss may be below 0."""
INFINITE = r"(?:(?:np|math|torch)\.inf|float\(['\"]inf(?:inity)?['\"]\))"
CHECKPOINT = re.compile(r"(?i)^(?:model_?)?checkpoint$")
MONITORED = re.compile(r"(?:min|max) +\w+")
"""A setting that says which end of a figure is the best one."""
OTHERWISE = {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt}
KEEPS = {"state_dict", "save", "save_pretrained", "save_model", "save_state", "save_checkpoint"}


def kept_worst(tree: ast.Module) -> list[tuple[int, str]]:
    """Find where weights are kept if an accuracy is below the best, or a loss above, and its name.

    `if accuracy < best_accuracy: best_accuracy = accuracy`, beside a call that saves weights. Who
    looks for inputs of the highest loss keeps no weights.
    """
    found = set[tuple[int, str]]()
    figures = FigureKinds(tree)
    for scope in scopes(tree):
        for node in (each for each in own_nodes(scope.body) if isinstance(each, ast.If)):
            for test, body in _branches(node):
                name, is_of_all = _worse(TextValue(test, scope), figures)
                # Who stops there keeps the last weights.
                is_taken = _takes(body, name) or (is_of_all and not _stops(body))
                if name and is_taken and _keeps(body):
                    found.add((node.lineno, name))
    return sorted(found)


def monitored_worst(tree: ast.Module) -> list[tuple[int, str]]:
    """Find where a setting says by which figure weights are kept, with the wrong end of it.

    `"min val_accuracy"`, which is split into its two words, or `monitor` beside `mode`, of a dict
    or of a call that makes a checkpoint. Lightning takes the lowest figure unless it is told so.
    """
    called = calls_in(tree)
    if not called & KEEPS and not any(map(CHECKPOINT.search, called)):
        return []
    found = set[tuple[int, str, str]]()
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if "split" in called and MONITORED.fullmatch(text):
                found.add((node.lineno, *text.split()))  # type: ignore[arg-type]
            case ast.Dict():
                pairs = zip(node.keys, node.values, strict=True)
                told = {_text(key): _text(value) for key, value in pairs}
                found.add((node.lineno, told.get("mode", ""), told.get("monitor", "")))
            case ast.Call() if CHECKPOINT.search(last_part(node.func)):
                told = {str(name): _text(value) for name, value in named(node).items()}
                usual = "min" if "lightning" in ast.unparse(tree) else ""
                found.add((node.lineno, told.get("mode", usual), told.get("monitor", "")))
    return sorted(
        (at, name)
        for at, mode, name in found
        if (mode == "min" and is_higher(name)) or (mode == "max" and is_lower(name))
    )


def _text(node: ast.expr | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _branches(node: ast.If) -> Iterator[tuple[ast.expr, list[ast.stmt]]]:
    """Yield the branches of a condition, each with the comparison by which it is taken."""
    yield node.test, node.body
    match node.test:
        case ast.Compare(left=left, ops=[one], comparators=[right]) if type(one) in OTHERWISE:
            yield ast.Compare(left, [OTHERWISE[type(one)]()], [right]), node.orelse


def kept_never(tree: ast.Module) -> list[tuple[int, str]]:
    """Find where weights are kept if a figure is better than what it can never be, and its name.

    `best_loss = 0.0` and `if loss < best_loss`: no loss is below 0, and no figure above infinity.
    """
    found = []
    is_signed = bool(SIGNED.search(ast.unparse(tree)))
    for node in parts(tree, ast.If):
        lower, higher = _ordered(node.test) or (node.test, node.test)
        is_first = isinstance(node.test, ast.Compare) and lower is node.test.left
        figure, best = (lower, higher) if is_first else (higher, lower)
        name, is_never = last_part(figure), _is_lowest if is_first else _is_highest
        if not (name and _takes(node.body, name) and _keeps(node.body)):
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
    flow, found = Flow(tree), set[tuple[int, str]]()
    trained = {
        one
        for scope in scopes(tree)
        for call in own_nodes(scope.body)
        if method(call) == "parameters" and (owner := owner_of(call)) is not None
        for one in _made_by(flow, TextValue(owner, scope))
    }
    for scope in scopes(tree):
        for loop in loops_of(scope.body):
            for node in parts(loop, ast.If):
                if isinstance(node.test, ast.Compare) and BEST.search(ast.unparse(node)):
                    found.update(
                        _kept(tree, flow, TextValue(node.test, scope), node, loop, trained)
                    )
    return sorted(found)


def _kept(
    tree: ast.Module, flow: Flow, at: TextValue, node: ast.If, loop: ast.stmt, trained: set[str]
) -> Iterator[tuple[int, str]]:
    """Yield what a branch keeps of a network that is trained on, as it is and is changed."""
    called = [each for statement in node.body for each in parts(statement, ast.Call)]
    within = [(node.body, at.scope)]
    for function in filter(None, map(flow.function, called)):
        within.append((function.body, function))
    inside = {id(one) for body, _at in within for each in body for one in ast.walk(each)}
    for body, scope in within:
        for each in own_nodes(body):
            for target, value in _stored(each):
                name = ast.unparse(target)
                kept = target.value if isinstance(target, ast.Subscript) else target
                # What is saved at once is as it was then.
                is_read = any(
                    ast.unparse(one) == ast.unparse(kept) and id(one) not in inside
                    for one in ast.walk(tree)
                    if isinstance(one, ast.Name | ast.Attribute) and isinstance(one.ctx, ast.Load)
                )
                made = {
                    one
                    for origin in flow.origins(TextValue(value, scope))
                    if not _is_copied(origin.node)
                    for one in _made_by(flow, origin.of(_whose(origin.node)))
                }
                is_anew = bool(names(_whose(value)) & {*stored(loop)})
                if made & trained and is_read and not is_anew and KEPT.search(name):
                    yield value.lineno, name


def _stored(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what a statement keeps, and where; of a dictionary, each of its values."""
    match node:
        case ast.Assign(value=ast.Dict(values=values)):
            yield from ((target, value) for target in node.targets for value in values)
        case ast.Assign():
            yield from bound(node)
        case ast.Call(func=ast.Attribute(value=owner, attr="update"), keywords=keywords):
            yield from ((owner, each.value) for each in keywords)


def _is_copied(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and last_part(value.func) == "deepcopy"


def _made_by(flow: Flow, owner: TextValue) -> Iterator[str]:
    """Yield what tells an object apart: what has made it, or its name."""
    for each in flow.origins(owner):
        is_made = isinstance(each.node, ast.Call)
        place = f"{each.node.lineno}:" if is_made else ""
        yield place + ast.unparse(each.node)


def _whose(value: ast.expr) -> ast.expr:
    """Return of what a value is the network or its weights, which are no copies; else itself."""
    match value:
        case ast.DictComp(
            value=ast.Name()
            | ast.Attribute(attr="data")
            | ast.Call(func=ast.Attribute(attr="detach"), args=[]),
            generators=[ast.comprehension(iter=ast.Call(func=ast.Attribute() as source))],
        ):
            return source.value if source.attr != "items" else _whose(source.value)
        case ast.Call(func=ast.Attribute(value=owner, attr="state_dict" | "named_parameters")):
            return owner
        case ast.Call(func=ast.Attribute(value=weights, attr="copy"), args=[]):
            return _whose(weights)
        case ast.Call(args=[weights]) if last_part(value.func) in SHALLOW:
            return _whose(weights)
    return value


def _worse(test: TextValue, figures: FigureKinds) -> tuple[str, bool]:
    """Return the name of a figure that is compared as if the worse one were the better one.

    With whether it is compared with the best of all that were gathered: `max(losses)`.
    """
    ordered = _ordered(test.node)
    if ordered is None:
        return "", False
    lower, higher = ordered
    for figure, best, mode in ((lower, higher, "min"), (higher, lower, "max")):
        if isinstance(best, ast.BinOp):
            # With what it is to be better by: `best + delta`.
            best = best.left
        is_of_all = isinstance(best, ast.Call) and last_part(best.func) == mode
        is_best = bool(BEST.search(last_part(best))) and not BEST.search(last_part(figure))
        kinds = {*figures.kinds(test.of(figure))} if is_of_all or is_best else set()
        # What the best one is called says something as well.
        is_other = (is_lower if mode == "min" else is_higher)(last_part(best))
        if kinds and kinds <= WORSE[mode] and not is_other:
            return last_part(figure), is_of_all
    return "", False


def _ordered(test: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """Return the lower and the higher side of a comparison; of `== min(…)`, as of `<`."""
    match test:
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE()], comparators=[right]):
            return left, right
        case ast.Compare(left=left, ops=[ast.Gt() | ast.GtE()], comparators=[right]):
            return right, left
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Call() as right]):
            return (left, right) if last_part(right.func) == "min" else (right, left)
    return None


def _takes(body: list[ast.stmt], name: str) -> bool:
    """Return whether the figure is then the best one."""
    taken = (each for statement in body for each in parts(statement, ast.Assign))
    return any(
        last_part(value) == name and bool(BEST.search(ast.unparse(target)))
        for each in taken
        for target, value in bound(each)
    )


def _stops(body: list[ast.stmt]) -> bool:
    return any(isinstance(e, ast.Break | ast.Return) for each in body for e in ast.walk(each))


def _keeps(body: list[ast.stmt]) -> bool:
    """Return whether weights are kept."""
    calls = (each for statement in body for each in parts(statement, ast.Call))
    return any(last_part(each.func) in KEEPS for each in calls)
