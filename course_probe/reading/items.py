"""Items of a dataset that differ at each visit, by the text of a script.

A row that `__getitem__` changes by chance is augmented: meant for a training, not for an
evaluation.
"""

import ast
import re
from collections.abc import Iterator

from course_probe.reading.flow import Flow, TextValue
from course_probe.reading.held_out_names import HELD_OUT
from course_probe.reading.label_names import LABELS
from course_probe.reading.names import Names
from course_probe.reading.script_text import (
    calls_in,
    functions_of,
    getters,
    last_part,
    methods_of,
    named,
    names,
    own_nodes,
    parts,
    scopes,
    stored,
)

RANDOM = re.compile(r"^(?:rand\w*|bernoulli|normal|uniform|gauss|choice)_?$")
"""Calls that draw a number by chance, by the last part of their name."""
ON_PURPOSE = re.compile(
    r"(?i)robust|corrupt|denois|attack|\btta\b|test_time|contrast|simclr|snr|awgn"
)
"""What marks a chance that an evaluation is meant to have."""


def augmented_items(tree: ast.Module) -> list[int]:
    """Find the lines that change an input by chance, and not its label, for each part of a split.

    In `__getitem__`, or in what all loaders put their batches together with.
    """
    if ON_PURPOSE.search(ast.unparse(tree)):
        return []
    drawing = _drawing(tree)
    made, found = parts(tree, ast.Call), dict[ast.FunctionDef, int]()
    for name, each in getters(tree).items():
        found[each] = _Item(each, drawing).augmented()
        calls = [call for call in made if last_part(call.func) == name]
        # What is made without chance as well has a part of its own for the evaluation.
        if (not found[each] and calls) or _flags_differ(calls):
            return []
    loaders = (named(call) for call in made if last_part(call.func) == "DataLoader")
    given = {last_part(each.get("collate_fn", ast.Constant(None))) for each in loaders}
    gathers = functions_of(tree).get(given.pop()) if len(given) == 1 else None
    found |= {} if gathers is None else {gathers: _Item(gathers, drawing).augmented()}
    return [line for line in found.values() if line]


def augmented_halves(tree: ast.Module) -> list[int]:
    """Find where rows are augmented by a flag that is on for all rows, of which a part is held out.

    `random_split(Pictures(rows, augment=True), …)`: both parts share the data set, and its flag.
    """
    if ON_PURPOSE.search(ast.unparse(tree)):
        return []
    drawing, flow, found = _drawing(tree), Flow(tree), set[int]()
    split = set[ast.expr]()
    for scope in scopes(tree):
        for node in own_nodes(scope.body):
            match node:
                case ast.Assign(targets=[target], value=ast.Call(args=[rows, *_]) as call):
                    is_split = last_part(call.func) == "random_split"
                    if is_split and any(HELD_OUT.search(e.lower()) for e in stored(target)):
                        split |= {each.node for each in flow.origins(TextValue(rows, scope))}
    for kind in parts(tree, ast.ClassDef):
        made = [each for each in parts(tree, ast.Call) if last_part(each.func) == kind.name]
        if len(made) != 1 or made[0] not in split:
            continue
        flags = {f"self.{name}" for name in _switched_on(kind, made[0], tree)}
        for name, getter in methods_of(kind).items():
            for each in parts(getter, ast.If) if name != "__init__" else ():
                if ast.unparse(each.test) in flags and (_draws(each) or calls_in(each) & drawing):
                    found.add(each.lineno)
    return sorted(found)


def _switched_on(kind: ast.ClassDef, made: ast.Call, tree: ast.Module) -> Iterator[str]:
    """Yield the attributes that a class is given as `True`, and that nothing sets later."""
    sets = [e.attr for e in parts(tree, ast.Attribute) if isinstance(e.ctx, ast.Store)]
    for begin in (each for each in parts(kind, ast.FunctionDef) if each.name == "__init__"):
        taken = [each.arg for each in begin.args.args]
        defaults = dict(zip(taken[::-1], begin.args.defaults[::-1], strict=False))
        given = defaults | dict(zip(taken[1:], made.args, strict=False)) | named(made)
        for each in parts(begin, ast.Assign):
            match each:
                case ast.Assign(targets=[ast.Attribute(attr=name)], value=ast.Name(id=of)):
                    value = given.get(of)
                    is_on = isinstance(value, ast.Constant) and value.value is True
                    if is_on and sets.count(name) == 1:
                        yield name


def _drawing(tree: ast.Module) -> set[str]:
    """Return what draws by chance: functions and classes, and the names of what is made of them."""
    kinds = parts(tree, ast.ClassDef)
    functions = parts(tree, ast.FunctionDef)
    drawing = {e.name for e in functions if _draws(e)} | {e.name for e in kinds if _draws(e)}

    def is_drawn(value: ast.expr | None) -> bool:
        return (
            value is not None
            and not parts(value, ast.IfExp)
            and any(last_part(e) in drawing for e in ast.walk(value) if isinstance(e, ast.expr))
        )

    for name, values in Names(ast.walk(tree)).values.items():
        if values and all(map(is_drawn, values)):
            drawing.add(name)
    made, flow = set[str](), Flow(tree)
    # What is set once more, as for one part of a split, is not known.
    sets = [e.attr for e in parts(tree, ast.Attribute) if isinstance(e.ctx, ast.Store)]
    for kind in kinds:
        begins = [each for each in parts(kind, ast.FunctionDef) if each.name == "__init__"]
        calls = [call for call in parts(tree, ast.Call) if last_part(call.func) == kind.name]
        for begin, each in ((one, each) for one in begins for each in parts(one, ast.Assign)):
            match each:
                case ast.Assign(targets=[ast.Attribute(attr=name)], value=ast.Name(id=taken)):
                    given = [e.node for e in flow.held(taken, TextValue(each.value, begin))]
                    is_alike = len(given) == len(calls) and all(map(is_drawn, given))
                    made |= {name} if calls and is_alike and sets.count(name) == 1 else set()
    return drawing | made


