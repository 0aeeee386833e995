"""Sums that go on from one epoch to the next, or stand beside a mean, by a script's text.

`correct = 0` before the loop over the epochs, `correct += ...` in the loop over the batches, and
`correct / len(data)` after it: from the second epoch on, earlier ones count, too.
"""

import ast
import re
from collections.abc import Iterator, Sequence

from course_probe.reading.names import Names
from course_probe.reading.script_text import (
    Loop,
    around,
    calls_in,
    last_part,
    loops_in,
    loops_of,
    methods_of,
    named,
    names,
    parents,
    parts,
    scopes,
    stored,
)

MEAN = re.compile(
    r"^(?:mse|l1|smooth_l1|huber|nll)_loss$|cross_entropy"
    r"|^(?:MSE|(?:Smooth)?L1|Huber|CrossEntropy|BCE\w*|NLL)Loss$"
)
"""Losses that are a mean, unless told otherwise."""
SCORED = re.compile(r"(?i)loss|correct|right|\bhits?\b|acc|\.item\(\)|criterion")
TIME = re.compile(r"(?i)time|stop|ema|average_model|best|overall|global|history")
"""What marks something that is meant to last from epoch to epoch."""
RESETS = re.compile(r"\.(?:reset|clear)$|(?<!super\(\))\.__init__$")
"""Calls that begin a metric anew."""
ADDING = {"update", "add", "__call__"}
"""Methods of a metric that add a batch to it."""


def carried_totals(tree: ast.Module) -> list[int]:
    """Find the lines that add to a sum which no epoch begins anew, though it is told as a mean."""
    return sorted({line for scope in scopes(tree) for line in _carried(scope.body)})


def _carried(body: Sequence[ast.stmt]) -> Iterator[int]:
    for epochs in loops_of(body):
        if not _is_of_epochs(epochs):
            continue
        # What is set, anywhere in an epoch, begins anew.
        anew = {name for node in _sets(epochs) for name in stored(node)}
        turns = names(epochs.target) if isinstance(epochs, ast.For) else set(stored(epochs))
        lasting = _added(epochs).keys() - anew
        within = parents(epochs)
        for batches in (each for each in parts(epochs, ast.For) if each is not epochs):
            carried = {n: each for n, each in _added(batches).items() if n in lasting}
            outer = [each for each in around(batches, within) if each is not epochs]
            trains = any(
                each.attr in ("backward", "step")
                for loop in (batches, *(each for each in outer if isinstance(each, ast.For)))
                for each in parts(loop, ast.Attribute)
            )
            for ratio in parts(epochs, ast.BinOp) if carried else ():
                # The evaluation may be within the loop of the training: what comes after it.
                told = ratio.left.right if isinstance(ratio.left, ast.BinOp) else ratio.left
                name = told.id if isinstance(told, ast.Name) else ""
                is_after = ratio.lineno > (batches.end_lineno or batches.lineno)
                if not isinstance(ratio.op, ast.Div) or name not in carried or not is_after:
                    continue
                over = names(ratio.right)
                # A training may be told as a mean since its beginning.
                is_since = trains and over & lasting
                if over and not over & turns and not is_since and _is_scored(carried[name]):
                    yield carried[name].lineno


def interval_totals(tree: ast.Module) -> list[int]:
    """Find the lines that add to a sum of which a mean is taken every so often, but of all so far.

    `if step % 100 == 99:` and `running_loss / 100`, and nothing in the loop begins it anew.
    """
    found = set[int]()
    loops = loops_in(tree)
    anew = {loop: {name for node in _sets(loop) for name in stored(node)} for loop in loops}
    for loop in loops:
        less = {ast.unparse(e.target) for e in parts(loop, ast.AugAssign) if _is_less(e)}
        lasting = {n: e for n, e in _added(loop).items() if n not in anew[loop] | less}
        # An interval may be a whole epoch, if it is no number.
        whole = {n for each in loops if loop in ast.walk(each) for n in anew[each]}
        for test in parts(loop, ast.If) if lasting else ():
            turns = [each for each in parts(test.test, ast.BinOp) if isinstance(each.op, ast.Mod)]
            every = {ast.unparse(each.right) for each in turns}
            for ratio in (each for node in test.body for each in parts(node, ast.BinOp)):
                name, number = ast.unparse(ratio.left), ratio.right
                is_sure = isinstance(number, ast.Constant) or name not in whole
                if isinstance(ratio.op, ast.Div) and ast.unparse(number) in every and is_sure:
                    found |= {lasting[name].lineno} if name in lasting else set()
    return sorted(found)


