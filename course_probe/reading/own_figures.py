"""Held-out rows that are scaled by figures of their own, or numbered anew, by a script's text.

A scaler is fitted to the rows of the training, and changes all others by the same figures. If it is
fitted to the others anew, one number means one thing here and another thing there. So does the
number of a category, or of a word.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from course_probe.reading.held_out_names import HELD_OUT
from course_probe.reading.label_names import LABELS
from course_probe.reading.names import Names, reached
from course_probe.reading.script_text import (
    around,
    bound,
    calls_in,
    last_part,
    method,
    methods_of,
    named,
    names,
    own_nodes,
    owner_of,
    parents,
    parts,
    spots,
    worked_on,
)

SPREADS = {"std", "max", "amax", "ptp"}
ROWS = {"0", "axis=0", "dim=0"}
LIBRARIES = {"np", "numpy", "torch"}
ENCODERS = ("Encoder", "Binarizer", "Vectorizer")
"""What learns names of classes or words, and no mean."""
LABELLED = re.compile(r"(?i)class|label|categor|tag")
"""What marks a table of classes, and not of words."""
OTHERS = ("Features", "Normalizer", "Transformer", "TSNE", "UMAP", "HashingVectorizer")
"""What learns no figures, or only draws."""
COUNTED = {"set", "len", "sorted", "sum", "print", "keys"}
"""Functions and methods that ask a table of numbers only for what is in it."""
TRAINED = re.compile(r"train|(?<![a-z])(?:tr|fit|all|full|whole)(?![a-z])|^(?:data|df|x)\b")
"""What marks a name, in small letters, as one of rows to train on, or of all."""
SPLIT = re.compile(r"(?:validation\w*|valid|val|test|dev|eval)$")
"""The usual names of splits that are held out."""
FITTING = {"fit_transform", "fit"}
JOINING = {"concat", "concatenate", "append", "union", "chain"}
Scaling = tuple[ast.expr, int]
"""The rows that are scaled by their own figures, and in which line."""


def scaled_by_own(tree: ast.Module) -> list[int]:
    """Find the lines that scale held-out rows by their own mean and spread, where others are too.

    By `fit_transform` of one scaler or of several, by a function or a class of the script's, or by
    hand; for each part by its name, or for all of them in a loop.
    """
    held = Names(ast.walk(tree))
    scalers: dict[str, list[Scaling]] = {}
    again: dict[str, list[Scaling]] = {}
    for call in parts(tree, ast.Call):
        if method(call) in FITTING and call.args and isinstance(call.func, ast.Attribute):
            owner = call.func.value
            made = held.first(owner.id) if isinstance(owner, ast.Name) else owner
            if isinstance(made, ast.Call) and last_part(made.func).endswith((*ENCODERS, *OTHERS)):
                continue
            is_made = isinstance(made, ast.Call) and last_part(made.func).endswith("Scaler")
            # Networks are fitted as well.
            if method(call) == "fit" and not is_made:
                continue
            scaler = "Scaler" if is_made else ast.unparse(owner)
            scalers.setdefault(scaler, []).append((call.args[0], call.lineno))
            again.setdefault(ast.unparse(owner), []).append((call.args[0], call.lineno))
    for name, function in _functions(tree):
        given = [each.arg for each in function.args.args if each.arg != "self"][:1]
        if given and _is_scaled(list(own_nodes(function.body)), given[0]):
            for call in parts(tree, ast.Call):
                if last_part(call.func) == name and call.args:
                    scalers.setdefault(f"{name}()", []).append((call.args[0], call.lineno))
    values = [
        *(each.value for each in parts(tree, ast.Assign)),
        *(each.value for each in parts(tree, ast.DictComp)),
        *(each.elt for each in parts(tree, ast.ListComp)),
    ]
    for value in (each for each in values if not _is_of_two(each)):
        # With what its figures were computed by just before.
        figures = [_before(held, name, value.lineno) for name in names(value)]
        nodes = [node for each in figures if each is not None for node in ast.walk(each)]
        # Those of a scaler are read above.
        fits = [e for e in parts(value, ast.Call) if method(e) == "fit_transform"]
        walk = [each for each in ast.walk(value) if each not in fits]
        for one in parts(value, ast.Name):
            if _is_scaled(walk, one.id, nodes):
                scalers.setdefault("", []).append((one, value.lineno))
    turns = dict(_turns(tree, held))
    # One that also scales rows that it is not fitted to has its figures from the training.
    scaling = {ast.unparse(e.func) for e in parts(tree, ast.Call) if method(e) == "transform"}
    fitted = [
        [*_fitted_later(fits)]
        for owner, fits in again.items()
        # Of one name for several scalers, each has its own figures.
        if f"{owner}.transform" in scaling and len(held.values.get(owner, ())) < 2
    ]
    used = _Uses(tree)
    fitted += [used.asking(fits) for fits in again.values()]
    return sorted(set().union(*fitted, *(_held_out(fits, turns) for fits in scalers.values())))


class _Uses:
    """The functions of a script that train a network, and those that only ask one."""

    def __init__(self, tree: ast.Module) -> None:
        self._within = parents(tree)
        functions = {e.name: calls_in(e) for e in parts(tree, ast.FunctionDef)}
        trains = reached({"backward"}, (({name}, called) for name, called in functions.items()))
        self._training = trains & functions.keys()
        self._asking = {
            name
            for name, called in functions.items()
            if name not in trains and called & {"no_grad", "inference_mode", "eval"}
        }

    def asking(self, fits: list[Scaling]) -> list[int]:
        """Return the lines that compute figures where a network is only asked, if others train."""
        of = [(self._function(rows), line) for rows, line in fits]
        is_trained = any(name in self._training for name, _line in of)
        return [line for name, line in of if is_trained and name in self._asking]

    def _function(self, rows: ast.expr) -> str:
        outer = (e.name for e in around(rows, self._within) if isinstance(e, ast.FunctionDef))
        return next(outer, "")


def _fitted_later(fits: list[Scaling]) -> Iterator[int]:
    """Yield the lines that fit a scaler of the training to rows of neither the training nor all."""
    first, *later = ((ast.unparse(rows).lower(), line) for rows, line in fits)
    if TRAINED.search(first[0]):
        yield from (line for rows, line in later if not TRAINED.search(rows))


def numbered_anew(tree: ast.Module) -> list[int]:
    """Find the lines that number categories or words of held-out rows, where others have numbers.

    By an encoder that is fitted again, by `factorize` or a column's own `codes`, or by a function
    or a class of the script's. An encoder numbers the same labels alike; others are measured.
    """
    held, within, coders = Names(ast.walk(tree)), parents(tree), dict[str, list[Scaling]]()
    making = dict[str, tuple[ast.FunctionDef, set[str]]]()
    for name, each in _functions(tree):
        others = _numbers(each, held, within)
        if others is not None:
            making[name] = (each, others)
    for name, each in _functions(tree):
        # Who has it done by one of these does it as well.
        others = _numbers_by(each, making, within) if name not in making else None
        if others is not None:
            making[name] = (each, others)
    owners = [_owner(e) for e in parts(tree, ast.Call) if last_part(e.func) in making]
    for given in parts(tree, ast.Assign):
        match given:
            # One name for two tables, each by the order in which its values come.
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.DictComp(
                    generators=[ast.comprehension(iter=ast.Call(func=func, args=[values]))]
                ),
            ) if last_part(func) == "enumerate" and "sorted" not in calls_in(values):
                coders.setdefault(f"{name} =", []).append((values, given.lineno))
    for node in (each for each in ast.walk(tree) if isinstance(each, ast.Call | ast.Attribute)):
        rows, kind = _coded(node, held), "codes"
        if isinstance(node, ast.Call) and node.args and last_part(node.func) in making:
            function, others = making[last_part(node.func)]
            # One table that is asked to go on numbers all alike, and so does another's.
            is_on = bool(_owner(node)) and owners.count(_owner(node)) > 1
            is_on |= not others.isdisjoint(_given_to(node, function))
            rows, kind = None if is_on else node.args[0], last_part(node.func)
        if rows is None or _is_only_counted(node, tree, within):
            continue
        words = [e.value for e in parts(rows, ast.Constant) if isinstance(e.value, str)]
        is_both = bool(calls_in(rows) & JOINING)
        if not is_both and not LABELS.search(words[0] if words else ast.unparse(rows)):
            coders.setdefault(kind, []).append((rows, node.lineno))
    turns, used = dict(_turns(tree, held)), _Uses(tree)
    found = {line for coded in coders.values() for line in _held_out(coded, turns)}
    return sorted(found.union(*(used.asking(coded) for coded in coders.values())))


def _coded(node: ast.AST, held: Names) -> ast.expr | None:
    """Return the rows that a call, or an attribute, numbers by what is in them alone."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="fit_transform"), args=[rows, *_]):
            made = held.first(owner.id) if isinstance(owner, ast.Name) else owner
            name = last_part(made.func) if isinstance(made, ast.Call) else ""
            is_coder = name.endswith(ENCODERS) and not name.endswith(OTHERS)
            return rows if is_coder else None
        case ast.Call(func=ast.Attribute(value=owner, attr="factorize"), args=args):
            return args[0] if args else owner
        case ast.Attribute(
            attr="codes",
            value=ast.Attribute(
                attr="cat",
                value=ast.Call(func=ast.Attribute() as of, args=[ast.Constant(value="category")]),
            ),
        ):
            return of.value
    return None


