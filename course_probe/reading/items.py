"""Items of a dataset that differ at each visit, by the text of a script.

A row that `__getitem__` changes by chance is augmented: meant for a training, not for an
evaluation. A row that is a view of what is stored, and is changed in place, stays changed.
"""

import ast
import re
from collections.abc import Iterator

from course_probe.reading.label_names import LABELS
from course_probe.reading.names import Names
from course_probe.reading.script_text import (
    around,
    functions_of,
    given_for,
    last_part,
    named,
    names,
    own_nodes,
    parents,
    parts,
    stored,
)

RANDOM = re.compile(r"^(?:rand\w*|bernoulli|normal|uniform|gauss|choice)_?$")
"""Calls that draw a number by chance, by the last part of their name."""
ON_PURPOSE = re.compile(
    r"(?i)robust|corrupt|denois|attack|\btta\b|test_time|contrast|simclr|snr|awgn"
)
"""What marks a chance that an evaluation is meant to have."""
IN_PLACE = re.compile(r"^(?:add|sub|mul|div|neg|normal|uniform|bernoulli|exponential)_$")
"""Methods that change a tensor in place, and change it again when they are called again."""
GROWING = {"append", "extend", "insert", "reverse"}
"""Methods of a list that change it at each call."""


def augmented_items(tree: ast.Module) -> list[int]:
    """Find the lines that change an input by chance, and not its label, for each part of a split.

    In `__getitem__`, or in what all loaders put their batches together with.
    """
    if ON_PURPOSE.search(ast.unparse(tree)):
        return []
    drawing = _drawing(tree)
    made, found = parts(tree, ast.Call), {e: _Item(e, drawing).augmented() for e in _getters(tree)}
    for each in parts(tree, ast.ClassDef):
        getter = next((one for one in each.body if one in found), None)
        calls = [call for call in made if last_part(call.func) == each.name]
        # What is made without chance as well has a part of its own for the evaluation.
        if getter is not None and ((not found[getter] and calls) or _flags_differ(calls)):
            return []
    loaders = (named(call) for call in made if last_part(call.func) == "DataLoader")
    given = {last_part(each.get("collate_fn", ast.Constant(None))) for each in loaders}
    gathers = functions_of(tree).get(given.pop()) if len(given) == 1 else None
    found |= {} if gathers is None else {gathers: _Item(gathers, drawing).augmented()}
    return [line for line in found.values() if line]


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
    made = set[str]()
    # What is set once more, as for one part of a split, is not known.
    sets = [e.attr for e in parts(tree, ast.Attribute) if isinstance(e.ctx, ast.Store)]
    for kind in kinds:
        begins = [each for each in parts(kind, ast.FunctionDef) if each.name == "__init__"]
        calls = [call for call in parts(tree, ast.Call) if last_part(call.func) == kind.name]
        for begin, each in ((one, each) for one in begins for each in parts(one, ast.Assign)):
            match each:
                case ast.Assign(targets=[ast.Attribute(attr=name)], value=ast.Name(id=taken)):
                    given = [e for e, _at in given_for(taken, begin, tree, kind.name)]
                    is_alike = len(given) == len(calls) and all(map(is_drawn, given))
                    made |= {name} if calls and is_alike and sets.count(name) == 1 else set()
    return drawing | made


def _flags_differ(calls: list[ast.Call]) -> bool:
    """Return whether a class is made with a flag that is on, and with one that is off, or none."""
    flags = [
        tuple(
            repr(each.value)
            for each in (*call.args, *(k.value for k in call.keywords))
            if isinstance(each, ast.Constant) and isinstance(each.value, bool | None)
        )
        for call in calls
    ]
    return len(set(flags)) > 1


def changed_in_place(tree: ast.Module) -> list[tuple[int, str]]:
    """Find the lines that change stored rows at each visit, with what they are stored in."""
    if "BatchSampler" in ast.unparse(tree) or not _comes_again(tree):
        return []
    found = {each for getter in _getters(tree) for each in _changes(getter)}
    lines = {line for line, _name in found}
    drawn = {
        call.lineno
        for getter in _getters(tree)
        for call in parts(getter, ast.Call)
        if RANDOM.match(last_part(call.func))
    }
    # By other chance, rows differ at each visit whether or not what is stored changes.
    return [] if drawn - lines else sorted(found)


def _comes_again(tree: ast.Module) -> bool:
    """Return whether a training goes over its rows more than once: in a loop around a loop."""
    within = parents(tree)
    calls = parts(tree, ast.Call)

    def depth(node: ast.AST) -> int:
        return sum(isinstance(each, ast.For | ast.While) for each in around(node, within))

    for call in calls:
        if last_part(call.func) == "backward":
            own = [e for e in around(call, within) if isinstance(e, ast.FunctionDef)]
            of = [depth(one) for one in calls if own and last_part(one.func) == own[0].name]
            if depth(call) + max(of, default=0) > 1:
                return True
    return not any(last_part(call.func) == "backward" for call in calls)


def _getters(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for each in parts(tree, ast.ClassDef):
        for one in each.body:
            if isinstance(one, ast.FunctionDef) and one.name == "__getitem__":
                yield one


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
            elif isinstance(each, ast.AugAssign) and isinstance(each.target, ast.Name):
                sum_of = ast.BinOp(ast.Name(each.target.id), each.op, each.value)
                self._set(each.target, sum_of, by_chance and each.lineno)
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


def _changes(getter: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    """Yield changes in place of what a name shares with what is stored."""
    views: dict[str, str] = {}
    returned = {
        name
        for each in own_nodes(getter.body)
        if isinstance(each, ast.Return) and each.value is not None
        for name in (*names(each.value), *(one.attr for one in parts(each.value, ast.Attribute)))
    }
    for each in getter.body:
        match each:
            case ast.Assign(targets=[target], value=value):
                views |= dict.fromkeys(stored(target), _stored(value))
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)) as func)):
                if views.get(name) and (IN_PLACE.match(func.attr) or func.attr in GROWING):
                    yield each.lineno, f"self.{views[name]}"
            case ast.AugAssign(target=target, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div()):
                yield from _added(each, target, views, returned)


def _added(
    each: ast.AugAssign, target: ast.expr, views: dict[str, str], returned: set[str]
) -> Iterator[tuple[int, str]]:
    """Yield a change by `+=` and the like: of an array in place, of a number not."""
    match target:
        case ast.Subscript(value=value) if (place := _stored(target)) and place in returned:
            # One more of what is counted is no change of a row.
            if not isinstance(each.value, ast.Constant) and not isinstance(value, ast.Name):
                yield each.lineno, f"self.{place}"
        case ast.Subscript(value=ast.Name(id=name)) if views.get(name) and name in returned:
            yield each.lineno, f"self.{views[name]}"
        case ast.Name(id=name) if views.get(name) and name in returned:
            # Whether it is an array is not known by the text: its rows come again, or do not.
            if name not in names(each.value):
                yield each.lineno, f"self.{views[name]}"


def _stored(value: ast.expr) -> str:
    """Return which attribute of `self` a value is one row of, as a view; empty if of none."""
    match value:
        case ast.Subscript(
            value=ast.Attribute(value=ast.Name(id="self"), attr=attr), slice=ast.Name()
        ):
            return attr
    return ""