def _is_less(node: ast.AugAssign) -> bool:
    return not isinstance(node.op, ast.Add)


def _added(node: ast.AST) -> dict[str, ast.AugAssign]:
    """Return the names that something is added to, with the last line that does."""
    return {
        each.target.id: each
        for each in parts(node, ast.AugAssign)
        if isinstance(each.op, ast.Add) and isinstance(each.target, ast.Name)
    }


def _is_of_epochs(loop: Loop) -> bool:
    """Return whether a loop goes over epochs, by what it calls them."""
    head = [loop.target, loop.iter] if isinstance(loop, ast.For) else [loop.test]
    return any("epoch" in ast.unparse(each).lower() for each in head)


def _is_scored(added: ast.AugAssign) -> bool:
    """Return whether a loss is added up, or what is right: no rows, no seconds."""
    text = ast.unparse(added.value)
    is_compared = any(isinstance(each, ast.Compare) for each in ast.walk(added.value))
    return is_compared or bool(SCORED.search(text))


def _sets(loop: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(loop):
        match node:
            case ast.Assign():
                yield from node.targets
            case ast.AnnAssign() | ast.For() | ast.NamedExpr():
                yield node.target
            case ast.AugAssign(op=ast.Mult()):
                yield node.target
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=done)):
                if done in ("zero_", "fill_"):
                    yield ast.Name(name, ast.Store())


def never_reset(tree: ast.Module) -> list[int]:
    """Find the lines that add to a metric of the script's own that lasts, and is never reset.

    It adds up what it is given, by itself or among others, and is asked in a loop over epochs, or
    in a function that one calls. It has a method to begin anew, which only it calls itself, or none
    and gives a mean.
    """
    classes = [kind for kind in parts(tree, ast.ClassDef) if _is_meter(kind) or _means(kind)]
    meters, own = {e.name for e in classes}, {n for e in classes for n in ast.walk(e)}
    calls = [call for call in parts(tree, ast.Call) if call not in own]
    sums = {name for kind in classes for name in _means(kind).values()}
    others = [each for each in parts(tree, ast.Attribute) if each not in own]
    if not meters or any(e.attr in sums and isinstance(e.ctx, ast.Store) for e in others):
        return []
    begun_anew = [ast.unparse(call.func) for call in calls if RESETS.search(ast.unparse(call.func))]
    begun = (f.body for f in parts(tree, ast.FunctionDef) if f.name == "__init__")
    made = [each for each in parts(tree, ast.Assign) if each not in own]
    targets = [ast.unparse(target) for each in made for target in each.targets]
    lasting = {
        ast.unparse(target)
        for body in (tree.body, *begun)
        for each in body
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Call | ast.Dict | ast.List)
        for target in each.targets
        if any(last_part(call.func) in meters for call in _held(each.value))
        if not TIME.search(ast.unparse(target)) and targets.count(ast.unparse(target)) == 1
    }
    lasting |= {name for each in made if _whose(each.value) in lasting for name in stored(each)}
    anew = {RESETS.sub("", each) for each in begun_anew}
    if not anew <= lasting:
        # In a loop over several, or by another name, it may be any of them.
        return []
    lasting -= anew
    epochs = [loop for loop in loops_in(tree) if _is_of_epochs(loop)]
    asked_in = {name for loop in epochs for name in calls_in(loop)}
    functions = [each for each in parts(tree, ast.FunctionDef) if each.name in asked_in]
    asked = {n.attr for each in (*epochs, *functions) for n in parts(each, ast.Attribute)}
    if not all("reset" in methods_of(kind) or asked & _means(kind).keys() for kind in classes):
        return []
    return sorted(
        {
            call.lineno
            for body in (each.body for some in (epochs, functions) for each in some)
            for batches in body
            for loop in parts(batches, ast.For)
            for call in parts(loop, ast.Call)
            if call.args and lasting & _added_to(call.func)
        }
    )


def _added_to(func: ast.expr) -> set[str]:
    """Return what may be a metric that a call adds to: it is called itself, or by a method."""
    is_method = isinstance(func, ast.Attribute) and func.attr in ADDING
    metric = func.value if is_method and isinstance(func, ast.Attribute) else func
    return {ast.unparse(metric), _whose(metric)}


def _held(value: ast.expr) -> list[ast.Call]:
    """Return the call that makes a value, or those that make its parts."""
    made = value.values if isinstance(value, ast.Dict) else getattr(value, "elts", [value])
    return [each for each in made if isinstance(each, ast.Call)]