def _numbers(
    function: ast.FunctionDef, held: Names, within: Mapping[ast.AST, ast.AST]
) -> set[str] | None:
    """Return by which names a function is given another's table, where it begins one itself.

    In which it numbers what it is given first; None where it does not.
    """
    given = [each.arg for each in parts(function.args, ast.arg) if each.arg != "self"]
    rows = _made_of(given[:1], function)
    for node in own_nodes(function.body):
        over: ast.expr | None = None
        match node:
            case ast.Assign(targets=[ast.Subscript(value=table, slice=key) as target], value=value):
                is_new = _is_numbering(target, value)
                over = key if is_new and not names(table) & {*given} else None
            case ast.DictComp(generators=[ast.comprehension(iter=ast.Call() as numbered)]):
                over = numbered if last_part(numbered.func) == "enumerate" else None
            case _:
                over = _coded(node, held)
        outer = within.get(node)
        named_so = [ast.unparse(e) for e in outer.targets] if isinstance(outer, ast.Assign) else []
        # The same classes have the same numbers in each part, once they are sorted.
        is_of_labels = LABELLED.search(" ".join((function.name, *named_so))) is not None
        if is_of_labels and "sorted" in calls_in(function):
            continue
        if over is not None and spots(over) & rows:
            return _asked_before(node, within).intersection(given)
    return None


