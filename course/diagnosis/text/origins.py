"""Where a script makes what an expression stands for, followed through its own calls.

A value that does not fit is often made far from the line that fails: above a loop, by a function of
the script's, or in the function that called. The lines of the traceback tell which call it was.
"""

import ast
import re
from collections.abc import Iterator, Sequence

from course.diagnosis.text.script_text import ScriptText

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
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def find_origins(
    script: ScriptText, expression: ast.expr, lines: Sequence[int], deep: int = DEEPEST
) -> Iterator[ast.expr]:
    """What an expression was made by; `lines` are its own and those that called, outwards.

    What only hands on (`y[rows]`, `y.to(device)`, a call of a function of the script's, the item of
    a dictionary) is followed; what it comes to is given, and nothing where that is not known.
    """
    if not lines or not deep:
        return
    if isinstance(expression, ast.Subscript):
        for each in find_origins(script, expression.value, lines, deep - 1):
            yield _item(each, expression.slice)
    elif isinstance(expression, ast.Call):
        inner = _handed_on(script, expression)
        if inner is not None:
            yield from find_origins(script, inner, lines, deep - 1)
        elif ast.unparse(expression.func).rpartition(".")[2] in CONVERTING and expression.args:
            yield expression
            yield from find_origins(script, expression.args[0], lines, deep - 1)
        else:
            yield from _returned(script, expression, None, lines, deep)
    elif isinstance(expression, ast.Name | ast.Attribute):
        yield from _named(script, expression, lines, deep)
    else:
        yield expression


def _named(
    script: ScriptText, name: ast.Name | ast.Attribute, lines: Sequence[int], deep: int
) -> Iterator[ast.expr]:
    text, line = ast.unparse(name), lines[0]
    function = _around(script, line)
    made = list(_makers(script, text, function, line))
    if made:
        value, at = made[-1]
        inside = (value.lineno, *lines[1:])
        if isinstance(value, ast.Call) and _handed_on(script, value) is None:
            yield from _returned(script, value, at, inside, deep)
        else:
            yield from find_origins(script, value, inside, deep - 1)
        return
    loops = [n for n in ast.walk(function or script.tree) if isinstance(n, ast.For | ast.AsyncFor)]
    for loop in reversed(loops):
        if any(ast.unparse(each) == text for each in ast.walk(loop.target)):
            yield from find_origins(script, loop.iter, (loop.lineno, *lines[1:]), deep - 1)
            return
    if function is not None and isinstance(name, ast.Name):
        given = _argument(script, function, name.id, lines)
        if given is not None:
            yield from find_origins(script, given, lines[1:], deep - 1)


def _makers(
    script: ScriptText, text: str, function: FunctionNode | None, line: int
) -> Iterator[tuple[ast.expr, int | None]]:
    """Values that a name is given before a line, with their place in what is taken apart.

    Not what makes it of itself, such as `x = x.float()`: it was there before.
    """
    inner = {id(n) for f in _functions(script) for n in ast.walk(f)} - {
        id(n) for n in ast.walk(function or ast.Module([], []))
    }
    found: list[tuple[ast.expr, int | None]] = []
    for node in ast.walk(script.tree):
        if not isinstance(node, ast.Assign) or (id(node) in inner and "." not in text):
            continue
        for target in node.targets:
            parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
            places = [ast.unparse(each) for each in parts]
            if text in places and not any(ast.unparse(n) == text for n in ast.walk(node.value)):
                found.append((node.value, None if parts == [target] else places.index(text)))
    found.sort(key=lambda each: each[0].lineno)
    before = [each for each in found if each[0].lineno < line]
    for value, place in before or (found if "." in text else []):
        elements = value.elts if isinstance(value, ast.Tuple | ast.List) else None
        if elements is not None and place is not None and place < len(elements):
            yield elements[place], None
        else:
            yield value, place


