"""What a failure leads to in the text, beyond places that can be looked for by themselves.

The layer of the size that was measured, what made the names in the line, the lines that called.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from course.diagnosis.text.script_text import ScriptText
from course.diagnosis.text.values import follow, names
from course_probe.reading.row_order import pairing
from course_probe.reading.rows import words_apart

WORD = re.compile(r"[A-Za-z]+")
NUMBER = re.compile(r"\d+")
NAME = re.compile(r"\w+")
ANSWERING = ("call", "forward", "train_step")
"""Methods of a model that a library uses the results of."""
LABELS = {"label", "labels", "start_positions", "end_positions"}
LONG = 4
"""Letters of a word that is quoted as it stands in the script."""
LEAST = 2
"""Parts of an argument's name that a message must have, if it has not the name itself."""
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


def callers(_script: ScriptText, clue: Clue) -> Iterator[int]:
    """Yield the lines of the script that called."""
    yield from clue.lines[1:]


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
