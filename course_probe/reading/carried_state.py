"""A state that goes on from one batch to the next, of other rows, by a script's text.

`out, self.h = self.rnn(x, self.h)`: where the rows of the next batch are drawn by chance, they
begin with what others have left.
"""

import ast
import re
from collections.abc import Iterator, Mapping

from course_probe.reading.loader_order import shuffled
from course_probe.reading.loops import sends_backward
from course_probe.reading.names import reached
from course_probe.reading.script_text import (
    around,
    calls_in,
    methods_of,
    names,
    networks_of,
    parents,
    parts,
    stored,
)

DRAWS = {"randperm", "permutation"}


def carried_states(tree: ast.Module) -> list[int]:
    """Find the lines that begin with the state of the batch before, where batches are drawn.

    Of a network that has it as an attribute, which nothing sets back before each batch, or of a
    loop over batches.
    """
    loops = [each for each in parts(tree, ast.For) if sends_backward(each)]
    if not loops or not all(_is_drawn(each, tree) for each in loops):
        return []
    return sorted({*_of_attributes(tree, loops), *_of_loops(tree, loops)})


def _is_drawn(loop: ast.For, tree: ast.Module) -> bool:
    """Return whether the batches of a loop are drawn by chance."""
    over = ast.unparse(loop.iter)
    given = {each.arg for each in parts(tree, ast.arg)}
    drawn = shuffled(tree) | (given if shuffled(tree) else set())
    is_told = any(draw in over for draw in (*DRAWS, "shuffle=True")) or names(loop.iter) & drawn
    places, orders = _made_by(loop, {"randint"}), _made_by(tree, DRAWS)
    return bool(is_told) or any(
        names(each.slice) & places or names(each.value) & orders
        for each in parts(loop, ast.Subscript)
    )


def _made_by(tree: ast.AST, makers: set[str]) -> set[str]:
    """Return the names of what calls of these give."""
    return {
        name
        for each in parts(tree, ast.Assign)
        if bool(calls_in(each.value) & makers)
        for name in stored(each)
    }


def _of_attributes(tree: ast.Module, loops: list[ast.For]) -> Iterator[int]:
    called, within = _called(tree, loops), parents(tree)
    for kind in parts(tree, ast.ClassDef):
        methods = methods_of(kind)
        forward = methods.get("forward")
        if forward is None:
            continue
        # What sets the state back between two epochs does not do so between two batches.
        seldom = (each for name, each in methods.items() if name not in called - {"__init__"})
        own = {e for each in (forward, *seldom) for e in ast.walk(each)}
        sets = [e for e in parts(tree, ast.Attribute) if isinstance(e.ctx, ast.Store)]
        elsewhere = {each.attr for each in sets if each not in own}
        inside = {*ast.walk(forward)}
        kept = {ast.unparse(e) for e in sets if e in inside and e.attr not in elsewhere}
        # The call of another method that sets it back is one as well.
        for each in parts(forward, ast.Assign):
            for call in parts(each.value, ast.Call):
                given = {ast.unparse(one) for one in call.args[1:]}
                is_set_back = any(
                    re.search("^None$|zeros", ast.unparse(one.value))
                    and {*map(ast.unparse, one.targets)} & given
                    and not _is_first(one, given, within)
                    for one in parts(forward, ast.Assign)
                )
                if given & kept and not is_set_back:
                    yield call.lineno


def _is_first(node: ast.AST, given: set[str], within: Mapping[ast.AST, ast.AST]) -> bool:
    """Return whether something is done only where there is no state yet, or one of another size."""
    tests = [ast.unparse(each.test) for each in around(node, within) if isinstance(each, ast.If)]
    return any(f"{name} is None" in test for name in given for test in tests)


def _called(tree: ast.Module, loops: list[ast.For]) -> set[str]:
    """Return the names of all that is called in these loops, by what is called there as well."""
    begin = {"forward"}.union(*map(calls_in, loops))
    functions = parts(tree, ast.FunctionDef)
    return reached(begin, ((calls_in(each), {each.name}) for each in functions))


def _of_loops(tree: ast.Module, loops: list[ast.For]) -> Iterator[int]:
    networks = networks_of(tree)
    for loop in loops:
        for each in parts(loop, ast.Assign):
            target, call = each.targets[0], each.value
            if not isinstance(target, ast.Tuple) or not isinstance(call, ast.Call):
                continue
            if ast.unparse(call.func) not in networks:
                continue
            given = {name for one in call.args[1:] for name in names(one)}
            for name in set(stored(target)) & given:
                others = [
                    ast.unparse(one.value)
                    for one in parts(loop, ast.Assign)
                    if one is not each and name in stored(one)
                ]
                # Cut off, there or in the call, it goes on all the same.
                cut = [one for one in map(ast.unparse, call.args[1:]) if "detach" in one]
                ways = others or [one for one in cut if name in one]
                if ways and all("detach" in one and name in one for one in ways):
                    yield each.lineno
