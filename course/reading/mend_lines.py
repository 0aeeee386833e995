"""The lines in which a fault may have to be mended, the likeliest first.

The line that a traceback ends in is often only where a fault comes to light: a layer of the wrong
size was made in another one, a loss chosen far above. So the line itself comes first, and then what
its text and its names lead to: what the message speaks of, the layer of the size that was measured,
what made the names in the line, and the lines that called.
"""

import ast
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from course.reading import place
from course.reading.script_text import ScriptText, keyword
from course_probe.reading.row_order import pairing

MOST = 3
"""Lines that are named for one fault."""
OTHERWISE = ("message", "made", "caller")
"""What is looked for last, of a fault that was raised."""
WORD = re.compile(r"[A-Za-z]+")
NUMBER = re.compile(r"\d+")
NAME = re.compile(r"\w+")
QUOTED = re.compile(r"""['"](\w+)['"]""")
CALLED = re.compile(r"\b(\w+)\.call\(\)")
PATH = re.compile(r"(\w+?)(?:_\d+)?/")
"""Layers in the name of an operation, such as `model_1/dense_2_1/MatMul`."""
SMALL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Where a name in capitals is cut, to count layers as a library does: `BatchNormalization`."""
WHOLE = {"sequential", "functional", "model"}
LONG = 4
"""Letters of a word that is quoted as it stands in the script."""
LEAST = 2
"""Parts of an argument's name that a message must have, if it has not the name itself."""
DEEPEST = 3
"""Names that are followed from one to the next for a number."""
SUMS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


@dataclass(frozen=True)
class Clue:
    """What is known of how a fault came to light.

    `lines` are those of the script in the traceback, the innermost first; none of a silent fault.
    `state` are the facts of that moment, as the run record has them.
    """

    lines: Sequence[int] = ()
    message: str = ""
    state: Mapping[str, float | str] = field(default_factory=dict)


def find(script: ScriptText, fault: str, clue: Clue) -> tuple[int, ...]:
    """The lines to look at for a fault, three at the most; the first is where it came to light.

    Raises:
        ContentError: the list of places breaks its format; says where.

    """
    return tuple(islice(dict.fromkeys(_all(script, fault, clue)), MOST))


def _all(script: ScriptText, fault: str, clue: Clue) -> Iterator[int]:
    yield from clue.lines[:1]
    kinds = place.listed().get(fault, ())
    for each in (*kinds, *(OTHERWISE if clue.message else ())):
        led = LEADS.get(each)
        yield from led(script, clue) if led is not None else place.lines(script, each)


