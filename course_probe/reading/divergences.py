"""Divergences that are a mean of all numbers, and are added to a mean of rows, by a script's text.

The divergence of a row is the sum over its classes, or over its hidden numbers. `kl_div` without
`reduction="batchmean"` divides by these as well, and so does `torch.mean` of the divergence of an
autoencoder: beside a term that is a mean of rows, such a one is that many times too small.
"""

import ast
import re
from collections.abc import Iterator

from course_probe.reading.flow import Flow, TextValue
from course_probe.reading.script_text import last_part, named, own_nodes, parts, scopes, worked_on
from course_probe.reading.signs import divergence, terms_of

BY_ROWS = re.compile(r"^(?:cross_entropy|nll_loss|CrossEntropyLoss|NLLLoss)$")
"""Losses that are a mean of one number a row."""
OF_NUMBERS = re.compile(r"^(?:mse_loss|MSELoss|l1_loss|L1Loss|BCE\w*|binary_cross_entropy\w*)$")
"""Losses that are a mean of all numbers."""
COUNT = re.compile(r"size\(|shape|len\(|(?:num|n)_|_?dims?\b|classes|vocab")
"""What a mean is multiplied with to be a sum."""
SUMMED = re.compile(r"reduction='sum'|\.sum\(\)|torch\.sum\(")
OF_ALL = re.compile(r"numel|\*|prod")
"""What a sum is divided by to be a mean of all numbers."""
DEEPEST = 6

_Term = list[TextValue]
"""The factors of a term."""


def shrunk_divergences(tree: ast.Module) -> list[int]:
    """Find the lines of divergences that are a mean of all numbers, beside a mean of rows."""
    flow, found = Flow(tree), set[int]()
    for _line, terms in _sums(tree, flow):
        if any(_is_of_rows(each, flow) for term in terms for each in term):
            found.update(line for term in terms for line in _shrunk(term, flow))
    return sorted(found)


def summed_divergences(tree: ast.Module) -> list[int]:
    """Find the lines that add the divergence of a row, a sum, to a mean of all numbers.

    It may be meant so: whether it has held the answers alike is measured.
    """
    flow, found = Flow(tree), set[int]()
    for line, terms in _sums(tree, flow):
        plain = [[e for e in term if not _is_number(e.node)] for term in terms]
        alone = [term[0] for term in plain if len(term) == 1]
        losses = [e for e in alone if (made := _maker(e, flow)) and _is_of_numbers(made)]
        by_rows = [e for term in terms for e in term if _is_of_rows(e, flow)]
        # Beside another sum of each row, it is as large as it should be.
        if losses and by_rows and all(e in alone and _has_divergence(e.node) for e in by_rows):
            found.add(line)
    return sorted(found)


def _sums(tree: ast.Module, flow: Flow) -> Iterator[tuple[int, list[_Term]]]:
    """Yield the lines that add two things, with the terms of both."""
    for scope in scopes(tree):
        for node in own_nodes(scope.body):
            match node:
                case ast.BinOp(left=one, op=ast.Add() | ast.Sub(), right=other):
                    sides = (one, other)
                case ast.AugAssign(target=one, op=ast.Add(), value=other):
                    sides = (one, other)
                case _:
                    continue
            yield node.lineno, [t for e in sides for t in _terms(TextValue(e, scope), flow)]


def _is_number(node: ast.AST) -> bool:
    """Return whether this is a factor of the divergence itself, and no weight."""
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(inner, ast.Constant) and inner.value in (0.5, 1, 2)


def _is_of_numbers(maker: ast.Call) -> bool:
    """Return whether a loss is a mean of all numbers, as these are unless told otherwise."""
    text = ast.unparse(maker)
    is_told = "reduc" in text or "size_average" in text
    return bool(OF_NUMBERS.match(last_part(maker.func))) and not is_told


def _has_divergence(node: ast.AST) -> bool:
    return any(divergence([*terms_of(each, 1)]) for each in parts(node, ast.BinOp))


def _terms(value: TextValue, flow: Flow, depth: int = 0) -> Iterator[_Term]:
    """Yield the terms of a sum, through names and functions; a sum by rows is one factor."""
    if depth > DEEPEST or _is_of_rows(value, flow):
        yield [value]
        return
    match value.node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            yield from _terms(value.of(left), flow, depth + 1)
            yield from _terms(value.of(right), flow, depth + 1)
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div(), right=right):
            for one in _terms(value.of(left), flow, depth + 1):
                yield from (one + each for each in _terms(value.of(right), flow, depth + 1))
        case ast.UnaryOp(operand=inner):
            yield from _terms(value.of(inner), flow, depth + 1)
        case _:
            made = flow.before(value)
            if not 0 < len(made) < 3:
                yield [value]
            for each in made if len(made) < 3 else ():
                yield from _terms(each, flow, depth + 1)


def _shrunk(term: _Term, flow: Flow) -> Iterator[int]:
    for each in term:
        rest = [one.node for one in term if one is not each]
        if isinstance(each.node, ast.Call) and not any(COUNT.search(ast.unparse(e)) for e in rest):
            # What is weighted may be meant so, unless the loss itself is one of classes.
            is_plain = all(isinstance(one, ast.Constant) for one in rest)
            if _is_mean_of_all(each, flow) or (is_plain and _is_mean(each.node)):
                yield each.node.lineno


def _maker(value: TextValue, flow: Flow) -> ast.Call | None:
    """Return the call that says how a loss is reduced: of a function, or of a class."""
    call = value.node
    if not isinstance(call, ast.Call):
        return None
    made = [call.func, *(each.node for each in flow.before(value.of(call.func)))]
    return next((each for each in made if isinstance(each, ast.Call)), call)


def _is_mean_of_all(value: TextValue, flow: Flow) -> bool:
    """Return whether this is `kl_div` as a mean of all numbers, as it is unless told otherwise."""
    maker = _maker(value, flow)
    if maker is None or last_part(maker.func) not in ("kl_div", "KLDivLoss"):
        return False
    how = named(maker)
    reduced = how.pop("reduction", ast.Constant("mean"))
    return how.keys() <= {"log_target", "input", "target"} and ast.unparse(reduced) == "'mean'"


def _is_mean(call: ast.Call) -> bool:
    """Return whether this is the mean of all numbers of an autoencoder's divergence."""
    inner, *rest = _averaged(call) or [call, call]
    return (
        _has_divergence(inner)
        and not rest
        and not call.keywords
        and "sum" not in ast.unparse(inner)
    )


def _averaged(call: ast.Call) -> list[ast.expr]:
    """Return what a mean is taken of, and further arguments; a call that is none is itself."""
    return worked_on(call) if last_part(call.func) == "mean" else [call, call]


def _is_of_rows(value: TextValue, flow: Flow) -> bool:
    """Return whether a term is a mean of rows: of classes, or of a sum over each row."""
    match value.node:
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            made = flow.before(value.of(left)) if isinstance(left, ast.Name) else []
            whole = ast.unparse(made[0].node if len(made) == 1 else left)
            return bool(SUMMED.search(whole)) and not OF_ALL.search(ast.unparse(right))
        case ast.Attribute(attr="loss"):
            return True
        case ast.Call() as call:
            inner = (
                e for one in _averaged(call)[:1] for e in parts(one, ast.Call) if e is not call
            )
            if any(last_part(e.func) == "sum" and (e.args or e.keywords) for e in inner):
                return True
            maker = _maker(value, flow) or call
            return bool(BY_ROWS.match(last_part(maker.func))) and "reduc" not in ast.unparse(maker)
    return False