def _whose(value: ast.expr) -> str:
    """Return what a value is one of: `self.metrics` of `self.metrics[phase]`."""
    return ast.unparse(value.value) if isinstance(value, ast.Subscript) else ""


def _means(kind: ast.ClassDef) -> dict[str, str]:
    """Return the methods that give a mean of what another one has added up, with the sum's name."""
    sums = {
        ast.unparse(each.target)
        for method_ in methods_of(kind).values()
        if method_.name in ADDING and not TIME.search(kind.name)
        for each in parts(method_, ast.AugAssign)
        # Of any number, as a reward, the mean may be one of all there were.
        if isinstance(each.op, ast.Add)
        if SCORED.search(ast.unparse(each).replace(".item()", "")) or parts(each, ast.Compare)
    }
    return {
        method_.name: ast.unparse(each.left).removeprefix("self.")
        for method_ in methods_of(kind).values()
        for each in parts(method_, ast.BinOp)
        if isinstance(each.op, ast.Div) and ast.unparse(each.left) in sums
    }


def _is_meter(kind: ast.ClassDef) -> bool:
    """Return whether a class has a method that adds to its sums, and one that begins them anew."""
    methods = methods_of(kind)
    adds = [methods[name] for name in ADDING & methods.keys()]
    sums = [sum_ for each in adds for sum_ in parts(each, ast.AugAssign)]
    return (
        "reset" in methods
        and not TIME.search(kind.name)
        and any(isinstance(e.op, ast.Add) and not isinstance(e.value, ast.Constant) for e in sums)
    )


def uneven_terms(tree: ast.Module) -> list[int]:
    """Find the lines that add a loss which is a mean and a sum over the whole batch."""
    criteria = {
        name
        for each in parts(tree, ast.Assign)
        if isinstance(each.value, ast.Call) and is_mean(each.value)
        for name in map(ast.unparse, each.targets)
    }
    found = set[int]()
    for scope in (tree, *parts(tree, ast.FunctionDef)):
        names = Names(parts(scope, ast.Assign))
        for node in parts(scope, ast.BinOp):
            if isinstance(node.op, ast.Add):
                pair = [names.last(ast.unparse(e)) or e for e in (node.left, node.right)]
                for one, other in (pair, pair[::-1]):
                    mean = isinstance(one, ast.Call) and (
                        is_mean(one) or ast.unparse(one.func) in criteria
                    )
                    # Sums of weights, and of losses, are none over the batch.
                    is_other = re.search("weight|param|loss", ast.unparse(other))
                    if mean and _is_sum(other) and not is_other:
                        found.add(node.lineno)
    return sorted(found)


def softened_away(tree: ast.Module) -> list[int]:
    """Find the lines that divide a loss of softened answers by their temperature squared.

    Its gradients are as much smaller already: it is to be multiplied by that.
    """
    soft = {
        ast.unparse(each.right)
        for call in parts(tree, ast.Call)
        if last_part(call.func) in ("softmax", "log_softmax") and call.args
        for each in parts(call.args[0], ast.BinOp)
        if isinstance(each.op, ast.Div)
    }
    squared = {text for t in soft for text in (f"{t} ** 2", f"{t} * {t}", f"{t} ** 2.0")}
    sums = parts(tree, ast.BinOp)
    if any(isinstance(e.op, ast.Mult) and ast.unparse(e.right) in squared for e in sums):
        return []
    return sorted(
        each.lineno
        for each in sums
        if isinstance(each.op, ast.Div) and ast.unparse(each.right) in squared
        if re.search(r"log|kl|soft|cross|loss|sum\(", ast.unparse(each.left))
    )


def is_mean(call: ast.Call) -> bool:
    """Return whether a call gives, or makes, a loss that is a mean."""
    told = {n: v for n, v in named(call).items() if n in ("reduction", "size_average", "reduce")}
    is_told_so = [*map(ast.unparse, told.values())] == ["'mean'"]
    return bool(MEAN.search(last_part(call.func))) and (not told or is_told_so)


def _is_sum(node: ast.expr) -> bool:
    """Return whether this is the sum of all there is, or a multiple of it."""
    match node:
        case ast.UnaryOp():
            return _is_sum(node.operand)
        case ast.BinOp(left=ast.Constant() | ast.UnaryOp(operand=ast.Constant()), op=ast.Mult()):
            return _is_sum(node.right)
        case ast.BinOp(op=ast.Mult(), right=ast.Constant()):
            return _is_sum(node.left)
        case ast.Call(func=ast.Attribute(value=owner, attr="sum"), args=args, keywords=[]):
            return len(args) == (ast.unparse(owner) == "torch")
    return False
