"""Names that are used and that nothing in the script makes, as pyflakes finds them.

https://github.com/PyCQA/pyflakes
"""

import ast
import builtins
import difflib
import re
from collections.abc import Iterator

from course.base.i18n import N_
from course.diagnosis.text.script_text import ScriptText
from course.diagnosis.text.text_fault import TextFault
from course.diagnosis.text.words import words
from course.exercise.patch import Splice
from course_probe.near_names import NEAR
from course_probe.reading.script_text import parts, stored

MISSPELT = N_("{name} is not defined. The nearest name is {near}.")
DELETED = N_("{name} is deleted with `del`, but used again after that.")
NOT_MADE = N_("{name} is used, but the script neither defines nor imports it.")
AT_HAND = {"display", "get_ipython"}
"""What a notebook has without any import."""


def find(script: ScriptText) -> Iterator[TextFault]:
    """Each use of a name that is not there, once for each name."""
    from pyflakes.checker import Checker
    from pyflakes.messages import UndefinedName

    checker = Checker(script.tree, filename=script.name)
    seen = set(AT_HAND)
    found = [each for each in checker.messages if isinstance(each, UndefinedName)]
    for message in sorted(found, key=lambda each: (each.lineno, each.col)):
        name = str(message.message_args[0])
        if name not in seen:
            seen.add(name)
            yield _fault(script, name, message.lineno)


def _fault(script: ScriptText, name: str, line: int) -> TextFault:
    values = {"name": f"`{name}`"}
    statement = words().import_of(name)
    if statement:
        return TextFault("missing-import", line, NOT_MADE, values, imports=(statement,))
    made = _made(script)
    deleted = _deletions(script, name)
    if deleted and name in made:
        return TextFault("name-not-defined", line, DELETED, values, edits=deleted)
    # One that is used again and again is spelt as it is meant: what makes it is missing.
    once = len(re.findall(rf"\b{re.escape(name)}\b", script.text)) == 1
    near = next(iter(difflib.get_close_matches(name, made, n=1, cutoff=NEAR)), "")
    plural = name.removesuffix("s") if name.endswith("s") else f"{name}s"
    # A short one may be the name that a loop over its plural forgot.
    if "_" in name and name not in made and plural in script.assigned:
        once, near = True, plural
    if once and near:
        uses = (n for n in ast.walk(script.tree) if isinstance(n, ast.Name) and n.id == name)
        edits = tuple((*script.span(each), near) for each in uses)
        values["near"] = f"`{near}`"
        return TextFault("misspelt-name", line, MISSPELT, values, edits=edits)
    return TextFault("name-not-defined", line, NOT_MADE, values)


def _deletions(script: ScriptText, name: str) -> tuple[Splice, ...]:
    """Make the edits that keep a name which statements of the script delete."""
    deletes = [each for each in script.tree.body if ast.unparse(each) == f"del {name}"]
    alone = [each for each in deletes if script.is_alone(each)]
    return tuple((script.span(each)[0], script.line_after(each), "") for each in alone)


def _made(script: ScriptText) -> set[str]:
    """Every name that the script binds somewhere, and Python's own."""
    arguments = {each.arg for each in parts(script.tree, ast.arg)}
    classes = {each.name for each in parts(script.tree, ast.ClassDef)}
    functions = {each.name for each in script.functions()}
    return (
        {*script.imported, *dir(builtins), *stored(script.tree)} | arguments | classes | functions
    )