def _numbers_by(
    function: ast.FunctionDef,
    making: Mapping[str, tuple[ast.FunctionDef, set[str]]],
    within: Mapping[ast.AST, ast.AST],
) -> set[str] | None:
    """Return the same of a function that has another one number what it is given first."""
    given = [each.arg for each in parts(function.args, ast.arg) if each.arg != "self"]
    rows = _made_of(given[:1], function)
    for call in own_nodes(function.body):
        if isinstance(call, ast.Call) and last_part(call.func) in making and call.args:
            maker, others = making[last_part(call.func)]
            if spots(call.args[0]) & rows and others.isdisjoint(_given_to(call, maker)):
                return _asked_before(call, within).intersection(given)
    return None


def _asked_before(node: ast.AST, within: Mapping[ast.AST, ast.AST]) -> set[str]:
    """Return the names that are asked for before a node: whether there is a table already."""
    outer = [*around(node, within)]
    tests = [e.test for e in outer if isinstance(e, ast.If | ast.IfExp)]
    # `words or {...}`
    tests += [e.values[0] for e in outer if isinstance(e, ast.BoolOp)]
    return {name for each in tests for name in names(each)}


def _given_to(call: ast.Call, function: ast.FunctionDef) -> set[str]:
    """Return the names under which a call gives a function something."""
    taken = [each.arg for each in function.args.args if each.arg != "self"]
    found = [*zip(taken, call.args, strict=False), *named(call).items()]
    return {name for name, value in found if name and ast.unparse(value) != "None"}


