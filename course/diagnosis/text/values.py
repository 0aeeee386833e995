"""Where a script makes what an expression stands for, followed through its own calls.

A value that does not fit is often made far from the line that fails: above a loop, by a function of
the script's, or in the function that called. The lines of the traceback tell which call it was.
"""

import ast
import re
from collections.abc import Iterator, Sequence

from course.diagnosis.text.script_text import Function, ScriptText

DEEPEST = 8
"""Steps from one name to the next."""
FORWARD = ("forward", "call", "__call__", "__init__")
"""Methods that are called by calling their object, or its class."""
HANDING = re.compile(
    r"^(to|cuda|cpu|(un)?squeeze|view|reshape|flatten|detach|contiguous|transpose|permute|clone|t"
    r"|numpy|items?)$"
)
"""Methods that give the same numbers again."""
CONVERTING = {"from_numpy", "tensor", "as_tensor", "asarray", "array", "stack"}
"""Functions that make a tensor of values that are there: what is wrong may be either's."""
WRAPPING = {"enumerate", "tqdm", "iter", "next", "list", "tuple", "zip", "cycle"}
"""What a loop goes over, with something around it."""


def names(node: ast.AST) -> list[str]:
    """List the names, and own attributes, that code takes; of a loop or branch only its head."""
    heads: list[ast.AST] = [node]
    if isinstance(node, ast.For | ast.AsyncFor):
        heads = [node.iter]
    elif isinstance(node, ast.If | ast.While):
        heads = [node.test]
    elif isinstance(node, ast.With | ast.AsyncWith):
        heads = [item.context_expr for item in node.items]
    elif isinstance(node, Function | ast.ClassDef | ast.Try):
        heads = []
    found = (each for head in heads for each in ast.walk(head) if isinstance(each, ast.expr))
    return [
        ast.unparse(each)
        for each in found
        if (isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load))
        or (isinstance(each, ast.Attribute) and ast.unparse(each.value) == "self")
    ]


def follow(script: ScriptText, node: ast.AST, line: int) -> Iterator[int]:
    """Yield the lines that made the names of some code, and then the names that stand there."""
    known, at = names(node), 0
    while at < len(known):
        made = [each.value for each in script.made if each.name == known[at]]
        before = [value for value in made if value.lineno < line] or made
        if before and before[-1].lineno != line:
            yield before[-1].lineno
            known += [each for each in names(before[-1]) if each not in known]
        for loop in _loops_over(script.tree, known[at]):
            known += [each for each in names(loop.iter) if each not in known]
        at += 1


def origins(
    script: ScriptText, expression: ast.expr, lines: Sequence[int], deep: int = DEEPEST
) -> Iterator[ast.expr]:
    """Yield the origins of an expression; `lines` are its own and those that called, outwards.

    What only hands on (`y[rows]`, `y.to(device)`, a call of a function of the script's, the item of
    a dictionary) is followed; what it comes to is given, and nothing where that is not known.
    """
    if not lines or not deep:
        return
    if isinstance(expression, ast.Subscript):
        for each in origins(script, expression.value, lines, deep - 1):
            yield _item(each, expression.slice)
    elif isinstance(expression, ast.Call):
        yield from _of_call(script, expression, None, lines, deep)
    elif isinstance(expression, ast.Name | ast.Attribute):
        yield from _of_name(script, expression, lines, deep)
    else:
        yield expression


def _of_call(
    script: ScriptText, call: ast.Call, place: int | None, lines: Sequence[int], deep: int
) -> Iterator[ast.expr]:
    inner = _handed_on(script, call)
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    functions = script.functions(name)[:1]
    returns = [n for f in functions for n in ast.walk(f) if isinstance(n, ast.Return) and n.value]
    if inner is not None:
        yield from origins(script, inner, lines, deep - 1)
    elif len(returns) == 1 and isinstance(value := returns[0].value, ast.expr):
        if place is not None and isinstance(value, ast.Tuple) and place < len(value.elts):
            value = value.elts[place]
        yield from origins(script, value, (returns[0].lineno, *lines), deep - 1)
    else:
        yield call
        if ast.unparse(call.func).rpartition(".")[2] in CONVERTING and call.args:
            yield from origins(script, call.args[0], lines, deep - 1)


