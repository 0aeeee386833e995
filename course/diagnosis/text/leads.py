"""What a failure leads to in the text, beyond places that can be looked for by themselves.

The layer of the size that was measured, what made the names in the line, the lines that called.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from course.diagnosis.text.script_text import Function, ScriptText
from course.diagnosis.text.values import follow, names
from course_probe.reading.row_order import pairing
from course_probe.reading.rows import words_apart

WORD = re.compile(r"[A-Za-z]+")
NUMBER = re.compile(r"\d+")
NAME = re.compile(r"\w+")
ANSWERING = ("call", "forward", "train_step")
"""Methods of a model that a library uses the results of."""
OPERATION = re.compile(r"output \d+ of ([A-Za-z]{3,}?)(?:Backward\d*)?\b")
"""How a message names the operation whose result was changed."""
UNRECORDED = re.compile(r"\b(no_grad|inference_mode)\b")
"""What keeps gradients from being recorded."""
LABELS = {"label", "labels", "start_positions", "end_positions"}
LONG = 4
"""Letters of a word that is quoted as it stands in the script."""
LEAST = 2
"""Parts of an argument's name that a message must have, if it has not the name itself."""
CALLED = 2
"""Lines of a traceback that has gone through a call of the script's own."""
DEEPEST = 3
"""Names that are followed from one to the next for a number."""


@dataclass(frozen=True)
class Clue:
    """What is known of how a fault came to light.

    `lines` are those of the script in the traceback, the innermost first; of a silent fault what
    its figures tell, mostly none.
    `state` are the facts of that moment, as the run record has them. `arguments` are what the
    script was given on its command line.
    """

    lines: Sequence[int] = ()
    message: str = ""
    state: Mapping[str, float | str] = field(default_factory=dict)
    arguments: Sequence[str] = ()

    def line_of(self, fact: str) -> list[int]:
        """Return the line that a fact of the run record is; none where it was not noted."""
        line = self.state.get(fact)
        return [] if line is None or isinstance(line, str) else [int(line)]

    def taken(self, script: ScriptText, lines: int = 1) -> list[str]:
        """Return the names that the innermost lines take."""
        statements = [script.statement_at(line) for line in self.lines[:lines]]
        return [name for each in statements if each is not None for name in names(each)]


def message(script: ScriptText, clue: Clue) -> Iterator[int]:
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


