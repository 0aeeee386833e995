"""What a script's metrics make of answers and labels, by its text.

A Trainer hands all answers of its model to `compute_metrics` at once, with their labels: as
`predictions` and `label_ids`, or as a pair in this order.
"""

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

from course_probe.reading.flow import SHAPED, Flow, TextValue, passed_on
from course_probe.reading.names import Names
from course_probe.reading.script_text import (
    Scope,
    last_part,
    method,
    named,
    names,
    networks_of,
    own_nodes,
    parts,
    scopes,
    stored,
    worked_on,
)

METRIC = re.compile(r"_score$|_error$|^(?:classification_report|confusion_matrix|accuracy)$")
"""Functions of scikit-learn and others that compare truth and answers."""
ONE_WAY = {
    *("precision_score", "recall_score", "precision_recall_fscore_support", "r2_score"),
    *("classification_report", "balanced_accuracy_score", "explained_variance_score"),
    "mean_absolute_percentage_error",
}
"""Those that expect the truth first, and are others the other way round: an accuracy is not."""
GUESSES = re.compile(r"(?i)predict|guess|infer|generate|decode|sample|classify|vote")
"""What marks a call that gives answers, of whatever makes them."""
BOTH = (("predictions", "references"), ("y_pred", "y_true"), ("preds", "target"))
"""What they, and the metrics of `evaluate`, call the two."""
UNLABELLED = re.compile(r"silhouette|davies|calinski|cross_val|^log_error$")
"""Scores of one table, or of a model."""
COMPARES = re.compile(r"^compute$|_score$|_error$|^accuracy$")
"""Methods and functions of libraries that compare answers with the truth."""
RAW_LOSSES = {
    *("BCEWithLogitsLoss", "binary_cross_entropy_with_logits", "MultiLabelSoftMarginLoss"),
    *("multilabel_soft_margin_loss", "sigmoid_focal_loss", "sigmoid_cross_entropy_with_logits"),
}
"""Losses that make probabilities of raw outputs themselves."""
OF_LABELS = "multi_label_classification"
"""The task of transformers whose loss is one of them."""
CHANCES = {"sigmoid", "softmax", "expit"}
"""Functions that make probabilities of outputs."""
SHAPES = SHAPED | {"float"}
"""What leaves the numbers as they are."""
LEAVING = {"numpy", "tolist"}
"""Methods by which numbers leave PyTorch."""
KEEPING = {"concatenate", "array", "asarray", "vstack", "astype", "round", "copy"}
"""Methods, and functions of NumPy, that leave the axes of rows as they are."""
DEEPEST = 20
"""Steps back from a value to what made it."""
MIDDLE = (0.3, 0.7)
"""Where thresholds of probabilities lie."""
ANSWERS, LABELS = "predictions", "label_ids"


def _measuring(tree: ast.Module) -> set[str]:
    """Return the names of the functions that a Trainer computes metrics with."""
    given = (named(each).get("compute_metrics") for each in parts(tree, ast.Call))
    return {last_part(each) for each in given if each is not None}


# Both sides of a metric.


def scored_against_itself(tree: ast.Module) -> list[int]:
    """Find the lines of metrics that are given one thing twice: they are always perfect."""
    return sorted(
        call.lineno
        for call in parts(tree, ast.Call)
        for one, other in _sides(call)
        if ast.unparse(one) == ast.unparse(other) and not isinstance(one, ast.Constant)
    )


