"""The text of what runs in this process: of the script, of a module beside it, of a cell."""

import ast
import linecache
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

OfTree = TypeVar("OfTree", bound=ast.AST)
Loop = ast.For | ast.While
LIBRARIES = {"torch", "F", "nn", "np", "numpy", "random", "math", "tf"}
PASSING = {"enumerate", "tqdm"}
"""What goes through all that it is given."""


def parsed(name: str | None = None) -> ast.Module | None:
    """Parse the script, or the code of this name; return None where it can't be read."""
    file = name or str(getattr(sys.modules["__main__"], "__file__", ""))
    text = "".join(linecache.getlines(file))
    try:
        return ast.parse(text) if text else None
    except (ValueError, SyntaxError, RecursionError):
        return None


def last_part(node: ast.expr) -> str:
    """Return the last part of the name of what is called."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


# What readers of a tree share.


def parts(tree: ast.AST, kind: type[OfTree]) -> list[OfTree]:
    """Return all parts of one kind, from the top down."""
    return [each for each in ast.walk(tree) if isinstance(each, kind)]


def named(call: ast.Call) -> dict[str | None, ast.expr]:
    """Return the keyword arguments of a call, by name."""
    return {each.arg: each.value for each in call.keywords}


def method(node: ast.AST) -> str:
    """Return the name of the method that is called; empty where none is."""
    is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return node.func.attr if is_method else ""  # type: ignore[attr-defined]


def calls_in(node: ast.AST) -> set[str]:
    """Return the names of all that is called in a node."""
    return {last_part(each.func) for each in parts(node, ast.Call)}


def owner_of(call: ast.AST) -> ast.expr | None:
    """Return the object whose method is called, or the module of a function; None of all else."""
    is_method = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    return call.func.value if is_method else None  # type: ignore[attr-defined]


def is_library(node: ast.expr | None) -> bool:
    """Return whether this is a module by its usual name: what it is called on is given first."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node is None or (isinstance(node, ast.Name) and node.id in LIBRARIES)


def worked_on(call: ast.Call) -> list[ast.expr]:
    """Return what a call works on, whether method or function, and behind it what else is given."""
    owner = owner_of(call)
    return [*call.args] if owner is None or is_library(owner) else [owner, *call.args]


def sent(nodes: Iterable[ast.AST]) -> list[ast.expr]:
    """Return what is sent backward: `loss` of `loss.backward()`, or `scaler.backward(loss)`."""
    calls = [e for e in nodes if isinstance(e, ast.Call) and method(e) == "backward"]
    return [each for call in calls for each in worked_on(call)[-1:]]


def says(call: ast.Call, name: str, *values: object) -> bool:
    """Return whether a call has an argument of this name with just one of these values."""
    given = named(call).get(name)
    return isinstance(given, ast.Constant) and any(given.value is each for each in values)


def networks_of(tree: ast.AST) -> set[str]:
    """Return what networks are called, by what is asked of them."""
    asked = (e.value for e in parts(tree, ast.Attribute) if e.attr in ("eval", "parameters"))
    return {ast.unparse(each) for each in asked}


def names(node: ast.AST) -> set[str]:
    """Return all names in it."""
    return {each.id for each in parts(node, ast.Name)}


def spots(node: ast.AST) -> set[str]:
    """Return the names in it, and the attributes of an object itself: `self.part`."""
    of_self = {e for e in parts(node, ast.Attribute) if ast.unparse(e.value) == "self"}
    return (names(node) - {"self"}) | {ast.unparse(each) for each in of_self}


def stored(node: ast.AST) -> list[str]:
    """Return the names that are bound in a node, each as often as it is."""
    return [each.id for each in parts(node, ast.Name) if isinstance(each.ctx, ast.Store)]


