"""A fault that a text shows, with its line, and the edits that mend it where that is mechanical."""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from course.base.i18n import _
from course.diagnosis.text.script_text import ScriptText
from course.exercise.patch import Splice
from course.lesson.bug import diff


@dataclass(frozen=True)
class TextFault:
    """A fault of the catalogue that stands in `line` of a script.

    It is `certain` if every run that comes to the line shows it. `evidence` is a sentence to
    translate, with `values` in its places, or the fault's title; `also` are more lines of which it
    is true. `edits` mend it in the text and `imports` are the import statements that they need;
    both are empty where a person has to choose.
    """

    fault: str
    line: int
    evidence: str
    values: Mapping[str, str] = field(default_factory=dict)
    certain: bool = True
    edits: tuple[Splice, ...] = ()
    imports: tuple[str, ...] = ()
    also: tuple[int, ...] = ()

    @property
    def sentence(self) -> str:
        """The evidence in the user's language."""
        return _(self.evidence).format(**self.values)

    @property
    def mechanical(self) -> bool:
        """Whether edits mend it."""
        return bool(self.edits or self.imports)


def mend(script: ScriptText, faults: Iterable[TextFault]) -> str:
    """Make the edits of these faults in the text; leave out those that overlap an earlier one.

    The text of a script that parses parses afterwards; where edits would break it, none is made.
    """
    edits: list[Splice] = []
    imports: list[str] = []
    for fault in faults:
        taken = [edit for edit in fault.edits if edit not in edits]
        if any(a < d and c < b for a, b, _text in taken for c, d, _other in edits):
            continue
        edits += taken
        imports += [line for line in fault.imports if line not in imports]
    if imports:
        at = _imports_end(script)
        edits.append((at, at, "".join(f"{line}\n" for line in imports)))
    return script.edited(edits)


def patch(script: ScriptText, faults: Iterable[TextFault]) -> str:
    """Return the edits as a unified diff; nothing where there are none."""
    text = mend(script, faults)
    return diff(script.text, text, script.name) if text != script.text else ""


def _imports_end(script: ScriptText) -> int:
    """Where a new import goes: behind the first run of them, or in front of all code."""
    body = script.tree.body
    first = next(
        (n for n, node in enumerate(body) if isinstance(node, ast.Import | ast.ImportFrom)), None
    )
    if first is None:
        has_docstring = bool(body) and ast.get_docstring(script.tree, clean=False) is not None
        if not body:
            return 0
        return script.line_after(body[0]) if has_docstring else script.span(body[0])[0]
    last = first
    while last + 1 < len(body) and isinstance(body[last + 1], ast.Import | ast.ImportFrom):
        last += 1
    return script.line_after(body[last])
