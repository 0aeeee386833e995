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
    last_part,
    names,
    own_nodes,
    parents,
    parts,
    stored,
)

SEEDING = {"seed", "manual_seed", "seed_everything", "set_seed", "default_rng", "RandomState"}
GENERATORS = {"default_rng", "RandomState", "Random", "Generator", "manual_seed", "RandomGenerator"}
OF_WORKERS = re.compile(r"initial_seed|worker_info|worker_id|get_state|urandom|entropy|time")
"""What another worker has otherwise."""


def workers_alike(tree: ast.Module) -> list[int]:
    """Find the lines by which each worker process of a loader draws what the others draw.

    That there were several has to be measured.
    """
    given = {
        key.value.id
        for call in parts(tree, ast.Call)
        for key in call.keywords
        if key.arg == "worker_init_fn" and isinstance(key.value, ast.Name)
    }
    found = set[int]()
    for call in parts(tree, ast.Call):
        for key in call.keywords:
            if key.arg == "worker_init_fn" and isinstance(key.value, ast.Lambda):
                own = {each.arg for each in key.value.args.args}
                seeds = [c for c in parts(key.value, ast.Call) if last_part(c.func) in SEEDING]
                inner = key.value.body
                is_own = bool(OF_WORKERS.search(ast.unparse(inner)) or names(inner) & own)
                found |= {each.lineno for each in seeds if not is_own}
                given.add("")
    for function in parts(tree, ast.FunctionDef):
        if function.name in given:
            text, own = ast.unparse(function), {each.arg for each in function.args.args}
            seeds = [c for c in parts(function, ast.Call) if last_part(c.func) in SEEDING]
            is_own = bool(OF_WORKERS.search("\n".join(text.splitlines()[1:])))
            used = set[str]().union(*(names(each) for each in function.body))
            if seeds and not is_own and not used & own:
                found.add(seeds[0].lineno)
    if not given:
        found |= {line for kind in parts(tree, ast.ClassDef) for line in _kept(kind, tree)}
    return sorted(found)


def _kept(kind: ast.ClassDef, tree: ast.Module) -> Iterator[int]:
    """Yield the lines at which a dataset makes a generator that each of its rows draws from."""
    methods = {each.name: each for each in kind.body if isinstance(each, ast.FunctionDef)}
    begin, getter = methods.get("__init__"), methods.get("__getitem__")
    if begin is None or getter is None:
        return
    read = {ast.unparse(each) for each in parts(getter, ast.Attribute)}
    sets = [
        (ast.unparse(target), each)
        for each in parts(tree, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Attribute)
    ]
    for each in parts(begin, ast.Assign):
        target = ast.unparse(each.targets[0])
        name = target.removeprefix("self.")
        made = {last_part(call.func) for call in parts(each.value, ast.Call)}
        times = sum(one.rpartition(".")[2] == name for one, _node in sets)
        if target in read and made & GENERATORS and times == 1 and target != name:
            yield each.lineno


def set_each_time(tree: ast.Module) -> list[int]:
    """Find the lines that set one and the same seed for each row, or in each turn of a training."""
    within = parents(tree)
    found = set[int]()
    for call in parts(tree, ast.Call):
        outer = list(around(call, within))
        if last_part(call.func) not in SEEDING or not call.args or not _is_fixed(call, outer):
            continue
        if any(isinstance(e, ast.With) and "fork_rng" in ast.unparse(e.items[0]) for e in outer):
            continue
        inner = next(
            (e for e in outer if isinstance(e, ast.FunctionDef | ast.For | ast.While)), None
        )
        is_item = isinstance(inner, ast.FunctionDef) and inner.name == "__getitem__"
        if is_item or (isinstance(inner, ast.For) and _trains_behind(inner, call)):
            found.add(call.lineno)
    return sorted(found)


def _is_fixed(call: ast.Call, outer: list[ast.AST]) -> bool:
    """Return whether a seed is a number that the script gives, the same for all."""
    seed = call.args[0]
    if isinstance(seed, ast.Attribute):
        # A setting, which no loop around goes over or sets.
        loops = [each for each in outer if isinstance(each, ast.For | ast.While)]
        places = [e for each in loops for e in parts(each, ast.Attribute)]
        sets = {ast.unparse(each) for each in places if isinstance(each.ctx, ast.Store)}
        made = {name for each in loops for name in stored(each)}
        return bool(loops) and ast.unparse(seed) not in sets and not names(seed) & made
    is_named = isinstance(seed, ast.Name) and seed.id.isupper()
    return is_named or (isinstance(seed, ast.Constant) and isinstance(seed.value, int))


def _trains_behind(loop: ast.For, call: ast.Call) -> bool:
    """Return whether a loop over epochs, or batches, trains after this call in each turn."""
    if "epoch" not in ast.unparse(loop.target).lower() and not sends_backward(loop):
        return False
    behind = (e for e in own_nodes(loop.body) if isinstance(e, ast.Call) and e.lineno > call.lineno)
    called = {last_part(each.func) for each in behind}
    # What is made anew in each turn is trained anew, as for several seeds or folds.
    return not called & OPTIMIZERS and any(name == "backward" or "train" in name for name in called)