def _is_numbering(target: ast.expr, value: ast.expr) -> bool:
    """Return whether a key gets the next number: `ids[word] = len(ids)`, or of a list beside."""
    match target, value:
        case (
            ast.Subscript(value=table),
            ast.Call(args=[counted]) | ast.BinOp(left=ast.Call(args=[counted]), op=ast.Sub()),
        ):
            is_beside = all(isinstance(e, ast.Attribute) for e in (table, counted))
            return ast.unparse(table) == ast.unparse(counted) or (
                is_beside and names(table) == names(counted) and "len(" in ast.unparse(value)
            )
    return False


def _owner(call: ast.Call) -> str:
    """Return whose method is called; of what is only made there, nothing."""
    owner = owner_of(call)
    return "" if owner is None or isinstance(owner, ast.Call) else ast.unparse(owner)


def _made_of(given: Sequence[str], function: ast.FunctionDef) -> set[str]:
    """Return these names of a function, and those that it gives to what it makes of them."""
    pairs: list[tuple[ast.expr, ast.expr]] = []
    for node in own_nodes(function.body):
        match node:
            case ast.Assign():
                pairs += bound(node)
            case ast.For(target=target, iter=of) | ast.comprehension(target=target, iter=of):
                pairs.append((target, of))
            case ast.Call(func=ast.Attribute(value=owner, attr="update" | "add"), args=[of]):
                pairs.append((owner, of))
    return reached(given, ((spots(to), spots(of)) for to, of in pairs))


def _is_only_counted(node: ast.AST, tree: ast.AST, within: Mapping[ast.AST, ast.AST]) -> bool:
    """Return whether what a call gives is only asked for what is in it, or how much."""
    outer = within.get(node)
    if isinstance(outer, ast.Assign) and isinstance(outer.targets[0], ast.Name):
        of = outer.targets[0].id
        used = [e for e in parts(tree, ast.Name) if e.id == of and isinstance(e.ctx, ast.Load)]
        return bool(used) and all(_is_only_counted(e, outer, within) for e in used)
    return isinstance(outer, ast.Call) and last_part(outer.func) in COUNTED


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the functions of a script, and what its classes begin with, as they are called."""
    for each in parts(tree, ast.FunctionDef):
        yield each.name, each
    for kind in parts(tree, ast.ClassDef):
        yield from ((kind.name, e) for n, e in methods_of(kind).items() if n == "__init__")


def _turns(tree: ast.Module, held: Names) -> Iterator[tuple[ast.AST, list[str]]]:
    """Yield the names in loops over parts of the data, each with what says which parts these are.

    `for name, (x, y) in splits.items()`, of `splits = {"train": …, "test": …}`.
    """
    loops: list[tuple[ast.AST, ast.expr, ast.expr]] = []
    for loop in ast.walk(tree):
        turned = [loop] if isinstance(loop, ast.For) else getattr(loop, "generators", [])
        loops += ((loop, each.target, each.iter) for each in turned)
    for loop, target, over in loops:
        of = [over, *(value for name in names(over) if (value := held.first(name)) is not None)]
        told = [text for each in of for text in _told(each)]
        mine = names(target)
        yield from ((one, told) for one in parts(loop, ast.Name) if one.id in mine)


def _told(node: ast.expr) -> Iterator[str]:
    """Yield the names and words of a display's parts: of a dictionary, its keys."""
    of: list[ast.expr | None] = []
    match node:
        case ast.Dict():
            of = node.keys
        case ast.Tuple() | ast.List():
            of = [*node.elts]
        case ast.Call(func=ast.Name(id="zip" | "enumerate")):
            of = [*node.args]
        case ast.Call(func=ast.Name(id="dict")):
            yield from (each.arg for each in node.keywords if each.arg)
    for one in (inner for each in of if each is not None for inner in ast.walk(each)):
        if isinstance(one, ast.Name):
            yield one.id
        elif isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.value


