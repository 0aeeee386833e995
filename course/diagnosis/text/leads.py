"""What a failure leads to in the text, beyond places that can be looked for by themselves.

What its message names, the layer of the size that was measured, what made the names in the line.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from course.diagnosis.text.script_text import ScriptText
from course.diagnosis.text.values import follow

NAME = re.compile(r"\w+")
LONG = 4
"""Letters of a word that is quoted as it stands in the script."""
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


def message(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Arguments that the message names, or whose value it has."""
    said = {word for word in NAME.findall(clue.message) if len(word) >= LONG}
    found = []
    for node in ast.walk(script.tree):
        if not isinstance(node, ast.keyword) or node.arg is None:
            continue
        is_said = isinstance(node.value, ast.Constant) and node.value.value in said
        is_long = "_" in node.arg and node.arg in clue.message
        if is_said or is_long or f"'{node.arg}'" in clue.message:
            found.append(node.value.lineno)
    yield from sorted(found)


def made(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Where the names in the line were made."""
    statement = script.statement_at(clue.lines[0]) if clue.lines else None
    if statement is not None:
        yield from follow(script, statement, clue.lines[0])


def imports(script: ScriptText, _clue: Clue) -> Iterator[int]:
    """Where the script imports: its first import, and its last."""
    lines = [n.lineno for n in script.tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
    yield from (*lines[:1], *lines[-1:])


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
    line = clue.state.get("outputs.line")
    if isinstance(line, int | float):
        yield int(line)
    classes = clue.state.get("outputs.classes")
    for call in reversed(_layers(script)):
        if classes is not None and _value(script, call.args[1]) == classes:
            yield _line_of(call)


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