def _of_message(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Arguments that the message names, or whose value it has: a word, or a number and its name."""
    words = set(WORD.findall(clue.message.lower()))
    numbers = set(NUMBER.findall(clue.message))
    said = {word for word in NAME.findall(clue.message) if len(word) >= LONG}
    full, near = [], []
    for node in ast.walk(script.tree):
        if not isinstance(node, ast.keyword) or node.arg is None:
            continue
        parts = node.arg.lower().split("_")
        listed = node.value.elts if isinstance(node.value, ast.List) else [node.value]
        is_said = any(isinstance(each, ast.Constant) and each.value in said for each in listed)
        is_named = f"'{node.arg}'" in clue.message or (len(parts) > 1 and node.arg in clue.message)
        if is_said or is_named:
            full.append(node.value.lineno)
        elif ast.unparse(node.value) in numbers and len(words.intersection(parts)) >= LEAST:
            near.append(node.value.lineno)
    yield from sorted(full)
    yield from sorted(near)


def _of_layers(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Layers that take as much as the one that failed wants, or give as much as it got."""
    kind, wants, got = (clue.state.get(f"layer.{name}") for name in ("kind", "wants", "got"))
    for name, call in script.calls():
        sizes = [_value(script, each) for each in (*call.args, *(k.value for k in call.keywords))]
        if kind is not None and name.rpartition(".")[2] == kind and wants in sizes:
            yield from _with_default(script, call)
    for _name, call in _layers(script):
        if got is not None and _value(script, call.args[1]) == got:
            yield from _with_default(script, call)


def _of_outputs(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Layers that give as many numbers as the outputs have, the last one first."""
    outputs = clue.state.get("outputs.classes")
    for _name, call in reversed(list(_layers(script))):
        if outputs is not None and _value(script, call.args[1]) == outputs:
            yield from _with_default(script, call)


def _of_name(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Layers by the name that the message has: given by the script, or counted by the library."""
    said = {*QUOTED.findall(clue.message), *PATH.findall(clue.message)} - WHOLE
    called = {*CALLED.findall(clue.message)}
    count: Counter[str] = Counter()
    for name, call in script.calls():
        kind = SMALL.sub("_", name.rpartition(".")[2]).lower()
        named = keyword(call, "name")
        given = named.value.value if named and isinstance(named.value, ast.Constant) else None
        known = given or (f"{kind}_{count[kind]}" if count[kind] else kind)
        count[kind] += given is None
        last = name.rpartition(".")[2]
        if last in called or (last[:1].isupper() and known in said):
            yield call.func.end_lineno or call.lineno


def _of_embedding(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Tables of ids with as many rows as the one that an id was not in."""
    rows = clue.state.get("embedding.rows")
    for name, call in script.calls():
        named = keyword(call, "num_embeddings") or keyword(call, "input_dim")
        size = named.value if named is not None else next(iter(call.args), None)
        if name.rpartition(".")[2] != "Embedding" or size is None:
            continue
        if rows is None or _value(script, size) == rows:
            yield from _with_default(script, call)


def _of_data(script: ScriptText, _clue: Clue) -> Iterator[int]:
    """What the Trainer and the loaders are given to take examples from."""
    for name, call in script.calls():
        given = keyword(call, "train_dataset") or keyword(call, "dataset")
        value = given.value if given is not None else None
        if value is None and name.rpartition(".")[2] == "DataLoader":
            value = next(iter(call.args), None)
        for wanted in _names(value) if value is not None else ():
            yield from (made.lineno for known, made in _makers(script) if known == wanted)


def _moved_alone(script: ScriptText, _clue: Clue) -> Iterator[int]:
    """What puts inputs and labels into different orders."""
    yield from (each.line for each in pairing(script.tree).apart)


def _layers(script: ScriptText) -> Iterator[tuple[str, ast.Call]]:
    """Calls that may make a layer: a class that is given at least what it takes and gives."""
    for name, call in script.calls():
        if name.rpartition(".")[2][:1].isupper() and len(call.args) > 1:
            yield name, call


def _with_default(script: ScriptText, call: ast.Call) -> Iterator[int]:
    """The line of a call, and those where the names in it are arguments with a default."""
    yield call.func.end_lineno or call.lineno
    names = {n.id for each in call.args for n in ast.walk(each) if isinstance(n, ast.Name)}
    yield from (value.lineno for name, value in _defaults(script) if name in names)


def _defaults(script: ScriptText) -> Iterator[tuple[str, ast.expr]]:
    """Arguments of the script's own functions that have a default, with it."""
    for node in ast.walk(script.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = node.args
            with_one = given.args[len(given.args) - len(given.defaults) :]
            yield from ((a.arg, value) for a, value in zip(with_one, given.defaults, strict=True))
            for each, value in zip(given.kwonlyargs, given.kw_defaults, strict=True):
                if value is not None:
                    yield each.arg, value


def _value(script: ScriptText, node: ast.expr, deep: int = DEEPEST) -> int | None:
    """A whole number that an expression stands for, as far as the text alone tells."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.Name) and deep:
        made = [v for name, v in _makers(script) if name == node.id]
        values = made or [v for name, v in _defaults(script) if name == node.id]
        return _value(script, values[0], deep - 1) if len(values) == 1 else None
    if isinstance(node, ast.BinOp) and type(node.op) in SUMS:
        left, right = (_value(script, side, deep) for side in (node.left, node.right))
        if left is not None and right is not None:
            return SUMS[type(node.op)](left, right)
    return None


def _made(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Where the names in the line were made, and then the names that stand there."""
    if not clue.lines:
        return
    line = clue.lines[0]
    statement = script.statement_at(line)
    names = _names(statement) if statement is not None else []
    seen: set[str] = set()
    while names:
        further: list[str] = []
        for name in names:
            if name in seen:
                continue
            seen.add(name)
            further += _taken_from(script, name)
            made = [value for known, value in _makers(script) if known == name]
            before = [value for value in made if value.lineno < line] or made
            if before and before[-1].lineno != line:
                yield before[-1].lineno
                further += _names(before[-1])
        names = further


def _makers(script: ScriptText) -> Iterator[tuple[str, ast.expr]]:
    """What each name, and each attribute, is given anywhere, in the order of the text."""
    found = []
    for node in ast.walk(script.tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                found += list(_pairs(target, node.value))
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            found += list(_pairs(node.target, node.value))
    return iter(sorted(found, key=lambda pair: pair[1].lineno))


def _taken_from(script: ScriptText, name: str) -> list[str]:
    """The names that a loop takes a name from: what it is lies in these, not in the loop."""
    found = []
    for node in ast.walk(script.tree):
        if not isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            continue
        if any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(node.target)):
            found += _names(node.iter)
    return found


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Attribute):
        yield target.attr, value
    elif isinstance(target, ast.Tuple | ast.List):
        values = value.elts if isinstance(value, ast.Tuple | ast.List) else ()
        is_even = len(values) == len(target.elts)
        for number, each in enumerate(target.elts):
            yield from _pairs(each, values[number] if is_even else value)


def _names(node: ast.AST) -> list[str]:
    """The names that a statement or an expression takes; of a loop or a branch only its head's."""
    heads: list[ast.AST] = [node]
    if isinstance(node, ast.For | ast.AsyncFor):
        heads = [node.iter]
    elif isinstance(node, ast.If | ast.While):
        heads = [node.test]
    elif isinstance(node, ast.With | ast.AsyncWith):
        heads = [item.context_expr for item in node.items]
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Try):
        heads = []
    found = []
    for head in heads:
        for each in ast.walk(head):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
                found.append(each.id)
            elif isinstance(each, ast.Attribute) and ast.unparse(each.value) == "self":
                found.append(each.attr)
    return found


def _callers(_script: ScriptText, clue: Clue) -> Iterator[int]:
    """The lines of the script that called."""
    yield from clue.lines[1:]


def _imports(script: ScriptText, _clue: Clue) -> Iterator[int]:
    """Where the script imports: its first import, and its last."""
    lines = [n.lineno for n in script.tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
    yield from lines[:1]
    yield from lines[-1:]


LEADS: dict[str, Callable[[ScriptText, Clue], Iterator[int]]] = {
    "message": _of_message,
    "layer": _of_layers,
    "named": _of_name,
    "outputs": _of_outputs,
    "embedding": _of_embedding,
    "data": _of_data,
    "made": _made,
    "caller": _callers,
    "imports": _imports,
    "moved": _moved_alone,
}
"""What a list of places may ask for besides a place in the text."""