def _flags_differ(calls: list[ast.Call]) -> bool:
    """Return whether a class is made with a flag that is on, and with one that is off, or none."""
    given = [[*call.args, *(each.value for each in call.keywords)] for call in calls]
    texts = ([ast.unparse(each) for each in one] for one in given)
    return len({tuple(e for e in one if e in ("True", "False", "None")) for one in texts}) > 1


def _draws(node: ast.AST) -> bool:
    """Return whether something draws a number by chance."""
    return any(RANDOM.match(last_part(each.func)) for each in parts(node, ast.Call))


class _Item:
    """What `__getitem__` makes each name of: places of what is stored, and chance."""

    def __init__(self, getter: ast.FunctionDef, drawing: set[str]) -> None:
        self._getter = getter
        self._drawing = drawing
        self._sources: dict[str, set[str]] = {}
        self._chance: dict[str, int] = {}
        # What batches are put together of is given.
        for each in getter.args.args if getter.name != "__getitem__" else ():
            self._sources[each.arg] = {each.arg}

    def augmented(self) -> int:
        """Return the line that changes an input by chance; 0 where none does, or labels too."""
        self._run(self._getter.body, 0)
        returned = [each.value for each in own_nodes(self._getter.body) if type(each) is ast.Return]
        if len(returned) != 1:
            return 0
        match returned[0]:
            case ast.Tuple(elts=values) if len(values) > 1:
                *inputs, label = values
            case ast.Dict(values=values, keys=keys) if len(values) > 1:
                of_labels = [LABELS.match(str(getattr(k, "value", ""))) is not None for k in keys]
                if sum(of_labels) != 1:
                    return 0
                label = values[of_labels.index(True)]
                inputs = [value for value in values if value is not label]
            case _:
                return 0
        made = set[str]().union(*(self._made_of(each) for each in inputs))
        of_label = self._made_of(label)
        if self._drawn(label) or not made or not of_label or made & of_label:
            return 0
        return max(map(self._drawn, inputs))

    def _run(self, body: list[ast.stmt], by_chance: int) -> None:
        for each in body:
            if isinstance(each, ast.If):
                chance = self._drawn(each.test) or by_chance
                self._run(each.body, chance)
                self._run(each.orelse, chance)
            elif isinstance(each, ast.Assign):
                self._set(each.targets[0], each.value, by_chance and each.lineno)
            elif isinstance(each, ast.AugAssign):
                self._add(each.target, each.value, by_chance and each.lineno)
            elif isinstance(each, ast.For | ast.With | ast.While):
                if isinstance(each, ast.For):
                    self._set(each.target, each.iter, 0)
                self._run(each.body, by_chance)
            elif isinstance(each, ast.Expr):
                match each.value:
                    case ast.Call(func=ast.Attribute(value=owner, attr="append"), args=[value]):
                        self._add(owner, value, by_chance and each.lineno)

    def _set(self, target: ast.expr, value: ast.expr, line: int) -> None:
        made, chance = self._made_of(value), line or self._drawn(value)
        match target:
            case ast.Name(id=name):
                # Of what is set by chance only, the rest is what it was.
                kept = self._sources.get(name, set()) if line else set()
                self._sources[name] = made | kept
                self._chance[name] = chance
            case ast.Tuple(elts=elts):
                for place, each in enumerate(elts):
                    if isinstance(each, ast.Name):
                        self._sources[each.id] = {f"{one}[{place}]" for one in made}
                        self._chance[each.id] = chance
            case ast.Subscript(value=whole, slice=place):
                self._add(whole, value, chance or self._drawn(place))

    def _add(self, whole: ast.expr, value: ast.expr, line: int) -> None:
        """Note that a part of a name gets a value, and the rest stays."""
        for name in names(whole):
            self._sources.setdefault(name, set()).update(self._made_of(value))
            self._chance[name] = self._chance.get(name, 0) or line or self._drawn(value)

    def _made_of(self, value: ast.expr) -> set[str]:
        """Return what is stored that a value is made of: `self.rows['text']`."""
        match value:
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id="self"), attr=attr)):
                return {attr}
            case ast.Subscript(value=inner, slice=ast.Constant(value=key)):
                return {f"{one}[{key!r}]" for one in self._made_of(inner)}
            case ast.Name(id=name):
                return self._sources.get(name, set())
            case ast.ListComp(generators=[each]) | ast.GeneratorExp(generators=[each]):
                self._set(each.target, each.iter, 0)
        found = (each for each in ast.iter_child_nodes(value) if isinstance(each, ast.expr))
        return set[str]().union(*map(self._made_of, found))

    def _drawn(self, value: ast.AST) -> int:
        """Return the line at which chance comes into a value; which part is taken is none."""
        match value:
            # Which part of a row is taken is how long rows are read.
            case ast.Subscript(value=inner):
                return self._drawn(inner)
            case ast.Name(id=name):
                return self._chance.get(name, 0)
            case ast.Call(func=func) if RANDOM.match(last_part(func)):
                return value.lineno
            case ast.Call(func=func) if last_part(func) in self._drawing:
                return value.lineno
        return next((one for e in ast.iter_child_nodes(value) if (one := self._drawn(e))), 0)
