"""Names of data that a script holds out to evaluate on, and which of them its text never reads."""

import ast
import re
from collections.abc import Sequence

from course_probe.reading.label_names import LABELS

HELD_OUT = re.compile(
    r"(?:(?<![a-z])|(?<=^x)|(?<=^y))"
    r"(?:validation|valid|val|testing|test|te|dev|eval|held|hold)"
    r"(?=$|_|\d|set|data|loader|dl|ds|iter|idx|mask)"
)
"""What marks a name, in small letters, as one of data to evaluate on."""


def unread(tree: ast.Module) -> list[str]:
    """Names of held-out data that have a namesake for the training, and are bound but never read.

    What is only made into data that nobody reads is not read either. A name that begins with a
    line, `_test`, says that it is left out on purpose; and labels alone are not all of the data,
    whose inputs are read.
    """
    bound, read = set[str](), set[str]()
    made: list[tuple[set[str], set[str]]] = []
    handed_on = set[ast.AST]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and all(map(_is_held_out, node.targets)):
            given = [part for part in ast.walk(node.value) if _is_held_out(part)]
            targets = [part for each in node.targets for part in ast.walk(each)]
            made.append((_names(targets), _names(given)))
            handed_on.update(given)
    for node in ast.walk(tree):
        if node in handed_on:
            continue
        if isinstance(node, ast.Name | ast.Attribute):
            (read if isinstance(node.ctx, ast.Load) else bound).update(_names([node]))
        elif isinstance(node, ast.keyword | ast.arg) and node.arg is not None:
            # It may be handed on by its name.
            read.add(node.arg)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            read.add(node.value)
    while new := {n for targets, given in made if targets & read for n in given} - read:
        read |= new
    trained = {name.lower() for name in bound & read}
    kept = [
        name
        for name in bound
        if not name.startswith("_")
        and HELD_OUT.search(name.lower())
        and HELD_OUT.sub("train", name.lower()) in trained
    ]
    is_looked_at = any(name in read and not LABELS.search(name) for name in kept)
    left = [name for name in kept if name not in read]
    return sorted(name for name in left if not (is_looked_at and LABELS.search(name)))


def _names(nodes: Sequence[ast.AST]) -> set[str]:
    """The names, and those of attributes, among some nodes."""
    found = {node.id for node in nodes if isinstance(node, ast.Name)}
    return found | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def _is_held_out(node: ast.AST) -> bool:
    """Whether a name, or each of several, says that it holds data to evaluate on."""
    if isinstance(node, ast.Tuple):
        return all(map(_is_held_out, node.elts))
    return any(HELD_OUT.search(name.lower()) for name in _names([node]))