def _sides(call: ast.Call) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the pairs of expressions that a metric compares."""
    name, given = last_part(call.func), named(call)
    is_metric = METRIC.search(name) is not None and not UNLABELLED.search(name)
    if is_metric or name == "compute":
        yield from ((given[a], given[b]) for a, b in BOTH if a in given and b in given)
    if is_metric and len(call.args) > 1:
        yield call.args[0], call.args[1]


def swapped_scores(tree: ast.Module) -> list[int]:
    """Find the lines of metrics in which answers and labels have changed places."""
    sides = _Sides(tree)
    wrong = (
        node.lineno
        for node, scope in _expressions(tree)
        if sides.are_swapped_in(TextValue(node, scope))
    )
    return sorted(set(wrong))


def compared_as_left(tree: ast.Module) -> list[int]:
    """Find the lines that compare answers with labels, both as they have left PyTorch."""
    sides = _Sides(tree)
    wrong = (
        node.lineno
        for node, scope in _expressions(tree)
        if isinstance(node, ast.BinOp | ast.Compare) and sides.are_as_left(node, scope)
    )
    return sorted(set(wrong))


def _expressions(tree: ast.Module) -> Iterator[tuple[ast.expr, Scope]]:
    for scope in scopes(tree):
        yield from ((e, scope) for e in own_nodes(scope.body) if isinstance(e, ast.expr))


class _Sides:
    """What is made of a network's answers, of labels, or of answers of anything else."""

    def __init__(self, tree: ast.Module) -> None:
        self._flow, self._networks, self.measuring = Flow(tree), networks_of(tree), _measuring(tree)
        given = (named(call) for call in parts(tree, ast.Call))
        # Metrics of these libraries expect the answers first.
        self._turned = {
            each.asname or each.name
            for one in parts(tree, ast.ImportFrom)
            for each in one.names
            if re.match(r"torchmetrics|torcheval|ignite", one.module or "")
        }
        self._are_changed = any("preprocess_logits_for_metrics" in each for each in given)

    def are_swapped_in(self, value: TextValue) -> bool:
        """Return whether a metric takes answers for the truth, and something else for answers."""
        match value.node:
            case ast.Call() as node:
                given, name = named(node), last_part(node.func)
                pair: tuple[ast.expr | None, ...] = tuple(node.args[:2])
                if name == "compute":
                    pair = (given.get("references"), given.get("predictions"))
                elif {"y_true", "y_pred"} <= given.keys():
                    pair = (given["y_true"], given["y_pred"])
                # The weights are those of what is taken for the truth.
                is_weighted = getattr(given.get("average"), "value", None) == "weighted"
                is_one_way = name in ONE_WAY or (is_weighted and METRIC.search(name) is not None)
                if not (name == "compute" or is_one_way) or name in self._turned or len(pair) < 2:
                    return False
                truth, answers = pair
            case ast.BinOp(
                op=ast.Sub(), left=ast.Constant(value=1), right=ast.BinOp(op=ast.Div(), right=width)
            ):
                # The share of the variance: it is that of the labels.
                truth, answers = _centred(width), None
                return truth is not None and self._are_answers(value.of(truth))
            case _:
                return False
        is_pair = truth is not None and answers is not None
        if not is_pair or truth is None or answers is None:
            return False
        return self._are_answers(value.of(truth)) and self._are_others(value.of(answers))

    def are_as_left(self, node: ast.BinOp | ast.Compare, scope: Scope) -> bool:
        """Return whether answers meet labels in NumPy, and nothing has changed their axes there."""
        match node:
            case ast.Compare(left=one, ops=[ast.Eq() | ast.NotEq()], comparators=[other]):
                pass
            case ast.BinOp(left=one, op=ast.Sub(), right=other):
                pass
            case _:
                return False
        pair = TextValue(one, scope), TextValue(other, scope)
        return all(map(self._is_as_left, pair)) and any(
            self._are_answers(a) and self._are_others(b) for a, b in (pair, pair[::-1])
        )

    def _is_as_left(self, value: TextValue, depth: int = 0) -> bool:
        found = self._flow.contents(value)
        return bool(found) and depth < DEEPEST and all(self._is_one_left(e, depth) for e in found)

    def _is_one_left(self, value: TextValue, depth: int) -> bool:
        match value.node:
            case ast.Call() as call if method(call) in LEAVING:
                return True
            case ast.Call() as call if method(call) in KEEPING:
                return all(self._is_as_left(value.of(e), depth + 1) for e in worked_on(call)[:1])
            case ast.Compare(left=inner, comparators=[ast.Constant()]):
                return self._is_as_left(value.of(inner), depth + 1)
        return False

    def are_raw(self, value: TextValue) -> bool:
        """Return whether this is what a network, or a Trainer, gives, in whatever shape."""
        found = [*self._first(value)]
        is_given = bool(found) and all(map(self._is_asked, found))
        return is_given and not any(
            self._are_changed and not isinstance(each.node, ast.Call) for each in found
        )

    def are_chances(self, value: TextValue) -> bool:
        """Return whether this is what a sigmoid or a softmax gives, in whatever shape."""
        made = [each.node for each in self._first(value)]
        return bool(made) and all(
            isinstance(each, ast.Call) and last_part(each.func) in CHANCES for each in made
        )

    def numbers(self, value: TextValue) -> list[float]:
        """Return the plain numbers that a value may be."""
        found = (getattr(each.node, "value", None) for each in self._flow.origins(value))
        return [float(each) for each in found if isinstance(each, float) or type(each) is int]

    def _first(self, value: TextValue, depth: int = 0) -> Iterator[TextValue]:
        """Yield what has made these numbers, whatever their shape, or their place in a list."""
        for each in self._flow.origins(value, self._is_asked) if depth < DEEPEST else ():
            is_end = self._is_asked(each)
            inner = None if is_end else passed_on(each.node, SHAPES)
            if inner is None and isinstance(each.node, ast.Subscript) and not is_end:
                # Of several results of a network, one may be anything.
                is_one = type(getattr(each.node.slice, "value", None)) is int
                inner = None if is_one else each.node.value
            if ast.unparse(each.node) != "[]":
                yield from [each] if inner is None else self._first(each.of(inner), depth + 1)

    def _are_answers(self, value: TextValue) -> bool:
        """Return whether something is made of a network's answers, and of nothing beside them."""
        found = [*self._flow.behind(value, self._is_asked)]
        return any(map(self._is_asked, found)) and not any(map(_is_of_several, found))

    def _are_others(self, value: TextValue) -> bool:
        """Return whether something is made of no answers, a network's or anything else's."""
        found = [*self._flow.behind(value, self._is_asked)]
        is_known = any(not isinstance(each.node, ast.Constant | ast.List) for each in found)
        return is_known and not any(self._is_asked(e) or _is_guess(e.node) for e in found)

    def _is_asked(self, value: TextValue) -> bool:
        """Return whether these are answers as a network, or a Trainer, gives them."""
        match value.node:
            case ast.Call(func=func):
                return ast.unparse(func) in self._networks
            case ast.Attribute(attr=side):
                return side == ANSWERS
            case ast.Subscript(value=ast.Name(id=pair), slice=ast.Constant(value=0)):
                scope = value.scope
                given = parts(scope.args, ast.arg) if isinstance(scope, ast.FunctionDef) else []
                is_pair = pair in {each.arg for each in given}
                return is_pair and getattr(scope, "name", "") in self.measuring
        return False


