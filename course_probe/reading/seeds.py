"""Seeds and generators by which random numbers come again, by a script's text.

A seed that is set for each row, or in each turn of a training, begins the same numbers each time.
Each worker process of a loader has a copy of the dataset, with its generator as it was.
"""

import ast
import re
from collections.abc import Iterator

from course_probe.reading.calls import OPTIMIZERS
from course_probe.reading.loops import sends_backward
from course_probe.reading.script_text import (
    around,
    calls_in,
    functions_of,
    last_part,
    methods_of,
    named,
    names,
    own_nodes,
    parents,
    parts,
    stored,
)

AROUND = (ast.FunctionDef, ast.For, ast.While)
SEEDING = {"seed", "manual_seed", "seed_everything", "set_seed", "default_rng", "RandomState"}
GENERATORS = {"default_rng", "RandomState", "Random", "Generator", "manual_seed", "RandomGenerator"}
OF_WORKERS = re.compile(r"initial_seed|worker_info|worker_id|get_state|urandom|entropy|time")
"""What another worker has otherwise."""


def workers_alike(tree: ast.Module) -> list[int]:
    """Find the lines by which each worker process of a loader draws what the others draw.

    That there were several has to be measured.
    """
    calls = parts(tree, ast.Call)
    given = {last_part(named(call).get("worker_init_fn", ast.Constant(0))) for call in calls} - {""}
    found = set[int]()
    for function in parts(tree, ast.FunctionDef):
        if function.name in given:
            body, own = ast.Module(function.body, []), {e.arg for e in function.args.args}
            seeds = [c for c in parts(function, ast.Call) if last_part(c.func) in SEEDING]
            is_own = bool(OF_WORKERS.search(ast.unparse(body)) or names(body) & own)
            found |= {each.lineno for each in seeds[:1] if not is_own}
    if not given:
        found |= {line for kind in parts(tree, ast.ClassDef) for line in _kept(kind, tree)}
    return sorted(found)


def _kept(kind: ast.ClassDef, tree: ast.Module) -> Iterator[int]:
    """Yield the lines at which a dataset makes a generator that each of its rows draws from."""
    methods = methods_of(kind)
    begin, getter = methods.get("__init__"), methods.get("__getitem__")
    if begin is None or getter is None:
        return
    read = {ast.unparse(each) for each in parts(getter, ast.Attribute)}
    sets = [e.attr for e in parts(tree, ast.Attribute) if isinstance(e.ctx, ast.Store)]
    for each in parts(begin, ast.Assign):
        is_once = sets.count(last_part(each.targets[0])) == 1
        if is_once and ast.unparse(each.targets[0]) in read and calls_in(each.value) & GENERATORS:
            yield each.lineno


def set_each_time(tree: ast.Module) -> list[int]:
    """Find the lines that set one and the same seed for each row, or in each turn of a training.

    A function of the script's may set it, or a part of a training that a loop calls in each turn.
    A generator of PyTorch's has a seed of its own at first, always the same.
    """
    within, functions = parents(tree), functions_of(tree)
    seeding = SEEDING | {
        name
        for name, each in functions.items()
        if any(
            last_part(call.func) in SEEDING and names(call) & {one.arg for one in each.args.args}
            for call in parts(each, ast.Call)
        )
    }
    found = set[int]()
    for call in parts(tree, ast.Call):
        outer = list(around(call, within))
        is_made = ast.unparse(call.func) == "torch.Generator"
        if not is_made and (last_part(call.func) not in seeding or not call.args):
            continue
        if any(isinstance(e, ast.With) and "fork_rng" in ast.unparse(e.items[0]) for e in outer):
            continue
        inner = next((e for e in outer if isinstance(e, AROUND)), None)
        if isinstance(inner, ast.For | ast.While):
            tests = [e.test for e in outer[: outer.index(inner)] if isinstance(e, ast.If)]
            # In some of the turns only, as in the first one, it may be meant.
            is_again = not any(names(each) & {*stored(inner)} for each in tests)
            is_again = is_again and _trains_behind(inner, call)
        elif isinstance(inner, ast.FunctionDef):
            is_again = inner.name == "__getitem__" or _is_turn(inner, call, tree)
        else:
            is_again = False
        if not is_again or inner is None:
            continue
        is_unset = is_made and not re.search(r"seed\(|set_state\(", ast.unparse(inner))
        if is_unset or (not is_made and _is_fixed(call.args[0], inner, outer, tree)):
            found.add(call.lineno)
    return sorted(found)


def _is_fixed(seed: ast.expr, inner: ast.AST, outer: list[ast.AST], tree: ast.Module) -> bool:
    """Return whether a seed is a number that the script gives, the same for all."""
    if isinstance(seed, ast.Attribute):
        # A setting, which nothing sets but an object's beginning, and no loop around goes over.
        begins = [
            id(one)
            for each in parts(tree, ast.FunctionDef)
            if each.name == "__init__"
            for one in ast.walk(each)
        ]
        places = [each for each in parts(tree, ast.Attribute) if isinstance(each.ctx, ast.Store)]
        is_set = any(each.attr == seed.attr and id(each) not in begins for each in places)
        return not is_set and not names(seed) & set(stored(inner))
    if isinstance(seed, ast.Name) and not isinstance(inner, ast.FunctionDef):
        # A number that no loop around changes.
        return not any(seed.id in stored(e) for e in outer if isinstance(e, ast.For | ast.While))
    is_named = isinstance(seed, ast.Name) and seed.id.isupper()
    return is_named or (isinstance(seed, ast.Constant) and isinstance(seed.value, int))


def _is_turn(function: ast.FunctionDef, call: ast.Call, tree: ast.Module) -> bool:
    """Return whether a loop over epochs calls a function that sends losses after this call."""
    calls = parts(function, ast.Call)
    made = {last_part(each.func) for each in calls if each.lineno > call.lineno}
    loops = [each for each in parts(tree, ast.For) if function.name in _called(each)]
    return "backward" in made and not made & OPTIMIZERS and any(map(_goes_on, loops))


def _trains_behind(loop: ast.For | ast.While, call: ast.Call) -> bool:
    """Return whether a loop over epochs, or batches, trains after this call in each turn."""
    called = _called(loop, call.lineno)
    return _goes_on(loop) and any(name == "backward" or "train" in name for name in called)


def _goes_on(loop: ast.For | ast.While) -> bool:
    """Return whether a loop over epochs, or batches, goes on with what it trains."""
    turns = loop.target if isinstance(loop, ast.For) else loop.test
    is_training = "epoch" in ast.unparse(turns).lower() or sends_backward(loop)
    # What is made anew in each turn is trained anew, as for several seeds or folds.
    return is_training and not _called(loop) & OPTIMIZERS


def _called(loop: ast.For | ast.While, line: int = 0) -> set[str]:
    """Return the names of what a loop calls after a line."""
    calls = (each for each in own_nodes(loop.body) if isinstance(each, ast.Call))
    return {last_part(each.func) for each in calls if each.lineno > line}
