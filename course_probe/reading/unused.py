"""Lines whose result goes nowhere, by a script's text: without them, it does the same.

Tensors, frames and datasets have many methods that give a new value and leave the old one as it is.
A name that a loop sets is another one for the same thing: to give it a new value changes nothing.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from course_probe.reading.script_text import (
    bound,
    calls_in,
    last_part,
    loops_of,
    methods_of,
    names,
    own_nodes,
    parts,
    scopes,
    stored,
)

GIVING = {
    *("masked_fill", "clamp", "unsqueeze", "permute", "transpose", "reshape", "detach", "softmax"),
    *("dropna", "fillna", "drop_duplicates", "sort_values", "reset_index", "astype"),
    *("rename_column", "rename_columns", "remove_columns", "cast_column", "strip", "lower"),
}
"""Methods that give a new value, and change nothing."""
FUNCTIONS = {"normalize", "relu", "softmax", "dropout", "clamp", "clip", "masked_fill", "where"}
"""Functions of PyTorch and numpy that do the same."""
OTHERS = re.compile(r"(?i)hook|handle|proc|stream|final|buffer")
"""What marks something that is no tensor, and has a method of one of these names."""
MOST = 4
SUMS = (ast.Add, ast.Sub, ast.Mult, ast.Div)
LONGEST = 40
"""Letters of a sum that are quoted."""
LIBRARIES = {"torch", "F", "np", "numpy", "functional"}
KEPT = re.compile(r"(?i)best|backup|saved|orig|stored|snapshot|shadow")
"""What marks a copy that is to come back."""
CELL = re.compile(r"(?m)^# ?(?:%%|In ?\[|<codecell>)|get_ipython")
"""What marks the text of a notebook."""
BEGINS = {"zeros", "zeros_like", "new_zeros", "randn"}
"""What a state begins as."""
MOVING = {"to", "cuda", "cpu", "Variable", "type"}
COPIES = {"deepcopy", "clone", "state_dict"}


def thrown_away(tree: ast.Module, *, in_cells: bool) -> list[tuple[int, str]]:
    """Find the lines that call what only gives a new value, and leave that, with its name."""
    # A notebook shows what the last line of a cell gives.
    shown = {id(each) for each in (tree.body if in_cells else tree.body[-1:])}
    # What may fail is called for that.
    shown |= {id(each) for block in parts(tree, ast.Try) for each in block.body}
    # Methods of the script's own may do anything.
    own = {each.name for kind in parts(tree, ast.ClassDef) for each in parts(kind, ast.FunctionDef)}
    found = []
    for each in parts(tree, ast.Expr):
        call = each.value
        is_sum = isinstance(call, ast.BinOp) and isinstance(call.op, SUMS)
        if is_sum and id(each) not in shown and each not in tree.body:
            found.append((each.lineno, ast.unparse(call)[:LONGEST]))
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        name, owner = call.func.attr, call.func.value
        told = {key.arg for key in call.keywords} & {"inplace", "out"}
        is_function = last_part(owner) in LIBRARIES and name in FUNCTIONS
        is_method = name in GIVING - own and not OTHERS.search(ast.unparse(owner))
        is_method |= name == "drop" and _is_of_table(call)
        # The fourth argument of `clip` is where the result goes.
        is_function &= len(call.args) < MOST
        # `F.relu(x, True)` changes it in place.
        is_in_place = any(isinstance(e, ast.Constant) and e.value is True for e in call.args[1:])
        if not told and not is_in_place and (is_function or is_method) and id(each) not in shown:
            found.append((each.lineno, name))
    return sorted(found)


def _is_of_table(call: ast.Call) -> bool:
    """Return whether columns or rows of a table are left out: `drop("a", axis=1)`, of an index."""
    told = {key.arg for key in call.keywords} & {"axis", "columns", "index"}
    return bool(told) or any(last_part(each) == "index" for each in call.args)


def set_again(tree: ast.AST) -> list[tuple[int, str]]:
    """Find the lines that give the name of a loop a value made of it, which nothing reads."""
    return sorted({each for loop in parts(tree, ast.For) for each in _set_again(tree, loop)})


def _set_again(tree: ast.AST, loop: ast.For) -> Iterator[tuple[int, str]]:
    targets = names(loop.target)
    for each in own_nodes(loop.body):
        if not isinstance(each, ast.Assign) or not isinstance(each.targets[0], ast.Name):
            continue
        name = each.targets[0].id
        if name not in targets or name not in names(each.value):
            continue
        # What is only brought elsewhere may stay there unread.
        if isinstance(each.value, ast.Call) and last_part(each.value.func) in MOVING:
            continue
        own = {id(node) for node in ast.walk(each)}
        later = (
            node
            for node in parts(tree, ast.Name)
            if node.id == name and isinstance(node.ctx, ast.Load) and id(node) not in own
        )
        # What is read further up is read before, unless an inner loop comes back to it.
        is_read = any(node.lineno >= each.lineno for node in later if _is_near(tree, loop, node))
        if not is_read and not any(each in own_nodes(i.body) for i in _inner(loop)):
            yield each.lineno, name


def _inner(loop: ast.For) -> list[ast.For | ast.While]:
    return [*(each for each in parts(loop, ast.For) if each is not loop), *parts(loop, ast.While)]


def _is_near(tree: ast.AST, loop: ast.For, node: ast.Name) -> bool:
    """Return whether a name is read in the scope of a loop, or in a function within."""
    for function in parts(tree, ast.FunctionDef):
        if loop in own_nodes(function.body):
            return node in ast.walk(function)
    return True


def unread_copies(tree: ast.Module) -> list[tuple[int, str]]:
    """Find the lines that keep a copy of weights that is to come back, and that nothing reads."""
    read = {each.id for each in parts(tree, ast.Name) if isinstance(each.ctx, ast.Load)}
    exported = {name for each in parts(tree, ast.Global) for name in each.names}
    found = []
    for each in parts(tree, ast.Assign):
        name = each.targets[0].id if isinstance(each.targets[0], ast.Name) else ""
        if not KEPT.search(name) or name in read | exported:
            continue
        called = calls_in(each.value)
        of_weights = called & {"state_dict", "parameters", "named_parameters"}
        if called & COPIES and of_weights:
            found.append((each.lineno, name))
    return sorted(found)


def unread_states(tree: ast.Module) -> list[tuple[int, str]]:
    """Find the lines that set a state anew in each turn of a loop, where nothing ever reads it.

    It begins before the loop as the other states of the call do, and these come back to it:
    `h, c = cell(x, (h, other))`.
    """
    found = set[tuple[int, str]]()
    for scope in scopes(tree):
        read = {e.id for e in parts(scope, ast.Name) if isinstance(e.ctx, ast.Load)}
        begun = defaultdict[str, set[str]](set)
        for each in (e for e in own_nodes(scope.body) if isinstance(e, ast.Assign)):
            for target, value in bound(each):
                made = last_part(value.func) if isinstance(value, ast.Call) else ""
                for name in stored(target):
                    begun[name].add(made)
        for loop in loops_of(scope.body):
            for each in (e for e in own_nodes(loop.body) if isinstance(e, ast.Assign)):
                if not isinstance(each.value, ast.Call):
                    continue
                states = {*stored(each)}
                kept = {n for n in states & names(each.value) if begun[n] & BEGINS}
                for name in states - read if kept else ():
                    if any(begun[name] & begun[other] & BEGINS for other in kept):
                        found.add((each.lineno, name))
    return sorted(found)


def unread_layers(tree: ast.Module) -> list[tuple[int, str]]:
    """Find the lines of a network that ask a layer of its own for what nothing reads."""
    found = []
    for kind in parts(tree, ast.ClassDef):
        methods = methods_of(kind)
        held = {e.attr for e in parts(methods.get("__init__", kind), ast.Attribute)}
        forward = methods.get("forward")
        if forward is None:
            continue
        for each in own_nodes(forward.body):
            match each:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    asked = {ast.unparse(e.func) for e in parts(value, ast.Call)}
                    used = [e for e in parts(forward, ast.Name) if e.id == name]
                    is_layer = any(f"self.{layer}" in asked for layer in held)
                    if is_layer and not name.startswith("_") and len(used) == 1:
                        found.append((each.lineno, name))
    return found


def made_for_nothing(tree: ast.Module, text: str = "") -> list[tuple[int, str]]:
    """Find all lines whose result nothing uses, with the name of what does not change."""
    thrown = thrown_away(tree, in_cells=bool(CELL.search(text)))
    return sorted({*thrown, *set_again(tree), *unread_copies(tree), *unread_layers(tree)})
