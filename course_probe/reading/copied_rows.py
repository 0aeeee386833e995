"""Rows that are copied before they are split, by a script's text.

`resample(rare)` or `x[rng.choice(rare, n)]` gives rows several times. Of what is split then, copies
of one row lie in both parts.
"""

import ast
from collections.abc import Iterator, Sequence

from course_probe.reading.names import reached
from course_probe.reading.script_text import (
    calls_in,
    in_order,
    last_part,
    names,
    parts,
    says,
    stored,
)

SPLITS = {"train_test_split", "random_split"}
ALWAYS = {"resample", "fit_resample", "repeat_interleave", "repeat", "tile"}
DRAWS = {"choice", "choices", "multinomial"}


def copied_before_split(tree: ast.Module) -> list[int]:
    """Find the lines that split rows of which some were copied before.

    That copies are in both parts has to be measured.
    """
    functions = parts(tree, ast.FunctionDef)
    copying = {each.name for each in functions if _copies(each, set(), _drawn(each.body))}
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
    copied, drawn = set[str](), _drawn(body)
    for each in in_order(body):
        if isinstance(each, ast.For | ast.While | ast.If | ast.With | ast.Try):
            continue
        splits = [call for call in parts(each, ast.Call) if last_part(call.func) in known]
        for call in splits:
            if any(names(given) & copied for given in call.args):
                yield call.lineno
                copied = set()
        if isinstance(each, ast.Assign):
            made = set(stored(each))
            is_copied = _copies(each, copying, drawn) or bool(names(each.value) & copied)
            copied = copied | made if is_copied and not splits else copied - made


def _drawn(body: Sequence[ast.stmt]) -> set[str]:
    """Return the names of places that may be drawn several times each."""
    made = [each for one in body for each in parts(one, ast.Assign)]
    begin = {name for each in made if _draws_again(each.value) for name in stored(each)}
    return reached(begin, (({*stored(each)}, names(each.value)) for each in made))


def _copies(node: ast.AST, copying: set[str], drawn: set[str]) -> bool:
    """Return whether a piece of text takes rows several times, by places that are drawn so."""
    if calls_in(node) & (ALWAYS | copying):
        return True
    calls = (each for each in parts(node, ast.Call) if last_part(each.func) == "sample")
    return any(says(each, "replace", True) for each in calls) or any(
        isinstance(taken.ctx, ast.Load)
        and (_draws_again(taken.slice) or bool(names(taken.slice) & drawn))
        for taken in parts(node, ast.Subscript)
    )


def _draws_again(node: ast.AST) -> bool:
    """Return whether a piece of text may draw one thing several times."""
    calls = (each for each in parts(node, ast.Call) if last_part(each.func) in DRAWS)
    return any(not says(each, "replace", False) for each in calls)
