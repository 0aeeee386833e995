"""What a failure leads to in the text, beyond places that can be looked for by themselves.

What its message names, and what made the names in the line.
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


def outputs(_script: ScriptText, clue: Clue) -> Iterator[int]:
    """Yield the line of the layer that gives the outputs, where the run knows it."""
    line = clue.state.get("outputs.line")
    if isinstance(line, int | float):
        yield int(line)