def layers(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Layers that take as much as the one that failed wants, or give as much as it got."""
    kind, wants, got = (clue.state.get(f"layer.{name}") for name in ("kind", "wants", "got"))
    for name, call in script.calls():
        sizes = [_value(script, each) for each in (*call.args, *(k.value for k in call.keywords))]
        if kind is not None and _last(name) == kind and wants in sizes:
            yield _line_of(call)
    for call in _layers(script):
        if got is not None and _value(script, call.args[1]) == got:
            yield _line_of(call)


def outputs(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Layers that give as many numbers as the outputs have, the last one first."""
    yield from clue.line_of("outputs.line")
    classes = clue.state.get("outputs.classes")
    for call in reversed(_layers(script)):
        if classes is not None and _value(script, call.args[1]) == classes:
            yield _line_of(call)


def named(_script: ScriptText, clue: Clue) -> Iterator[int]:
    """Yield the line of the layer that the message names, where the run knows it."""
    yield from clue.line_of("named.line")


def moved(script: ScriptText, _clue: Clue) -> Iterator[int]:
    """Yield the lines that put inputs and labels into different orders."""
    yield from (each.line for each in pairing(script.tree).apart)
    yield from words_apart(script.tree)


def made(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Where the names in the line were made, and then the names that stand there."""
    statement = script.statement_at(clue.lines[0]) if clue.lines else None
    if statement is not None:
        yield from follow(script, statement, clue.lines[0])


def carried(script: ScriptText, _clue: Clue) -> Iterator[int]:
    """Yield the lines that keep a value for the next call or the next turn of a loop."""
    loops = [n for n in ast.walk(script.tree) if isinstance(n, ast.For | ast.While)]
    for within in (*(f for f in script.functions() if f.name != "__init__"), *loops):
        before = {made.name for made in script.made if made.value.lineno < within.lineno}
        taken: dict[str, int] = {}
        kept: dict[str, int] = {}
        for node in ast.walk(within):
            if not isinstance(node, ast.Name | ast.Attribute):
                continue
            name, line = ast.unparse(node), node.lineno
            if name not in before or not (name.startswith("self.") or within in loops):
                continue
            lines = kept if isinstance(node.ctx, ast.Store) else taken
            lines[name] = min(lines.get(name, line), line)
        yield from (line for name, line in kept.items() if taken.get(name, line + 1) <= line)


def unreturned(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Functions that return nothing, and whose result is used: the last statement of each."""
    # What a function was given may have been made where it was called.
    known = clue.taken(script, 2)
    values = (made.value for made in script.made if made.name in known)
    called = [ast.unparse(value.func) for value in values if isinstance(value, ast.Call)]
    for function in script.functions(*ANSWERING, *called):
        if not any(isinstance(n, ast.Return) and n.value for n in ast.walk(function)):
            yield function.body[-1].lineno
            yield function.lineno


def label_columns(script: ScriptText, _clue: Clue) -> Iterator[int]:
    """Where an entry of a row is written that is, or becomes, its label."""
    columns = set(LABELS)
    for name, call in script.calls():
        given = [each.value for each in call.args if isinstance(each, ast.Constant)]
        if _last(name) == "rename_column" and len(given) > 1 and given[1] in LABELS:
            columns.add(str(given[0]))
    for node in ast.walk(script.tree):
        if isinstance(node, ast.Dict):
            keys = (key for key in node.keys if isinstance(key, ast.Constant))
            yield from (key.lineno for key in keys if key.value in columns)


def in_place(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Yield statements that change a tensor in place: first one that the message's operation made.

    What only counts is none of them: it began as a number or a list, or is given a plain number.
    """
    found: dict[int, bool] = {}
    operation = OPERATION.search(clue.message)
    made_by = re.compile(rf"\b{operation[1]}\b", re.IGNORECASE) if operation else None
    for node in ast.walk(script.tree):
        target = _changed(node)
        if target is None or ".item()" in ast.unparse(node):
            continue
        function = _function(script, target.lineno)
        before = [made.value for made in script.made if made.name == ast.unparse(target)]
        before = [v for v in before if v.lineno < target.lineno]
        values = [v for v in before if _function(script, v.lineno) is function]
        if any(isinstance(each, ast.Constant | ast.List | ast.Dict) for each in values):
            continue
        texts = (ast.unparse(each).replace("_", "") for each in values)
        is_made = made_by is not None and any(map(made_by.search, texts))
        if is_made or (function is not None and function.name in ANSWERING):
            found.setdefault(target.lineno, is_made)
    yield from sorted(found, key=lambda line: (not found[line], line))


def _changed(node: ast.AST) -> ast.expr | None:
    """Return what a statement changes in place; None where it changes nothing."""
    match node:
        case ast.AugAssign(target=ast.Subscript(value=target)) | ast.AugAssign(target=target):
            return target
        case ast.Assign(targets=[ast.Subscript(value=target)]):
            return target
        case ast.Call(func=ast.Attribute(value=target, attr=name)) if re.search(r"[^_]_$", name):
            return None if name == "requires_grad_" else target
    return None


def unrecorded(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Yield the line that makes what is in the line while no gradients are recorded, if any."""
    for line in made(script, clue):
        statement = script.statement_at(line)
        if statement is None or isinstance(statement, ast.For):
            continue
        outer = [each for each in script.around(statement) if isinstance(each, ast.With)]
        items = [item.context_expr for each in outer for item in each.items]
        is_near = _function(script, line) is _function(script, clue.lines[0])
        if is_near and any(UNRECORDED.search(ast.unparse(each)) for each in items):
            yield line
            return


def tables(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Yield the tables that are looked up in: those of as many rows as the one that failed has.

    Where none is known to have them, those of unknown size. Behind them the calls that gave such a
    table its rows.
    """
    calls = [c for name, c in script.calls() if _last(name) == "Embedding"]
    rows = clue.state.get("embedding.rows")
    sizes = [_value(script, call.args[0]) if call.args else None for call in calls]
    if rows is not None:
        best = rows if rows in sizes else None
        calls = [c for c, size in zip(calls, sizes, strict=True) if size == best] or calls
    yield from map(_line_of, calls)
    for call in (c for c in calls if c.args and isinstance(c.args[0], ast.Name)):
        owner = next((n for n in script.around(call) if isinstance(n, ast.ClassDef)), None)
        function = _function(script, call.lineno)
        if owner is not None and function is not None:
            for name, outer in script.calls():
                given = _given_to(function, outer, ast.unparse(call.args[0]))
                if _last(name) == owner.name and given is not None:
                    yield given.lineno


def passed(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Yield where the caller made an argument that stands in the line and that the message names.

    Only what was made before that call; the last one first.
    """
    if len(clue.lines) < CALLED:
        return
    function, at = _function(script, clue.lines[0]), clue.lines[1]
    statement, caller = script.statement_at(at), _function(script, at)
    if function is None or statement is None:
        return
    for name in dict.fromkeys(clue.taken(script)):
        if not re.search(rf"\b{re.escape(name)}\b", clue.message):
            continue
        given = [_given_to(function, n, name) for n in ast.walk(statement)]
        texts = {ast.unparse(each) for each in given if each is not None}
        lines = [m.value.lineno for m in script.made if m.name in texts and m.value.lineno < at]
        yield from (n for n in reversed(lines) if _function(script, n) is caller)


def _given_to(function: Function, call: ast.AST, name: str) -> ast.expr | None:
    """Return what a call gives an argument of a function, if it is one of that function."""
    names = [each.arg for each in function.args.args if each.arg != "self"]
    if not isinstance(call, ast.Call) or name not in names:
        return None
    at = names.index(name)
    named = (each.value for each in call.keywords if each.arg == name)
    return call.args[at] if at < len(call.args) else next(named, None)


def _function(script: ScriptText, line: int) -> Function | None:
    """Return the innermost function that a line is in."""
    found = [f for f in script.functions() if f.lineno <= line <= (f.end_lineno or 0)]
    return max(found, key=lambda each: each.lineno, default=None)


def callers(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Yield the lines of the script that called; not one that had nothing to give."""
    for inner, line in pairwise(clue.lines):
        function = _function(script, inner)
        if function is None or ast.unparse(function.args):
            yield line


def imports(script: ScriptText, _clue: Clue) -> Iterator[int]:
    """Where the script imports: its first import, and its last."""
    lines = [n.lineno for n in script.tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
    yield from (*lines[:1], *lines[-1:])


def _line_of(call: ast.Call) -> int:
    """Return the line in which it is said what is called."""
    return call.func.end_lineno or call.lineno


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _layers(script: ScriptText) -> list[ast.Call]:
    """List calls that may make a layer: a class that is given at least two sizes, in and out."""
    return [c for name, c in script.calls() if _last(name)[:1].isupper() and len(c.args) > 1]


def _value(script: ScriptText, node: ast.expr, deep: int = DEEPEST) -> int | None:
    """Find the whole number that an expression stands for, as far as the text alone tells."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.Name) and deep:
        values = [made.value for made in script.made if made.name == node.id]
        sizes = {_value(script, each, deep - 1) for each in values}
        return sizes.pop() if len(sizes) == 1 else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        left, right = (_value(script, each, deep) for each in (node.left, node.right))
        return None if left is None or right is None else left * right
    return None
