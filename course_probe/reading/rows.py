"""Parts of a row that a script's text takes from several places, or changes apart.

Each gives the line, what is `moved` there, and the `other` that belongs to it. That may be meant,
of series above all: whether anything is learned has to be measured.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from course_probe.reading.label_names import LABELS
from course_probe.reading.names import Names
from course_probe.reading.script_text import (
    Loop,
    around,
    bound,
    calls_in,
    getters,
    last_part,
    method,
    named,
    names,
    own_nodes,
    parents,
    parts,
    scopes,
    stored,
)

CHANCE = {"randint", "randrange", "choice"}
"""Functions that draw a place."""
TURN = re.compile(r"^(flip|fliplr|flipud|hflip|vflip|rot90|roll)$")
"""Functions and methods that put the places of a picture into another order."""
DRAWS = re.compile(r"\b(?:random|rand|randint|randrange|choice|uniform|integers)\b")
DRAWN = re.compile(r"Random(?:\w+Flip|\w*Crop|Rotation|Affine|Perspective)$")
"""Calls that draw a number, and classes of torchvision that do so for each picture."""
LISTING = {"listdir", "glob", "iterdir", "scandir", "rglob"}
TABLES = {"DictReader", "reader", "read_csv", "readlines", "read_json", "load", "loadtxt"}
"""Functions that read a table, or its lines."""
COMPARING = {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"}
AXES = re.compile(r"^(?:\w+=)?[\[(]?-\d+(?:, ?-\d+)*,?[\])]?$")
"""Axes that are counted from the last one, which pictures and masks have alike."""


class Moved(NamedTuple):
    """A line that takes, or changes, one of two that belong together.

    Of what is turned, `both` are changed by the script: what is never may have no places, as the
    class of a picture.
    """

    line: int
    moved: str
    other: str
    both: bool = True


# Items whose parts come from several places.


def items_apart(tree: ast.Module) -> list[Moved]:
    """Find the lines on which an item's part is taken from another place than the others.

    `__getitem__(self, index)` takes `self.images[index]` and `self.labels[index - 1]`, say.
    """
    return sorted(
        found
        for kind in parts(tree, ast.ClassDef)
        for function in kind.body
        if isinstance(function, ast.FunctionDef) and function.name == "__getitem__"
        for found in _apart(function, _measured(kind))
    )


def files_apart(tree: ast.Module) -> list[Moved]:
    """Find the lines that sort files by their names, where their labels come from a table's lines.

    An item takes both by one place. `10` is before `2` among names: the table may go on by number.
    """
    found = []
    for name, getter in getters(tree).items():
        kind = next(e for e in parts(tree, ast.ClassDef) if e.name == name)
        index = getter.args.args[-1].arg
        taken = {
            _own(each.value)
            for each in parts(getter, ast.Subscript)
            if isinstance(each.slice, ast.Name) and each.slice.id == index
        }
        made = {
            own: each
            for each in parts(kind, ast.Assign)
            if (own := _own(each.targets[0])) is not None and own in taken
        }
        listed = [o for o, e in made.items() if _is_listed(e.value)]
        read = {n for e in parts(kind, ast.Assign) if calls_in(e.value) & TABLES for n in stored(e)}
        told = [o for o, e in made.items() if names(e.value) & read or calls_in(e.value) & TABLES]
        # By their names, files and labels are brought together.
        if len(listed) == len(told) == 1 and f"self.{listed[0]}" not in ast.unparse(made[told[0]]):
            line = made[listed[0]].lineno
            found.append(Moved(line, f"self.{listed[0]}", f"self.{told[0]}"))
    return found


def _is_listed(node: ast.AST) -> bool:
    """Return whether these are the files of a folder, sorted by their names as they are."""
    is_by_name = any(
        last_part(e.func) == "sorted" and not e.keywords for e in parts(node, ast.Call)
    )
    return is_by_name and bool(calls_in(node) & LISTING)


def _apart(function: ast.FunctionDef, rows: set[str]) -> Iterator[Moved]:
    if len(function.args.args) != 2:
        return
    index = function.args.args[1].arg
    plain, other = dict[str, str](), dict[str, ast.Subscript]()
    for node in parts(function, ast.Subscript):
        name = _own(node.value)
        if name is not None and _is_name(node.slice, index):
            plain[name] = ast.unparse(node)
        elif name is not None and _is_another(node.slice, index, is_of_rows=name in rows):
            other[name] = node
    # Of one column two places may be taken, to make a pair of them.
    for name, node in other.items() if plain else ():
        if name not in plain:
            yield Moved(node.lineno, ast.unparse(node), next(iter(plain.values())))


def _is_another(place: ast.expr, index: str, *, is_of_rows: bool) -> bool:
    """Return whether this is another place than the index: a sum with it, by chance, or fixed.

    A table may be looked up with what an item holds, and the first of two figures be taken.
    """
    if isinstance(place, ast.Constant):
        return isinstance(place.value, int) and is_of_rows
    is_drawn = any(method(each) in CHANCE for each in parts(place, ast.Call))
    # Several rows may share one, `i // 5`, or come round again.
    is_grouped = isinstance(place, ast.BinOp) and isinstance(place.op, ast.FloorDiv | ast.Mod)
    is_sum = isinstance(place, ast.BinOp) and index in names(place) and not is_grouped
    return is_sum or is_drawn


def _measured(kind: ast.ClassDef) -> set[str]:
    """Return the names of what a class takes the length of: these have the rows."""
    calls = (each for each in parts(kind, ast.Call) if each.args and _is_name(each.func, "len"))
    return {name for each in calls if (name := _own(each.args[0])) is not None}


def _own(node: ast.expr) -> str | None:
    """Return the name of an attribute of the object itself."""
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return node.attr if is_own and isinstance(node, ast.Attribute) else None


# Tokens and the labels of words.


def words_apart(tree: ast.Module) -> list[int]:
    """Find the lines on which tokens get the labels of other words than their own.

    By the place of another word, or of the token itself, from the first one on, or by the words of
    the first text in a loop over all of them.
    """
    words = Names(parts(tree, ast.Assign)).that_hold(_is_words)
    loops = parts(tree, ast.For)
    found = {line for each in loops for line in (*_of_first(each), *_beside(each, words))}
    made = _tokenized(tree)
    within: list[tuple[ast.For | ast.comprehension, list[ast.AST]]] = []
    within += [(each, [*each.body]) for each in loops]
    within += [(one, [e.elt]) for e in parts(tree, ast.ListComp) for one in e.generators]
    for loop, body in within:
        found.update(_by_tokens(loop.target, loop.iter, body, words, made))
    return sorted(found)


def _tokenized(tree: ast.Module) -> set[str]:
    """Return the names of texts that are asked for their words, and of what is made of these."""
    calls = [each for each in parts(tree, ast.Call) if _is_words(each)]
    made = {name for each in calls for name in names(each.func)}
    for node in (part for _ in range(2) for part in ast.walk(tree)):
        if isinstance(node, ast.For | ast.comprehension) and names(node.iter) & made:
            made.update(stored(node.target))
        elif isinstance(node, ast.Assign) and names(node.value) & made:
            made.update(name for target in node.targets for name in stored(target))
    return made


def _by_tokens(
    target: ast.expr, source: ast.expr, body: list[ast.AST], words: set[str], made: set[str]
) -> Iterator[int]:
    """Find where each token gets no label (-100), or the one at its own place.

    What is `made` of the tokenized texts has the places of tokens, and so have answers, beside
    which there is no -100.
    """
    match target, source:
        case ast.Tuple(elts=[ast.Name(id=place), word]), ast.Call(args=[asked]):
            is_known = isinstance(asked, ast.Name) and asked.id in words
            if last_part(source.func) != "enumerate" or not (is_known or _is_words(asked)):
                return
        case _:
            return
    asking = {e for one in body for each in parts(one, ast.Compare) for e in ast.walk(each)}
    plain = [e for one in body for e in ast.walk(one) if e not in asking]
    taken = [e for e in plain if isinstance(e, ast.Subscript) and isinstance(e.ctx, ast.Load)]
    has_none = any(isinstance(e, ast.UnaryOp) and ast.unparse(e) == "-100" for e in plain)
    if has_none and not any(names(e.slice) & names(word) for e in taken):
        own = (e for e in taken if _is_name(e.slice, place) and not names(e.value) & made)
        yield from (e.lineno for e in own)


def _of_first(loop: ast.For) -> Iterator[int]:
    """Find where the words of one text are asked for in each turn, and taken as a whole."""
    made = {name for each in (*loop.body, loop.target) for name in stored(each)}
    for node in (part for each in loop.body for part in parts(each, ast.Assign)):
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and _is_words(call):
            owner, places = call.func.value, [*call.args, *named(call).values()]
            is_one = all(isinstance(each, ast.Constant) for each in places)
            if is_one and isinstance(owner, ast.Name) and owner.id not in made:
                yield call.lineno


def _beside(loop: ast.For, words: set[str]) -> Iterator[int]:
    """Find where a label is taken beside the place of the word, whatever that is."""
    source, target = loop.iter, loop.target
    if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and source.args:
        if source.func.id != "enumerate" or not isinstance(target, ast.Tuple):
            return
        source, target = source.args[0], target.elts[-1]
    is_known = isinstance(source, ast.Name) and source.id in words
    if not (is_known or _is_words(source)) or not isinstance(target, ast.Name):
        return
    # The first word may be one that was put there, and has no label.
    for test in (part for each in loop.body for part in parts(each, ast.Compare)):
        sides = zip((test.left, *test.comparators), test.comparators, strict=False)
        if any(_is_name(one, target.id) and _is_number(other) for one, other in sides):
            return
    taken = [part for each in loop.body for part in parts(each, ast.Subscript)]
    plain = {ast.unparse(each.value) for each in taken if _is_name(each.slice, target.id)}
    for each in taken:
        match each.slice:
            case ast.BinOp(left=left, right=right) if _is_number(right):
                if _is_name(left, target.id) and ast.unparse(each.value) not in plain:
                    yield each.lineno


def _is_words(node: ast.AST) -> bool:
    """Return whether this asks a tokenized text for the place of the word of each token."""
    return isinstance(node, ast.Call) and method(node) == "word_ids"


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


# Pictures that are turned, and what belongs to them that is not.


def turned_apart(tree: ast.Module) -> list[Moved]:
    """Find the first line of each function in which two that belong together turn differently."""
    found: list[Moved] = []
    drawing = _drawing(tree)
    for function in parts(tree, ast.FunctionDef):
        turns: dict[str, list[tuple[int, str]]] = {}
        for node in parts(function, ast.Assign):
            for target, value in bound(node):
                way = _turn(target.id, value) if isinstance(target, ast.Name) else None
                if way is not None and isinstance(target, ast.Name):
                    turns.setdefault(target.id, []).append((value.lineno, way))
        draws = [e for e in parts(function, ast.If) if DRAWS.search(ast.unparse(e.test))]
        bindings = (pair for each in parts(function, ast.Assign) for pair in bound(each))
        given = [(e.id, v) for e, v in bindings if isinstance(e, ast.Name)][::-1]
        for pair in _pairs(function):
            found += _drawn_apart(function, pair, drawing)
            found += _drawn_for_one(draws, pair, turns, given)
            for name, beside in (pair, pair[::-1]):
                mine, theirs = turns.get(name, []), turns.get(beside, [])
                if _is_apart(mine, theirs):
                    found.append(Moved(_line(mine, theirs), name, beside, beside in turns))
                    break
    return found


def _drawing(tree: ast.Module) -> set[str]:
    """Return the names of the script's functions that draw by chance, and "" for its transforms.

    A transform is a class with `__call__`, or one of torchvision's.
    """
    functions = parts(tree, ast.FunctionDef)
    found = {each.name for each in functions if DRAWS.search(ast.unparse(each))}
    made = calls_in(tree)
    return {*found, ""} if "__call__" in found or any(map(DRAWN.match, made)) else found


def _drawn_apart(
    function: ast.FunctionDef, pair: tuple[str, str], drawing: set[str]
) -> Iterator[Moved]:
    """Yield where one transform is called for each of two, and draws for each by itself."""
    calls: dict[str, dict[str, int]] = {}
    # Who sets the seed before each draws the same for both.
    for call in parts(function, ast.Call) if "seed" not in ast.unparse(function) else ():
        match call:
            case ast.Call(func=func, args=[ast.Name(id=name)], keywords=[]) if name in pair:
                last = last_part(func)
                known = last in drawing or (isinstance(func, ast.Attribute) and "" in drawing)
                if known and re.search(r"transform|augment|flip|crop|rotat|affine|warp", last):
                    calls.setdefault(ast.unparse(func), {}).setdefault(name, call.lineno)
    for given in calls.values():
        if len(given) == len(pair):
            yield Moved(max(given.values()), pair[1], pair[0], both=False)


def _drawn_for_one(
    draws: list[ast.If],
    pair: tuple[str, str],
    turns: dict[str, list[tuple[int, str]]],
    given: list[tuple[str, ast.expr]],
) -> Iterator[Moved]:
    """Yield where it is drawn for each of two by itself whether it is turned."""
    alone: dict[str, int] = {}
    for each in draws:
        lines = {e.lineno for one in each.body for e in ast.walk(one) if isinstance(e, ast.expr)}
        turned = {n: at for n in pair for at, _way in turns.get(n, ()) if at in lines}
        alone |= turned if len(turned) == 1 else {}
    made = {name: ast.unparse(value) for name, value in given if name in pair}
    # Two views of one are to differ.
    if len(alone) == len(pair) and made.get(pair[0], 1) != made.get(pair[1], 2):
        yield Moved(alone[pair[1]], pair[1], pair[0])


def _is_apart(mine: list[tuple[int, str]], theirs: list[tuple[int, str]]) -> bool:
    """Return whether one is turned more often, or as often along other axes."""
    if len(mine) != len(theirs):
        return len(mine) > len(theirs)
    one, other = (sorted(way for _line, way in each) for each in (mine, theirs))
    return all(map(AXES.match, one + other)) and one != other


def _line(mine: list[tuple[int, str]], theirs: list[tuple[int, str]]) -> int:
    """Return the line of the first turn that the other has not."""
    lines = [line for line, _way in theirs]
    alone = [line for line, _way in mine if line not in lines]
    alone += [a[0] for a, b in zip(mine, theirs, strict=False) if a[1] != b[1]]
    return next(iter(alone), mine[0][0])


def _turn(name: str, value: ast.expr) -> str | None:
    """Return the arguments of the call that turns a name; None where none does."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return None
    given = [ast.unparse(each) for each in (value.func.value, *value.args)]
    if not TURN.match(value.func.attr) or name not in given:
        return None
    rest = value.args if given[0] == name else value.args[1:]
    return ", ".join(map(ast.unparse, (*rest, *value.keywords)))


