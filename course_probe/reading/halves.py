"""Parts of one dataset of which one is to be set otherwise, by a script's text.

`random_split` and `Subset` copy nothing: `val.dataset` is the dataset of the training part as well,
and an attribute that is set there holds for both.
"""

import ast
import re
from collections.abc import Iterator

from course_probe.reading.script_text import bound, last_part, parts

SETTING = re.compile(r"(?i)transform|augment|train|mode|noise|eval")
"""What marks an attribute by which the rows of a training and of an evaluation differ."""


def set_for_both(tree: ast.Module) -> list[tuple[int, str]]:
    """Find the lines that set an attribute for one part, and so for the other one too."""
    whole = dict(_parts_of(tree))
    shared = {part for part, of in whole.items() if list(whole.values()).count(of) > 1}
    own = {
        ast.unparse(target.value)
        for each in parts(tree, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Attribute) and target.attr == "dataset"
    }
    sets = [
        (each.lineno, part, whole[part], target.attr, ast.unparse(each.value))
        for each in parts(tree, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Attribute) and SETTING.search(target.attr)
        if isinstance(target.value, ast.Attribute) and target.value.attr == "dataset"
        if (part := ast.unparse(target.value.value)) in shared - own
    ]
    # What is set in each epoch may be set back and forth, each time before its part is read.
    again = {n.lineno for e in (*parts(tree, ast.For), *parts(tree, ast.While)) for n in _lines(e)}
    found = []
    for line, part, of, name, value in sets:
        others = [each for each in sets if each[2:4] == (of, name)]
        is_turned = len(others) > 1 and any(each[0] in again for each in others)
        is_same = len(others) > 1 and {each[4] for each in others} == {value}
        if not is_turned and not is_same:
            found.append((line, f"{part}.dataset.{name}"))
    return found


def _lines(node: ast.AST) -> Iterator[ast.stmt]:
    return (each for each in ast.walk(node) if isinstance(each, ast.stmt))


def _parts_of(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names of parts, each with what it is a part of."""
    for node in parts(tree, ast.Assign):
        for target, value in (one for pair in bound(node) for one in _named(*pair)):
            if isinstance(value, ast.Call) and value.args:
                name, of = last_part(value.func), value.args[0]
                is_named = isinstance(of, ast.Name | ast.Attribute)
                # A dataset that is made there is shared by the parts of one call only.
                if name == "random_split" or (name == "Subset" and is_named):
                    whole = ast.unparse(of) if is_named else f"line {value.lineno}"
                    told = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
                    yield from ((ast.unparse(each), whole) for each in told)


def _named(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield a target with its value; of a dictionary, each of its places with what lies there."""
    if not isinstance(value, ast.Dict):
        yield target, value
        return
    for key, each in zip(value.keys, value.values, strict=True):
        if key is not None:
            yield ast.Subscript(target, key, ast.Load()), each
