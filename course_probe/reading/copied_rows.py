"""Rows that are copied before they are split, by a script's text.

`resample(rare)` or `x[rng.choice(rare, n)]` gives rows several times. Of what is split then, copies
of one row lie in both parts.
"""

import ast
from collections.abc import Iterator, Sequence, Set

from course_probe.reading.script_text import (
    in_order,
    last_part,
    method,
    named,
    names,
    parts,
    stored,
)

SPLITS = {"train_test_split", "random_split"}
ALWAYS = {"resample", "fit_resample", "repeat_interleave", "repeat", "tile"}
DRAWS = {"choice", "choices", "multinomial", "sample"}


def copied_before_split(tree: ast.Module) -> list[int]:
    """Find the lines that split rows of which some were copied before.

    That copies are in both parts has to be measured.
    """
    functions = parts(tree, ast.FunctionDef)
    copying = {each.name for each in functions if _copies(each, set())}
    splits = SPLITS | {each.name for each in functions if _halves(each)}
    scopes = (tree.body, *(each.body for each in functions))
    return sorted({line for body in scopes for line in _split(body, copying, splits)})


def _halves(node: ast.AST) -> bool:
    """Return whether a piece of text takes all up to a place, and all from there on: `[:n]`."""
    taken = [
        (ast.unparse(each.value), each.slice)
        for each in parts(node, ast.Subscript)
        if isinstance(each.slice, ast.Slice)
    ]
    first = {(n, ast.dump(s.upper)) for n, s in taken if s.upper and not s.lower}
    return bool(first & {(n, ast.dump(s.lower)) for n, s in taken if s.lower and not s.upper})


def _split(body: Sequence[ast.stmt], copying: set[str], known: set[str]) -> Iterator[int]:
    copied, drawn = set[str](), set[str]()
    for each in in_order(body):
        if isinstance(each, ast.For | ast.While | ast.If | ast.With | ast.Try):
            continue
        calls = parts(each, ast.Call)
        splits = [call for call in calls if last_part(call.func) in known]
        for call in splits:
            if any(names(given) & copied for given in call.args):
                yield call.lineno
                copied = set()
        if isinstance(each, ast.Assign):
            made = set(stored(each))
            is_copied = _copies(each, copying, drawn) or bool(names(each.value) & copied)
            copied = copied | made if is_copied and not splits else copied - made
            is_drawn = any(map(_draws_again, calls)) or bool(names(each.value) & drawn)
            drawn = drawn | made if is_drawn and not is_copied else drawn - made


def _copies(node: ast.AST, copying: set[str], known: Set[str] = frozenset()) -> bool:
    """Return whether a piece of text takes rows several times, by places that are `known` so."""
    for call in parts(node, ast.Call):
        name = last_part(call.func)
        if name in ALWAYS | copying:
            return True
        told = named(call).get("replace", named(call).get("replacement"))
        if name == "sample" and method(call) and isinstance(told, ast.Constant) and told.value:
            return True
    drawn = set(known)
    for each in parts(node, ast.Assign):
        is_drawn = any(map(_draws_again, parts(each.value, ast.Call)))
        drawn |= set(stored(each)) if is_drawn or names(each.value) & drawn else set()
    return any(
        isinstance(taken.ctx, ast.Load)
        and (any(map(_draws_again, parts(taken.slice, ast.Call))) or names(taken.slice) & drawn)
        for taken in parts(node, ast.Subscript)
    )


def _draws_again(call: ast.Call) -> bool:
    """Return whether a call may draw one thing several times."""
    told = named(call).get("replace")
    is_once = isinstance(told, ast.Constant) and told.value is False
    return last_part(call.func) in DRAWS - {"sample"} and not is_once