def _is_guess(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and GUESSES.search(last_part(node.func)) is not None


def _is_of_several(value: TextValue) -> bool:
    """Return whether two things meet here, or one chooses parts of the other."""
    match value.node:
        case ast.BinOp(left=one, right=other) | ast.Compare(left=one, comparators=[other, *_]):
            return not any(isinstance(each, ast.Constant) for each in (one, other))
        case ast.Subscript(slice=place):
            return bool(names(place))
    return False


def _centred(node: ast.expr) -> ast.expr | None:
    """Find what is centred by its own mean: `y` of `((y - y.mean()) ** 2).sum()`."""
    for each in ast.walk(node):
        match each:
            case ast.BinOp(op=ast.Sub(), left=one, right=ast.Call() as mean):
                of = [ast.unparse(each) for each in worked_on(mean)[:1]]
                if last_part(mean.func) == "mean" and of == [ast.unparse(one)]:
                    return one
    return None


# What is chosen of the outputs.


def answers_chosen(tree: ast.Module) -> list[int]:
    """Find the lines with an `argmax` along the last axis of all answers as handed over."""
    sides = _Sides(tree)
    functions = (f for f in parts(tree, ast.FunctionDef) if f.name in sides.measuring)
    return sorted(line for function in functions for line in _chosen(function, sides))


def _chosen(function: ast.FunctionDef, sides: "_Sides") -> Iterator[int]:
    # What is done under a condition may be of another task.
    tests = [*parts(function, ast.If), *parts(function, ast.IfExp)]
    unsure = {part for node in tests for part in ast.walk(node)}
    for call in parts(function, ast.Call):
        if call in unsure or last_part(call.func) != "argmax":
            continue
        used = set(map(ast.unparse, (*call.args, *named(call).values())))
        for chosen in worked_on(call)[:1] if used & {"-1", "1"} else ():
            if sides.are_raw(TextValue(chosen, function)):
                yield call.lineno


def lowest_chosen(tree: ast.Module, *, of_products: bool) -> list[int]:
    """Find the lines that choose the lowest number of each row, and compare with the truth.

    Of outputs, or of products of rows with rows, of which the higher ones are more alike:
    `nearest = (z @ z.T).argmin(1)`, `ids[nearest] == ids`. Who looks for both ends, or for
    distances, is not meant. What a function is called tells nothing.
    """
    found = set[int]()
    for scope in _scopes(tree):
        calls = [node for node in scope if isinstance(node, ast.Call)]
        if not any(map(_compares, scope)) or any(map(_is_highest, calls)):
            continue
        if not of_products and any(map(_measures, calls)):
            continue
        made, indices = Names(scope), _indices(scope)
        for node in scope:
            row = _lowest_of(node, made)
            if row is None or not isinstance(node, ast.expr):
                continue
            values = made.values.get(ast.unparse(row), [row])
            if of_products:
                is_one = all(value is not None and _is_product(value) for value in values)
                is_one &= _is_compared(node, scope)
            else:
                # What finds another row may be the right one, and so may the lowest product.
                is_sorted = isinstance(node, ast.Subscript)
                is_one = not (is_sorted and ast.unparse(node) in indices)
                is_one &= not any(isinstance(each, ast.MatMult) for each in ast.walk(row))
            found |= {node.lineno} if is_one else set()
    return sorted(found)


def _lowest_of(node: ast.AST, made: Names) -> ast.expr | None:
    """Return of what a node is the lowest of each row; without an axis, it is the best of all.

    `logits.argmin(-1)`, `sim.topk(5, largest=False)`, `np.argsort(logits)[:, 0]`.
    """
    if isinstance(node, ast.Subscript):
        match node.slice:
            case ast.Tuple(elts=[*_, ast.Constant(value=0)]):
                node, wanted = made.only(node.value) or node, "argsort"
            case _:
                return None
    elif isinstance(node, ast.Call) and last_part(node.func) in ("argmin", "topk"):
        wanted = last_part(node.func)
    else:
        return None
    if not isinstance(node, ast.Call) or last_part(node.func) != wanted:
        return None
    row, *rest = worked_on(node) or [node]
    axes = [*rest, *(v for k, v in named(node).items() if k in ("axis", "dim"))]
    has_axis = any(re.fullmatch(r"-?\d+", ast.unparse(each)) for each in axes)
    is_turned = "descending" in named(node) or isinstance(row, ast.UnaryOp)
    is_lowest = not is_turned if wanted == "argsort" else wanted == "topk" or has_axis
    return row if is_lowest else None


def _is_compared(node: ast.expr, scope: list[ast.AST]) -> bool:
    """Return whether a value, by its name, is held against something else."""
    held = {
        name
        for each in scope
        if isinstance(each, ast.Assign) and node in ast.walk(each.value)
        for name in stored(each)
    }
    return any(
        isinstance(each, ast.Compare) and isinstance(each.ops[0], ast.Eq) and names(each) & held
        for each in scope
    )


def _is_highest(call: ast.Call) -> bool:
    """Return whether the highest values are chosen as well, by `argmax` or `topk`."""
    largest = named(call).get("largest")
    is_lowest = largest is not None and ast.unparse(largest) == "False"
    name = last_part(call.func)
    return name == "argmax" or (name == "topk" and not is_lowest)


def _indices(scope: list[ast.AST]) -> set[str]:
    """Return the values that find a row of a table, by themselves or by their names."""
    used = [part for each in scope if isinstance(each, ast.Subscript) for part in [each.slice]]
    found = {ast.unparse(each) for each in used}
    return found | {
        ast.unparse(each.value)
        for each in scope
        if isinstance(each, ast.Assign) and not found.isdisjoint(stored(each))
    }


def _measures(call: ast.Call) -> bool:
    """Return whether distances are computed, of which the lowest is the best."""
    return bool(re.search(r"dist|norm$", last_part(call.func)))


def _scopes(tree: ast.Module) -> Iterator[list[ast.AST]]:
    """Yield the nodes of what stands outside of functions, and those of each function."""
    yield list(own_nodes(tree.body))
    yield from (list(ast.walk(function)) for function in parts(tree, ast.FunctionDef))


def _compares(node: ast.AST) -> bool:
    """Return whether something is held against something else, one by one or by a metric."""
    if isinstance(node, ast.Compare):
        return any(isinstance(each, ast.Eq) for each in node.ops)
    return isinstance(node, ast.Call) and bool(COMPARES.search(last_part(node.func)))


def _is_product(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return last_part(node.func) in ("matmul", "mm", "cosine_similarity")
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.MatMult)
        and bool(re.search(r"\.(?:m?T|t\(\)|transpose\(.*\))$", ast.unparse(node.right)))
    )