def bound(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield each target of an assignment with its value, those of `a, b = c, d` one by one."""
    for target in node.targets:
        match target, node.value:
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                yield from zip(targets, values, strict=True)
            case _:
                yield target, node.value


def own_nodes(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield all nodes of statements in order, without those of functions and classes in them."""
    for node in body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield node
            yield from own_nodes(ast.iter_child_nodes(node))


def in_order(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a scope one after the other, without functions and classes in it."""
    for each in body:
        if not isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield each
            for block in ("body", "orelse", "finalbody"):
                yield from in_order(getattr(each, block, []))
            for inner in (*getattr(each, "handlers", []), *getattr(each, "cases", [])):
                yield from in_order(inner.body)


def factors(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the factors of a product, one by one; of all else, itself."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield from factors(node.left)
        yield from factors(node.right)
    else:
        yield node


def given_back(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.expr]:
    """Return what a function returns and yields."""
    ends = [n for n in own_nodes(function.body) if isinstance(n, ast.Return | ast.Yield)]
    return [each.value for each in ends if each.value is not None]


def parents(tree: ast.AST) -> dict[ast.AST, ast.AST]:
    """Return the node that each node of a tree is in."""
    return {inner: node for node in ast.walk(tree) for inner in ast.iter_child_nodes(node)}


def around(node: ast.AST, within: Mapping[ast.AST, ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes that a node is in, by the `parents` of all, the innermost first."""
    while (outer := within.get(node)) is not None:
        yield outer
        node = outer


def blocks(tree: ast.AST) -> list[list[ast.stmt]]:
    """Return the statements that stand beside each other, block by block."""
    found = (getattr(n, b, []) for n in ast.walk(tree) for b in ("body", "orelse", "finalbody"))
    return [each for each in found if isinstance(each, list)]


def loops_of(body: Sequence[ast.stmt]) -> Iterator[Loop]:
    """Yield the loops of a scope, not those of the functions in it."""
    return (each for each in in_order(body) if isinstance(each, Loop))


def loops_in(tree: ast.AST) -> list[Loop]:
    """Return all loops."""
    return [each for each in ast.walk(tree) if isinstance(each, Loop)]


def gone_over(loop: ast.For) -> ast.expr:
    """Return what a loop goes over: `loader` of `tqdm(enumerate(loader))`."""
    node = loop.iter
    while isinstance(node, ast.Call) and last_part(node.func) in PASSING and node.args:
        node = node.args[0]
    return node


def begins(loop: ast.For, lines: Iterable[int]) -> bool:
    """Return whether a loop begins on one of some lines."""
    first = range(loop.lineno, (loop.iter.end_lineno or loop.lineno) + 1)
    return any(line in first for line in lines)


def root(node: ast.expr) -> ast.expr:
    """Return an expression's root: `guess` of `(guess == y).sum`; of `self.net`, all of it."""
    while True:
        match node:
            case ast.Attribute(value=ast.Name(id="self")):
                return node
            case ast.Attribute() | ast.Subscript():
                node = node.value
            case ast.Call():
                node = node.func
            case ast.Compare() | ast.BinOp():
                node = node.left
            case ast.UnaryOp():
                node = node.operand
            case _:
                return node


# What is called, and with what.

Scope = ast.Module | ast.FunctionDef
CALLED = ("forward", "__call__")
"""Methods that run when an object itself is called."""


def scopes(tree: ast.Module) -> list[Scope]:
    """Return all that has names of its own."""
    return [tree, *parts(tree, ast.FunctionDef)]


def methods_of(kind: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    """Return the methods of a class by their names."""
    return {each.name: each for each in kind.body if isinstance(each, ast.FunctionDef)}


def getters(tree: ast.AST) -> dict[str, ast.FunctionDef]:
    """Return the methods by which classes say how a row is read, by the class."""
    kinds = ((kind.name, methods_of(kind)) for kind in parts(tree, ast.ClassDef))
    return {name: of["__getitem__"] for name, of in kinds if "__getitem__" in of}


def functions_of(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """Return each function and method by its name, and what runs when an object is called by its.

    A name that stands for several is none: `forward`, mostly.
    """
    found: dict[str, list[ast.FunctionDef]] = {}
    for each in parts(tree, ast.FunctionDef):
        found.setdefault(each.name, []).append(each)
    run = {
        kind.name: each
        for kind in parts(tree, ast.ClassDef)
        for each in kind.body
        if isinstance(each, ast.FunctionDef) and each.name in CALLED
    }
    for target, value in (pair for each in parts(tree, ast.Assign) for pair in bound(each)):
        made = run.get(last_part(value.func)) if isinstance(value, ast.Call) else None
        if made is not None and made not in found.setdefault(last_part(target), []):
            found[last_part(target)].append(made)
    found.pop("", None)
    return {name: each[0] for name, each in found.items() if len(each) == 1}
