"""Lists of layers that hold one and the same layer several times, by a script's text.

`[layer] * n` repeats the layer, and its weights; so does a comprehension over one that was made
before, and a loop that appends it. Who means it says so, mostly.
"""

import ast
import re
from collections.abc import Iterator

from course_probe.reading.names import Names
from course_probe.reading.script_text import last_part, parts, stored

LISTS = {"ModuleList", "Sequential"}
LAYER = ast.Name | ast.Attribute
MEANT = re.compile(r"(?i)shar(?:ed?|ing)(?![a-z])|(?<![a-z])tied?(?![a-z])|albert|universal")
"""What says that layers are to have one set of weights."""


def repeated(tree: ast.Module) -> list[int]:
    """Find the lines that put one and the same layer into a list of layers several times."""
    if MEANT.search(ast.unparse(tree)):
        return []
    names = Names(parts(tree, ast.Assign))
    found = {each.lineno for call in parts(tree, ast.Call) for each in _in_list(call, names)}
    lists = [call for call in parts(tree, ast.Call) if last_part(call.func) in LISTS]
    # What is in such a list, and what it is called.
    held = (part for call in lists for one in call.args for part in parts(one, ast.expr))
    known = {*map(ast.unparse, held)}
    for each in parts(tree, ast.Assign):
        known.update(ast.unparse(target) for target in each.targets if each.value in lists)
    for loop in parts(tree, ast.For):
        found.update(each.lineno for each in _added(loop, known))
    return sorted(found)


def _in_list(call: ast.Call, names: Names) -> Iterator[ast.expr]:
    if last_part(call.func) not in LISTS:
        return
    for each in call.args:
        value = each.value if isinstance(each, ast.Starred) else each
        for part in parts(names.only(value) or value, ast.expr):
            match part:
                case (
                    ast.BinOp(op=ast.Mult(), left=ast.List(elts=layers))
                    | ast.BinOp(op=ast.Mult(), right=ast.List(elts=layers))
                ):
                    if any(isinstance(each, LAYER | ast.Call) for each in layers):
                        yield part
                case (
                    ast.ListComp(elt=layer, generators=[ast.comprehension(target=target)])
                    | ast.GeneratorExp(elt=layer, generators=[ast.comprehension(target=target)])
                ):
                    if isinstance(layer, LAYER) and last_part(layer) not in stored(target):
                        yield part


def _added(loop: ast.For, known: set[str]) -> Iterator[ast.Call]:
    """Yield the calls that append to such lists what no turn of a loop makes anew."""
    own = {*stored(loop)}
    for call in parts(loop, ast.Call):
        match call:
            case ast.Call(func=ast.Attribute(value=to, attr="append"), args=[ast.Name(id=name)]):
                if name not in own and ast.unparse(to) in known:
                    yield call