# Thresholds.


def unfit_thresholds(tree: ast.Module) -> list[int]:
    """Find where raw outputs meet a threshold for probabilities, or probabilities that of 0.

    Outputs are raw where the loss is one of those that take them so, and where it is seen that
    nothing but their shape is changed.
    """
    are_raw = any(last_part(each) in RAW_LOSSES for each in ast.walk(tree) if _is_name(each))
    are_raw |= any(each.value == OF_LABELS for each in parts(tree, ast.Constant))
    # What is changed in place is no longer what it was made as.
    are_raw &= not any(method(call) == "sigmoid_" for call in parts(tree, ast.Call))
    sides, found = _Sides(tree), set[int]()
    for scope in scopes(tree):
        nodes = [*own_nodes(scope.body)]
        # A mask of what is above 0 may choose what a logarithm is taken of.
        places = (e.slice for e in nodes if isinstance(e, ast.Subscript))
        tests = (e.test for e in nodes if isinstance(e, ast.Assert))
        beside = {part for each in (*places, *tests) for part in ast.walk(each)}
        for node in (each for each in nodes if each not in beside):
            left, limit = _compared(node)
            if left is None or limit is None:
                continue
            values = sides.numbers(TextValue(limit, scope))
            is_middle = are_raw and any(MIDDLE[0] <= each <= MIDDLE[1] for each in values)
            is_raw = is_middle and sides.are_raw(TextValue(left, scope))
            if is_raw or (0 in values and sides.are_chances(TextValue(left, scope))):
                found.add(left.lineno)
    return sorted(found)


def _compared(node: ast.AST) -> tuple[ast.expr | None, ast.expr | None]:
    """Return what is asked to lie above a limit, and the limit; to round is to compare with 0.5."""
    match node:
        case ast.Compare(left=left, ops=[ast.Gt() | ast.GtE()], comparators=[right]):
            return left, right
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE()], comparators=[right]):
            return right, left
        case ast.Call() if method(node) in ("gt", "ge", "round"):
            left, *limit = worked_on(node)
            return left, next(iter(limit), ast.Constant(0.5))
    return None, None


def _is_name(node: ast.AST) -> TypeGuard[ast.expr]:
    return isinstance(node, ast.Name | ast.Attribute)