def _before(held: Names, name: str, line: int) -> ast.expr | None:
    """Return the last value that a name was given above a line."""
    values = (each for each in held.values.get(name, ()) if each and each.lineno < line)
    return max(values, key=lambda each: each.lineno, default=None)


def _held_out(fits: list[Scaling], turns: dict[ast.AST, list[str]]) -> Iterator[int]:
    told = [(turns.get(rows) or [_marked(rows)], line) for rows, line in fits]
    is_held = [
        [bool(HELD_OUT.search(each.lower())) for each in parts_of] for parts_of, _line in told
    ]
    if any(not all(each) for each in is_held):
        yield from (line for each, (_names, line) in zip(is_held, told, strict=True) if any(each))


def _marked(rows: ast.expr) -> str:
    """Return the name among those of some rows that says that they are held out, or all of it."""
    called = [getattr(e, "id", getattr(e, "attr", "")) for e in ast.walk(rows)]
    # A split by its name is no column whose name begins so.
    called += [
        w for e in parts(rows, ast.Subscript) if SPLIT.match(w := ast.unparse(e.slice)[1:-1])
    ]
    if not parts(rows, ast.Subscript):
        # Of a file, the words of its name.
        called += [w for e in parts(rows, ast.Constant) for w in re.findall(r"\w+", str(e.value))]
    return next((e for e in called if HELD_OUT.search(e.lower())), ast.unparse(rows))


def _is_scaled(nodes: list[ast.AST], name: str, before: Sequence[ast.AST] = ()) -> bool:
    """Return whether rows of this name lose their own mean, and are divided by their own spread.

    Their figures may be computed before.
    """
    is_taken = False
    for node in nodes:
        match node:
            case ast.BinOp(left=rows, op=ast.Sub() | ast.Div()):
                is_taken |= _is_of(rows, name)
            case ast.Call(args=[rows, _, _, *_]):
                # `standardize(x, mean, std)`
                is_taken |= _is_of(rows, name)
    asked = {each for node in (*nodes, *before) for each in _asked(node, name)}
    return is_taken and bool(asked & SPREADS) and bool(asked & {"mean", "min", "amin"})


def _is_of_two(value: ast.expr) -> bool:
    """Return whether two tables that have lost their means are multiplied, as for a correlation."""
    return any(
        isinstance(each.op, ast.Mult)
        and all(
            any(
                isinstance(one.op, ast.Sub) and "mean" in calls_in(one.right)
                for one in parts(side, ast.BinOp)
            )
            for side in (each.left, each.right)
        )
        for each in parts(value, ast.BinOp)
    )


def _asked(node: ast.AST, name: str) -> Iterator[str]:
    """Yield the figure that a call computes of these rows, column by column."""
    of = worked_on(node) if isinstance(node, ast.Call) and method(node) else []
    if isinstance(node, ast.Call) and of and _is_of(of[0], name):
        given = {ast.unparse(each) for each in (*of[1:], *node.keywords)}
        yield from [method(node)] if given & ROWS else []


def _is_of(node: ast.expr, name: str) -> bool:
    """Return whether these are the rows of a name, or some of its columns."""
    return ast.unparse(node.value if isinstance(node, ast.Subscript) else node) == name