def _returned(
    script: ScriptText, call: ast.Call, place: int | None, lines: Sequence[int], deep: int
) -> Iterator[ast.expr]:
    """What a function of the script's gives back where it is called, or the call of another one."""
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    function = next((f for f in _functions(script) if f.name == name), None)
    returns = [n for n in ast.walk(function or call) if isinstance(n, ast.Return) and n.value]
    if len(returns) != 1 or not isinstance(value := returns[0].value, ast.expr):
        yield call
        return
    if place is not None and isinstance(value, ast.Tuple) and place < len(value.elts):
        value = value.elts[place]
    yield from find_origins(script, value, (returns[0].lineno, *lines), deep - 1)


def _argument(
    script: ScriptText, function: FunctionNode, name: str, lines: Sequence[int]
) -> ast.expr | None:
    """What a function was given for an argument by the line that called it."""
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    statement = script.statement_at(lines[1]) if len(lines) > 1 else None
    if statement is None or name not in [*names, *(k.arg for k in function.args.kwonlyargs)]:
        return None
    bound = names[1:] if names[:1] in (["self"], ["cls"]) else names
    for node in ast.walk(statement):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func).rpartition(".")[2]
        if called != function.name and function.name not in FORWARD:
            continue
        named = next((each.value for each in node.keywords if each.arg == name), None)
        at = bound.index(name) if name in bound else len(node.args)
        plain = not any(isinstance(each, ast.Starred) for each in node.args)
        if named is not None or (at < len(node.args) and plain):
            return named if named is not None else node.args[at]
    return None


def _handed_on(script: ScriptText, call: ast.Call) -> ast.expr | None:
    """What a call only hands on: the tensor of `y.to(device)`, the loader of `enumerate(loader)`.

    Of what is imported nothing is handed on: a function of a library makes a value.
    """
    if isinstance(call.func, ast.Attribute):
        owner: ast.expr = call.func.value
        root = owner
        while isinstance(root, ast.Attribute | ast.Subscript | ast.Call):
            root = root.func if isinstance(root, ast.Call) else root.value
        is_value = isinstance(root, ast.Name) and root.id not in script.imported
        return owner if is_value and HANDING.match(call.func.attr) else None
    wraps = isinstance(call.func, ast.Name) and call.func.id in WRAPPING
    return call.args[0] if wraps and call.args else None


def _item(made: ast.expr, key: ast.expr) -> ast.expr:
    """The value of a dictionary that is written out, under a key that is."""
    if isinstance(made, ast.Dict) and isinstance(key, ast.Constant):
        for known, value in zip(made.keys, made.values, strict=True):
            if isinstance(known, ast.Constant) and known.value == key.value:
                return value
    return made


def _around(script: ScriptText, line: int) -> FunctionNode | None:
    """The innermost function that a line is in."""
    found = (f for f in _functions(script) if f.lineno <= line <= (f.end_lineno or 0))
    return max(found, key=lambda each: each.lineno, default=None)


def _functions(script: ScriptText) -> list[FunctionNode]:
    return [n for n in ast.walk(script.tree) if isinstance(n, FunctionNode)]


def loops_around(script: ScriptText, lines: Sequence[int]) -> Iterator[tuple[ast.For, int]]:
    """The loops that lines of a traceback are in, the innermost first, with the line's place."""
    loops = [n for n in ast.walk(script.tree) if isinstance(n, ast.For)]
    for at, line in enumerate(lines):
        inside = [n for n in loops if n.lineno <= line <= (n.end_lineno or 0)]
        yield from ((loop, at) for loop in sorted(inside, key=lambda n: -n.lineno))


def carried(script: ScriptText, line: int) -> Iterator[int]:
    """Lines that make of something its next: `y, h = rnn(x, h)`.

    They are in the loops around a line, or make an attribute, which lasts from call to call.
    """
    around = [loop for loop, _at in loops_around(script, [line])]
    inside = {id(node) for loop in around for node in ast.walk(loop)}
    for node in ast.walk(script.tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            given = {ast.unparse(each) for each in node.value.args}
            given |= {ast.unparse(each.value) for each in node.value.keywords}
            parts = (n for t in node.targets for n in ast.walk(t) if isinstance(n, ast.expr))
            again = given.intersection(map(ast.unparse, parts))
            if again and (id(node) in inside or any("." in each for each in again)):
                yield node.lineno