def _pairs(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """List pairs that a function is given together, takes apart, or returns."""
    given_back = {name for each in parts(function, ast.Return) for name in names(each)}
    taken = [each.arg for each in function.args.args if each.arg not in ("self", "cls")]
    # How a picture is turned may be given with it.
    groups = [taken] if not given_back or given_back.issuperset(taken) else []
    for node in ast.walk(function):
        match node:
            case ast.Return(value=ast.Tuple(elts=given)) | ast.Yield(value=ast.Tuple(elts=given)):
                groups.append([next(_in_order(each), "") for each in given])
            case ast.Assign(targets=targets):
                groups += [[*_in_order(each)] for each in targets if isinstance(each, ast.Tuple)]
            case ast.For(target=ast.Tuple() as target):
                groups.append([*_in_order(target)])
    seen = set()
    for group in groups:
        if len(group) == 2 and all(group) and frozenset(group) not in seen:
            seen.add(frozenset(group))
            yield group[0], group[1]


def _in_order(node: ast.expr) -> Iterator[str]:
    return (each.id for each in parts(node, ast.Name) if each.id != "torch")


# Rows that are mixed with others, and labels that are mixed with those of yet others.


def mixed_apart(tree: ast.Module) -> list[Moved]:
    """Find the labels that are mixed by another permutation than the inputs beside them.

    `a * x + (1 - a) * x[rows]` or `x[:, cut] = x[rows, cut]`, and `y[torch.randperm(n)]`: what
    draws `rows` stands for nothing but `x`.
    """
    found: list[Moved] = []
    for scope in scopes(tree):
        nodes = list(own_nodes(scope.body))
        drawn = {
            target.id
            for node in nodes
            if isinstance(node, ast.Assign)
            for target, value in bound(node)
            if isinstance(target, ast.Name) and _draws_rows(value)
        }
        first = min(
            (e.lineno for e in nodes if isinstance(e, ast.Call) and _draws_rows(e)), default=0
        )
        taken: dict[str, list[ast.Subscript]] = {}
        for node in nodes:
            if isinstance(node, ast.Subscript) and _is_drawn(node, drawn):
                taken.setdefault(ast.unparse(node.value), []).append(node)
        mixed = {
            ast.unparse(e.value) for node in nodes for e in _mixed(node) if _is_drawn(e, drawn)
        }
        labels = {name for name in taken if LABELS.search(name.rpartition(".")[2])}
        for inputs in mixed - labels:
            own = names(ast.Tuple([_place(each) for each in taken[inputs]])) & drawn
            uses = [e.id for e in nodes if isinstance(e, ast.Name) and isinstance(e.ctx, ast.Load)]
            is_own = sum(map(uses.count, own)) == len(taken[inputs])
            others = [e for name in labels for e in taken[name] if not names(_place(e)) & own]
            # With one seed, two draws may be alike.
            seeds = [
                e.lineno for e in nodes if isinstance(e, ast.Call) and "seed" in last_part(e.func)
            ]
            if others and (is_own or not own) and not any(line > first for line in seeds):
                found.append(Moved(others[0].lineno, ast.unparse(others[0]), inputs))
    return found


def _place(node: ast.Subscript) -> ast.expr:
    """Return which rows are taken."""
    places = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
    return places[0] if places else node.slice


def _draws_rows(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and last_part(node.func) in ("randperm", "permutation")


def _is_drawn(node: ast.Subscript, drawn: set[str]) -> bool:
    place = _place(node)
    return _draws_rows(place) or (isinstance(place, ast.Name) and place.id in drawn)


def _mixed(node: ast.AST) -> Iterator[ast.Subscript]:
    """Yield the rows that are mixed with those that lie there."""
    match node:
        case ast.BinOp(left=one, op=ast.Add(), right=other):
            pairs = [(one, other), (other, one)]
        case ast.Call(func=func, args=[one, other, *_]) if last_part(func) == "lerp":
            pairs = [(one, other), (other, one)]
        case ast.Assign(targets=[ast.Subscript(value=one)], value=ast.Subscript() as other):
            pairs = [(one, other)]
        case _:
            return
    for one, other in pairs:
        plain = {ast.unparse(e) for kind in (ast.Name, ast.Attribute) for e in parts(one, kind)}
        yield from (e for e in parts(other, ast.Subscript) if ast.unparse(e.value) in plain)


# Targets that are drawn.


def drawn_targets(tree: ast.Module) -> list[int]:
    """Find the lines that compare answers with noise that is drawn, once more, for this alone.

    What is to be foretold has gone into the inputs, as the noise of a diffusion. Who tries out a
    network on numbers by chance draws them before a loop, or by their size.
    """
    found, within = set[int](), parents(tree)
    # Without noise in the inputs, this is no diffusion.
    if sum(map(_is_noise, parts(tree, ast.Call))) < 2:
        return []
    for scope in scopes(tree):
        nodes = [*own_nodes(scope.body)]
        drawn = {
            each.targets[0].id: each
            for each in nodes
            if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name)
            if _is_noise(each.value)
        }
        reads = Counter(e.id for e in parts(scope, ast.Name) if isinstance(e.ctx, ast.Load))
        for call in (e for e in nodes if isinstance(e, ast.Call) and len(e.args) == 2):
            target = call.args[1]
            is_drawn = _is_noise(target)
            if isinstance(target, ast.Name) and target.id in drawn and reads[target.id] == 1:
                loops = [_loop_around(each, within) for each in (call, drawn[target.id])]
                is_drawn = loops[0] is loops[1] and not isinstance(scope, ast.Module)
            if last_part(call.func) in COMPARING and is_drawn:
                found.add(call.lineno)
    return sorted(found)


def _is_noise(node: ast.expr) -> bool:
    """Return whether this is noise of the shape of something: `randn_like(x)`, `randn(x.shape)`."""
    if not isinstance(node, ast.Call):
        return False
    is_shaped = any(e.attr in ("shape", "size") for e in parts(node, ast.Attribute))
    return last_part(node.func) == "randn_like" or (last_part(node.func) == "randn" and is_shaped)


def _loop_around(node: ast.AST, within: Mapping[ast.AST, ast.AST]) -> ast.AST | None:
    return next((e for e in around(node, within) if isinstance(e, Loop)), None)