def _of_name(
    script: ScriptText, node: ast.Name | ast.Attribute, lines: Sequence[int], deep: int
) -> Iterator[ast.expr]:
    name, line = ast.unparse(node), lines[0]
    function = _function_at(script, line)
    # Not what makes it of itself, such as `x = x.float()`: it was there before.
    made = [
        each
        for each in script.made
        if each.name == name
        and not any(ast.unparse(inner) == name for inner in ast.walk(each.value))
        and ("." in name or _function_at(script, each.value.lineno) in (None, function))
    ]
    before = [each for each in made if each.value.lineno < line] or (made if "." in name else [])
    if before:
        _name, value, place = before[-1]
        inside = (value.lineno, *lines[1:])
        if isinstance(value, ast.Call):
            yield from _of_call(script, value, place, inside, deep)
        else:
            yield from origins(script, value, inside, deep - 1)
        return
    for loop in reversed(list(_loops_over(function or script.tree, name))):
        yield from origins(script, loop.iter, (loop.iter.lineno, *lines[1:]), deep - 1)
        return
    given = _argument(script, function, name, lines) if function is not None else None
    if given is not None:
        yield from origins(script, given, lines[1:], deep - 1)


def _argument(
    script: ScriptText, function: Function, name: str, lines: Sequence[int]
) -> ast.expr | None:
    """Find the value that a function was given for an argument by the line that called it."""
    known = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    statement = script.statement_at(lines[1]) if len(lines) > 1 else None
    if statement is None or name not in [*known, *(k.arg for k in function.args.kwonlyargs)]:
        return None
    bound = known[1:] if known[:1] in (["self"], ["cls"]) else known
    for _name, call in script.calls(statement):
        called = ast.unparse(call.func).rpartition(".")[2]
        if called != function.name and function.name not in FORWARD:
            continue
        named = next((each.value for each in call.keywords if each.arg == name), None)
        at = bound.index(name) if name in bound else len(call.args)
        plain = not any(isinstance(each, ast.Starred) for each in call.args)
        if named is not None or (at < len(call.args) and plain):
            return named if named is not None else call.args[at]
    return None


def _handed_on(script: ScriptText, call: ast.Call) -> ast.expr | None:
    """Find a value only handed on: `y` of `y.to(device)`, `loader` of `enumerate(loader)`.

    Of what is imported nothing is handed on: a function of a library makes a value.
    """
    if isinstance(call.func, ast.Attribute):
        owner = call.func.value
        root = re.match(r"\w+", ast.unparse(owner))
        is_value = root is not None and root[0] not in script.imported
        return owner if is_value and HANDING.match(call.func.attr) else None
    wraps = isinstance(call.func, ast.Name) and call.func.id in WRAPPING
    return call.args[0] if wraps and call.args else None


def _item(made: ast.expr, key: ast.expr) -> ast.expr:
    """Return the value of a dictionary that is written out, under a key that is."""
    if isinstance(made, ast.Dict) and isinstance(key, ast.Constant):
        for known, value in zip(made.keys, made.values, strict=True):
            if isinstance(known, ast.Constant) and known.value == key.value:
                return value
    return made


def _function_at(script: ScriptText, line: int) -> Function | None:
    """Find the innermost function that a line is in."""
    found = (f for f in script.functions() if f.lineno <= line <= (f.end_lineno or 0))
    return max(found, key=lambda each: each.lineno, default=None)


def _loops_over(within: ast.AST, name: str) -> Iterator[ast.For | ast.AsyncFor | ast.comprehension]:
    """Yield the loops that take a name from the values that they go over."""
    for node in ast.walk(within):
        if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension) and name in {
            ast.unparse(each) for each in ast.walk(node.target)
        }:
            yield node


def loops_around(script: ScriptText, lines: Sequence[int]) -> Iterator[tuple[ast.For, int]]:
    """Yield the loops around lines of a traceback, the innermost first, with the line's place."""
    loops = [n for n in ast.walk(script.tree) if isinstance(n, ast.For)]
    for at, line in enumerate(lines):
        inside = [n for n in loops if n.lineno <= line <= (n.end_lineno or 0)]
        yield from ((loop, at) for loop in sorted(inside, key=lambda n: -n.lineno))
