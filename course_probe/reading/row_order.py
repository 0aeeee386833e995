"""Where the text of a script puts inputs and labels into different orders, and then pairs them.

Orders are followed from statement to statement: a shuffle, a permutation, a sort or a split adds
to the order of what it is given, what works on each row keeps it. Where two orders meet in one
expression, nothing is known; nor is of what is made of constants, which may fit any order.
"""

import ast
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from course_probe.reading.label_names import LABELS
from course_probe.reading.script_text import (
    in_order,
    is_library,
    last_part,
    methods_of,
    named,
    owner_of,
    parts,
    says,
    worked_on,
)


class Move(NamedTuple):
    """Something that changes the order of rows: two with the same `key` change it alike."""

    kind: str
    key: str
    line: int


@dataclass(frozen=True)
class Apart:
    """Inputs and labels that are paired, and one of them was moved without the other.

    `line` is where it was moved, `moved` and `other` the code of both where they are `paired`.
    Are they `crossed`, each is of another part of one split.
    """

    line: int
    moved: str
    other: str
    paired: int
    crossed: bool = False


@dataclass(frozen=True)
class Pairing:
    """What a script pairs: so many `pairs` of inputs and labels, and which of them lie `apart`."""

    pairs: int = 0
    apart: tuple[Apart, ...] = ()


Order = tuple[Move, ...] | None
"""All moves since the rows were loaded; None where that is not known."""
SHUFFLES = {"shuffle", "split", "pick"}
"""Moves that lead anywhere: two of them, not alike, lead apart."""
PICKS = {"randint", "integers", "choice"}
"""What draws places of rows; it may be data as well, so one of them alone tells nothing."""
TEXTS = re.compile(r"text|sentence|doc|review|image|img|premise|question", re.IGNORECASE)
INPUTS = re.compile(rf"^x|_x$|input|feature|data|^ids$|enc|token|example|{TEXTS.pattern}", re.I)
NO_ROWS = re.compile(
    r"tokeni[sz]er|vectori[sz]er|encoder$|decoder$|embedder$|collator$|(?:process|extract)or$"
    r"|transforms?$|(?:dir|path|folder|root|file)$"
    r"|(?:^|_)(?:max|min|num|n|size|len|length|dims?|width|height|shape|mode|config|model)(?:_|$)",
    re.IGNORECASE,
)
"""What stands beside rows, and is none by its name: `tokenizer`, `image_size`, `data_dir`."""
CONSTANT = {"len", "range", "zeros", "ones", "full", "arange", "zeros_like", "ones_like"} | {
    "full_like",
    "tile",
    "repeat",
    "linspace",
}
FORMS = {
    *("long", "float", "int", "bool", "double", "half", "to", "type", "type_as", "astype"),
    *("cpu", "cuda", "view", "reshape", "squeeze", "unsqueeze", "clone", "fill_"),
}
"""Methods after which constants are still constants, of another type or shape."""
COLUMNS = {"columns", "column_names", "feature_names"}
"""Attributes that name columns, in whose order there are no rows."""
HELD_OUT = re.compile(r"val|test|dev|eval|held", re.IGNORECASE)
"""How rows are called that are held out."""
LOSS = re.compile(r"loss|criterion|cross_entropy", re.IGNORECASE)
OF_TWO = re.compile(r"^(?:MSE|L1|SmoothL1|Huber|BCE|BCEWithLogits|CrossEntropy|NLL)Loss$")
"""Losses of outputs and targets, in this order: what a script calls so may have any name."""
FUNCTION = re.compile(
    r"^(?:(?:smooth_)?l1|mse|huber|nll)_loss$|^(?:binary_)?cross_entropy(?:_with_logits)?$"
)
"""The same as functions."""
BARE = {"values", "to_numpy", "tolist", "to_list", "list", "array", "permutation", "sorted"}
"""What gives the values of a column without their index, by which a table lays them in order."""
TRAINING = {"backward", "fit", "train", "apply_gradients", "minimize"}


def pairing(tree: ast.Module) -> Pairing:
    """Find what the text of a script that trains pairs; where several pairs lie apart, by line."""
    if TRAINING.isdisjoint(node.attr for node in parts(tree, ast.Attribute)):
        return Pairing()
    classes = {node.name: _parameters(node) for node in parts(tree, ast.ClassDef) if node.bases}
    functions = parts(tree, ast.FunctionDef)
    classes |= {each.name: _arguments(each) for each in functions if _takes_rows(each)}
    scopes = [(tree.body, False), *((each.body, _collates(each)) for each in functions)]
    losses = {
        last_part(target)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        for target in node.targets
        if OF_TWO.match(last_part(node.value.func))
    }
    pairs, found = 0, dict[int, Apart]()
    returns: dict[str, list[Order]] = {}
    for function in functions:
        inside = Statements(classes)
        inside.run(function.body)
        columns = inside.returned[-1] if len(inside.returned) == 1 else []
        is_seeded = "seed" in (code := ast.unparse(function)) or "state" in code
        if _by_two_draws(columns) or (_shuffles(columns) and not is_seeded):
            returns[function.name] = columns
    moved = _moved_by_methods(tree, classes, returns)
    for body, collates, attributes in [*((*each, {}) for each in scopes), *moved]:
        scope = Statements(classes, {**attributes}, set(), losses=set(losses), collates=collates)
        scope.returns = returns
        scope.run(body)
        pairs += len(scope.pairs) + len(scope.columns)
        for each in scope.apart():
            found.setdefault(each.line, each)
    return Pairing(pairs, tuple(sorted(found.values(), key=lambda each: each.line)))


@dataclass(frozen=True)
class _Pair:
    inputs: ast.expr
    labels: ast.expr
    orders: tuple[Order, Order]
    by_loss: bool
    is_cut: bool
    by_index: bool = False


class _UnknownError(Exception):
    """An order that can't be told."""


@dataclass
class Statements:
    """The statements of a module or of a function, one after the other.

    `orders` are those of its names so far, `constant` the names in which there is no data. Of the
    generators of chance it is known how they were `made`, and how often they have `drawn`. Of the
    script's `classes` the parameters are known; a function that `collates` returns a batch. Of its
    functions that return several columns of a table it is known how these lie: `returns`.
    """

    classes: dict[str, list[str]]
    orders: dict[str, Order] = field(default_factory=dict)
    constant: set[str] = field(default_factory=set)
    picks: dict[str, Move] = field(default_factory=dict)
    pairs: list[_Pair] = field(default_factory=list)
    columns: list[Apart] = field(default_factory=list)
    losses: set[str] = field(default_factory=set)
    made: dict[str, str] = field(default_factory=dict)
    drawn: dict[str, int] = field(default_factory=dict)
    collates: bool = False
    returns: dict[str, list[Order]] = field(default_factory=dict)
    returned: list[list[Order]] = field(default_factory=list)

    # Statements.

    def run(self, body: Sequence[ast.stmt]) -> None:
        """Follow some statements."""
        for each in in_order(body):
            if isinstance(each, ast.For | ast.AsyncFor):
                self._look(each.iter)
                self.bind_each(each.target, each.iter)
            elif isinstance(each, ast.Assign):
                self._look(each.value)
                for target in each.targets:
                    self._assign(target, each.value)
            elif isinstance(each, ast.AnnAssign) and each.value is not None:
                self._look(each.value)
                self._assign(each.target, each.value)
            elif isinstance(each, ast.AugAssign):
                self._set(each.target, None)
            elif isinstance(each, ast.Expr):
                self._look(each.value)
                self._in_place(each.value)
            elif isinstance(each, ast.Return) and each.value is not None:
                self._look(each.value)
                self._look_at_parts(each.value)
                self._look_at_batch(each.value)
                columns = each.value.elts if isinstance(each.value, ast.Tuple) else [each.value]
                self.returned.append([self._order(column) for column in columns])

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
                each = [(self._order(v), self.is_constant(v)) for v in value.elts]
                for one, (order, constant) in zip(target.elts, each, strict=True):
                    self._set(one, order, constant=constant)
                self._look_at_index(value.elts)
                return
            split = self._split(target, value) or self._returned(target, value)
            order = self._order(value) if split is None else None
            for number, one in enumerate(target.elts):
                self._set(one, split[number] if split is not None else order)
            return
        if isinstance(target, ast.Subscript):
            if self._moves_column(target, value):
                whole, line = ast.unparse(target.value), target.lineno
                self.columns.append(Apart(line, ast.unparse(target), whole, line))
            elif self._order(value) != () and not _is_column(target.slice):
                # Rows of another order are put among those that were there.
                self._set(target.value, None)
            return
        if isinstance(value, ast.Call) and OF_TWO.match(last_part(value.func)):
            self.losses.add(last_part(target))
        self._set(target, self._order(value), constant=self.is_constant(value))
        if isinstance(target, ast.Name) and (pick := self._pick(value)):
            self.picks[target.id] = pick

    def _moves_column(self, target: ast.Subscript, value: ast.expr) -> bool:
        """Return whether a table's column is put back in another order, without its index."""
        old, new = self._order(target.value), self._order(value)
        if not _is_column(target.slice) or old is None or new is None or new[: len(old)] != old:
            return False
        name = value.attr if isinstance(value, ast.Attribute) else ""
        name = last_part(value.func) if isinstance(value, ast.Call) else name
        return name in BARE and any(move.kind in ("shuffle", "sort") for move in new[len(old) :])

    def _split(self, target: ast.Tuple | ast.List, value: ast.expr) -> list[Order] | None:
        """Return the orders of the parts that `train_test_split` makes; None for other calls."""
        if not isinstance(value, ast.Call) or last_part(value.func) != "train_test_split":
            return None
        if len(target.elts) != 2 * len(value.args) or says(value, "shuffle", False):
            return None
        seed = named(value).get("random_state")
        key = ast.unparse(seed) if seed is not None and ast.unparse(seed) != "None" else ""
        moves = [
            Move("split", f"{key or f'line {value.lineno}'}, part {part}", value.lineno)
            for part in (1, 2)
        ]
        return [_moved(self._order(each), move) for each in value.args for move in moves]

    def _returned(self, target: ast.Tuple | ast.List, value: ast.expr) -> list[Order] | None:
        """Return the orders of what a function of the script returns; None for other calls."""
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
            return None
        found, given = self.returns.get(value.func.id, []), self._order(value)
        if len(found) != len(target.elts) or given is None:
            return None
        return [None if each is None else (*given, *each) for each in found]

    def _set(self, target: ast.expr, order: Order, *, constant: bool = False) -> None:
        if isinstance(target, ast.Name | ast.Attribute):
            name = ast.unparse(target)
            self.orders[name] = order
            self.picks.pop(name, None)
            (self.constant.add if constant else self.constant.discard)(name)
        elif isinstance(target, ast.Tuple | ast.List):
            for each in target.elts:
                self._set(each, order)

    def bind_each(self, target: ast.expr, source: ast.expr) -> None:
        """Set the orders of the names that a loop, or a comprehension, binds."""
        if isinstance(source, ast.Call) and isinstance(target, ast.Tuple):
            name, given = last_part(source.func), source.args
            if name == "enumerate" and given and len(target.elts) == 2:
                self._set(target.elts[0], (), constant=True)
                self.bind_each(target.elts[1], given[0])
                return
            if name == "zip" and len(given) == len(target.elts):
                for one, each in zip(target.elts, given, strict=True):
                    self._set(one, self._order(each), constant=self.is_constant(each))
                return
        self._set(target, self._order(source), constant=self.is_constant(source))

    def _in_place(self, value: ast.expr) -> None:
        """Take in `random.shuffle(rows)`, `rows.sort()`, `random.seed(0)`."""
        if isinstance(value, ast.Call) and "seed" in last_part(value.func):
            self.drawn[""] = 0
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
            return
        owner, name = value.func.value, value.func.attr
        if name in ("seed", "manual_seed") or name.startswith("set_seed"):
            key = ast.unparse(value.func.value)
            self.made[key] = f"seed {', '.join(map(ast.unparse, value.args))}"
            self.drawn[key] = 0
        elif name == "shuffle" and value.args:
            self._set(value.args[0], _moved(self._order(value.args[0]), self._draw(value)))
        elif name in ("append", "extend") and value.args:
            order = self._order(value.args[0])
            # Batches of rows that were moved, one after another, may lie as these do.
            if order is None or _unpicked(order):
                self._set(owner, None)
            elif not self.is_constant(value.args[0]):
                self.constant.discard(ast.unparse(owner))
        elif (name in ("sort", "reverse") and isinstance(owner, ast.Name)) or (
            name in ("sort_values", "sort_index", "sample") and says(value, "inplace", True)
        ):
            self._set(owner, _moved(self._order(owner), _at("sort", value)))

    def _draw(self, call: ast.Call) -> Move:
        """Return a random generator's move: alike if it was made alike, and as often asked."""
        owner = owner_of(call)
        given = named(call)
        seed = given.get("seed") or given.get("random_state")
        if isinstance(seed, ast.Constant) and seed.value is not None:
            return Move("shuffle", f"seed {seed.value!r}", call.lineno)
        name = ast.unparse(owner) if owner is not None else ""
        if name not in self.made:
            return _at("shuffle", call)
        self.drawn[name] += 1
        return Move("shuffle", f"{self.made[name]}, {self.drawn[name]}", call.lineno)

    def _pick(self, node: ast.expr) -> Move | None:
        """Return the move of a call that draws places of rows; None for all else."""
        if not isinstance(node, ast.Call) or last_part(node.func) not in PICKS:
            return None
        return self._draw(node)._replace(kind="pick")

    # Expressions.

    def _order(self, node: ast.expr) -> Order:
        try:
            return self.follow(node)
        except _UnknownError:
            return None

    def follow(self, node: ast.expr) -> tuple[Move, ...]:
        """Return the order of an expression's rows.

        Raises:
            _UnknownError: it can't be told.

        """
        match node:
            case ast.Name() | ast.Attribute():
                return self._of_name(node)
            case ast.Subscript():
                base = self.follow(node.value)
                rows = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) else node.slice
                if pick := self._pick(rows) or self.picks.get(ast.unparse(rows)):
                    return (*base, pick)
                if isinstance(rows, ast.Slice | ast.Constant | ast.List):
                    return base
                match rows:
                    case ast.Compare() | ast.UnaryOp(op=ast.Invert()):
                        return (*base, Move("filter", ast.unparse(rows), rows.lineno))
                return base + self.follow(rows)
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                return self._of_comprehension(node)
            case ast.Call():
                return self._of_call(node)
            case ast.BinOp(op=ast.MatMult()) if self.follow(node.left):
                # The rows are those of the left matrix.
                return self.follow(node.left)
            case ast.BinOp():
                sides = [p for p in (node.left, node.right) if not self.is_constant(p)]
                # Else these are rows behind rows, or rows mixed with others.
                return _common({self.follow(each) for each in sides})
            case ast.Starred():
                return self.follow(node.value)
            case ast.Constant() | ast.Lambda() | ast.JoinedStr():
                return ()
        return self._join(n for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr))

    def _of_name(self, node: ast.Name | ast.Attribute) -> tuple[Move, ...]:
        name = ast.unparse(node)
        if name in self.orders:
            order = self.orders[name]
            if order is None:
                raise _UnknownError
            return order
        if isinstance(node, ast.Attribute) and node.attr == "dataset":
            # What a loader draws from lies as it did before.
            raise _UnknownError
        return self.follow(node.value) if isinstance(node, ast.Attribute) else ()

    def _join(self, nodes: Iterable[ast.expr]) -> tuple[Move, ...]:
        return _common({self.follow(each) for each in nodes} - {()})

    def _of_comprehension(
        self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp
    ) -> tuple[Move, ...]:
        if len(node.generators) > 1:
            if all(self.is_constant(each.iter) for each in node.generators):
                return ()
            raise _UnknownError
        (generator,) = node.generators
        if last_part(generator.iter) in COLUMNS:
            return ()
        inner = Statements(self.classes, dict(self.orders), set(self.constant))
        inner.bind_each(generator.target, generator.iter)
        found = inner.follow(node.value if isinstance(node, ast.DictComp) else node.elt)
        if not generator.ifs:
            return found
        key = " and ".join(map(ast.unparse, generator.ifs))
        return (*found, Move("filter", key, node.lineno))

    def _of_call(self, call: ast.Call) -> tuple[Move, ...]:
        name = last_part(call.func)
        given = [*call.args, *(each.value for each in call.keywords)]
        owner = owner_of(call)
        # The words of one text are no rows.
        if name in CONSTANT or name == "join":
            return ()
        if (drawn := self._of_chance(call, name, owner)) is not None:
            return drawn
        if owner is None and len(given) == 1 and _shuffles(self.returns.get(name, [])):
            # A function of the script's own draws each time anew, if no seed was set before.
            self.drawn[""] = self.drawn.get("", 0) + 1
            key = f"{name}, {sorted(self.made.items())}, {self.drawn['']}"
            return (*self.follow(given[0]), Move("shuffle", key, call.lineno))
        if name == "fit" and owner is not None and given:
            # What has learned from rows has none.
            return ()
        if name in ("transform", "fit_transform", "inverse_transform") and call.args:
            return self._join(given)
        if name in ("sort_values", "sort_index", "sort", "sorted", "argsort", "set"):
            axes = [*call.args[-1:], *(k.value for k in call.keywords if k.arg in ("dim", "axis"))]
            # Each row by itself keeps its place.
            is_of_rows = any(ast.unparse(each) in ("1", "-1") for each in axes)
            moves = () if is_of_rows else (_at("sort", call),)
            return next(((*self.follow(each), *moves) for each in worked_on(call)), ())
        if name in ("dropna", "drop_duplicates", "filter") and owner is not None:
            return (*self.follow(owner), _at("filter", call))
        if name == "DataLoader" and call.args:
            found = self.follow(call.args[0])
            is_moved = says(call, "shuffle", True)
            return (*found, _at("shuffle", call)) if is_moved else found
        return self._join([*given, *([owner] if owner is not None else [])])

    def _of_chance(
        self, call: ast.Call, name: str, owner: ast.expr | None
    ) -> tuple[Move, ...] | None:
        """Return the order of rows that are shuffled at random; None for other calls."""
        source: ast.expr | None = None
        if name in ("permutation", "randperm", "shuffle", "sample") and call.args:
            is_of_numbers = name in ("permutation", "randperm")
            source = call.args[0] if is_of_numbers or is_library(owner) else None
        if source is not None:
            return (*self.follow(source), self._draw(call))
        if owner is None or (name == "sample" and named(call).get("frac") is None):
            return None
        # The split of a data set gives both parts, from which one is chosen by name.
        is_split = name == "train_test_split" and not call.args
        if name in ("shuffle", "sample") or (is_split and not says(call, "shuffle", False)):
            return (*self.follow(owner), self._draw(call))
        return None

    def is_constant(self, node: ast.expr) -> bool:
        """Return whether nothing of the data is in it: `[1] * len(rows)`, `torch.zeros(n)`."""
        match node:
            case ast.Constant():
                return True
            case ast.Name():
                return node.id in self.constant
            case ast.List() | ast.Tuple():
                return len(node.elts) < 2 and all(map(self.is_constant, node.elts))
            case ast.BinOp():
                return self.is_constant(node.left) and self.is_constant(node.right)
            case ast.UnaryOp():
                return self.is_constant(node.operand)
            case ast.Call():
                if last_part(node.func) in ("tensor", "array", "asarray", "list") and node.args:
                    return self.is_constant(node.args[0])
                if last_part(node.func) in ("cat", "concatenate", "hstack") and node.args:
                    return _are_places(node.args[0])
                owner = owner_of(node)
                if owner is not None and last_part(node.func) in FORMS:
                    return self.is_constant(owner)
                return last_part(node.func) in CONSTANT
            case ast.ListComp() | ast.GeneratorExp():
                inner = Statements(self.classes, dict(self.orders), set(self.constant))
                for each in node.generators:
                    inner.bind_each(each.target, each.iter)
                return inner.is_constant(node.elt)
        return False

    # Pairs.

    def _look(self, value: ast.expr) -> None:
        """Remember what an expression pairs."""
        for call in parts(value, ast.Call):
            name, found = last_part(call.func), [*_paired(call, self.classes)]
            if not found and len(call.args) >= 2 and (name in self.losses or FUNCTION.match(name)):
                # The loss of a known kind has outputs first, then targets.
                found = [(call.args[0], call.args[1])]
            for inputs, labels in found:
                orders = self._order(inputs), self._order(labels)
                if self.is_constant(inputs) or self.is_constant(labels):
                    continue
                by_loss = bool(LOSS.search(name)) or name in self.losses
                is_cut = name == "zip" or name in self.classes
                self.pairs.append(_Pair(inputs, labels, orders, by_loss, is_cut))

    def _look_at_batch(self, value: ast.expr) -> None:
        """Remember what a function that collates puts into one batch."""
        if isinstance(value, ast.Dict):
            keys = [each.value if isinstance(each, ast.Constant) else "" for each in value.keys]
            given = list(zip(map(str, keys), value.values, strict=True))
        else:
            columns = value.elts if isinstance(value, ast.Tuple) else []
            given = [(_root(each), each) for each in columns]
        labels = [each for name, each in given if LABELS.search(name)]
        inputs = [each for name, each in given if not LABELS.search(name)]
        if not self.collates or len(labels) != 1 or self.is_constant(labels[0]):
            return
        for each in inputs:
            if not self.is_constant(each):
                orders = self._order(each), self._order(labels[0])
                self.pairs.append(_Pair(each, labels[0], orders, by_loss=False, is_cut=False))

    def _look_at_index(self, values: list[ast.expr]) -> None:
        """Remember `x[rows], y[rows]`: rows that are taken by one index belong together."""
        taken = [v for v in values if isinstance(v, ast.Subscript) and type(v.slice) is ast.Name]
        if len(taken) == len(values) and len({ast.unparse(each.slice) for each in taken}) == 1:
            for one, other in itertools.combinations(taken, 2):
                orders = self._order(one), self._order(other)
                self.pairs.append(_Pair(one.value, other.value, orders, False, False, True))

    def _look_at_parts(self, value: ast.expr) -> None:
        """Remember `x[:n], (y[:n] - mean) / std`, or `x[i], y[i]`: of the same rows."""
        for each in parts(value, ast.Tuple):
            match [parts(one, ast.Subscript)[:1] for one in each.elts]:
                case [[one], [other]] if ast.dump(one.slice) == ast.dump(other.slice):
                    is_place = isinstance(one.slice, ast.Slice | ast.Name)
                    if is_place and INPUTS.search(_root(one)) and LABELS.search(_root(other)):
                        orders = self._order(one.value), self._order(other.value)
                        self.pairs.append(_Pair(one.value, other.value, orders, False, False))

    def apart(self) -> Iterator[Apart]:
        """Yield the pairs whose orders differ.

        A loss of the same outputs that is given the labels in their order, too, mixes on purpose.
        """
        yield from self.columns
        mixed = {
            ast.unparse(p.inputs) for p in self.pairs if p.by_loss and p.orders[0] == p.orders[1]
        }
        # What is paired both as it lies and in another order is compared with others on purpose.
        kept = {
            ast.unparse(each)
            for p in self.pairs
            if p.by_index and p.orders[0] == p.orders[1]
            for each in (p.inputs, p.labels)
        }
        for pair in self.pairs:
            if pair.by_index and (_is_drawn(pair) and kept & _names(pair)):
                continue
            if _is_crossed(pair):
                at = pair.inputs.lineno
                labels, inputs = ast.unparse(pair.labels), ast.unparse(pair.inputs)
                yield Apart(at, labels, inputs, at, crossed=True)
                continue
            line, is_inputs = _first_apart(pair)
            if line is None or (pair.by_loss and ast.unparse(pair.inputs) in mixed):
                continue
            both = [ast.unparse(pair.inputs), ast.unparse(pair.labels)]
            moved, other = both if is_inputs else reversed(both)
            yield Apart(line, moved, other, pair.inputs.lineno)


def _is_column(place: ast.expr) -> bool:
    """Return whether a column of a table is named, and no row."""
    return isinstance(place, ast.Constant) and isinstance(place.value, str)


def _are_places(node: ast.expr) -> bool:
    """Return whether places of rows are put together: `[torch.arange(n) + n, torch.arange(n)]`."""
    found = node.elts if isinstance(node, ast.List | ast.Tuple) else []
    counts = [each.left if isinstance(each, ast.BinOp) else each for each in found]
    return bool(counts) and all(
        isinstance(each, ast.Call) and last_part(each.func) == "arange" for each in counts
    )


def _is_crossed(pair: _Pair) -> bool:
    """Return whether the inputs are one part of a split, and the labels the other part of it."""
    inputs, labels = pair.orders
    if not inputs or not labels or inputs[:-1] != labels[:-1]:
        return False
    (kind, key, line), other = inputs[-1], labels[-1]
    is_alike = other.kind == kind == "split" and other.line == line
    return is_alike and other.key != key


def _first_apart(pair: _Pair) -> tuple[int | None, bool]:
    """Find the line that has moved one of a pair alone, and whether it is that of the inputs."""
    inputs, labels = pair.orders
    if inputs is None or labels is None:
        return None, False
    if not all(any(move.kind == "pick" for move in order) for order in (inputs, labels)):
        # Rows are looked up with what is drawn: `inputs = centres[labels]`.
        inputs, labels = _unpicked(inputs), _unpicked(labels)
    keys = [[(move.kind, move.key) for move in order] for order in (inputs, labels)]
    while inputs and labels and keys[0][0] == keys[1][0]:
        inputs, labels, keys = inputs[1:], labels[1:], [keys[0][1:], keys[1][1:]]
    while inputs and labels and keys[0][-1] == keys[1][-1]:
        inputs, labels, keys = inputs[:-1], labels[:-1], [keys[0][:-1], keys[1][:-1]]
    left = inputs or labels
    if not left or (left[0].kind == "filter" and not pair.is_cut):
        return None, False
    if inputs and labels:
        return (labels[0].line, False) if _by_two_draws([inputs, labels]) else (None, False)
    return left[0].line, bool(inputs)


def _unpicked(order: tuple[Move, ...]) -> tuple[Move, ...]:
    return tuple(move for move in order if move.kind != "pick")


def _common(found: set[tuple[Move, ...]]) -> tuple[Move, ...]:
    """Return the one order of all; what only some look up with a draw is left out.

    Raises:
        _UnknownError: they differ.

    """
    found = found if len(found) < 2 else set(map(_unpicked, found))
    if len(found) > 1:
        raise _UnknownError
    return found.pop() if found else ()


def _by_two_draws(orders: Sequence[Order]) -> bool:
    """Return whether some of these are moved once, by chance, and in different ways."""
    moves = [o[0] for o in orders if o and len(o) == 1 and o[0].kind in SHUFFLES]
    return len({each.key for each in moves}) > 1


def _shuffles(columns: list[Order]) -> bool:
    """Return whether a function gives back what it was given, in an order that it draws."""
    (order,) = columns if len(columns) == 1 else (None,)
    drawn = [(each.kind, each.key[:4]) for each in order or ()]
    return drawn == [("shuffle", "line")]


def _moved_by_methods(
    tree: ast.Module, classes: dict[str, list[str]], returns: dict[str, list[Order]]
) -> Iterator[tuple[list[ast.stmt], bool, dict[str, Order]]]:
    """Yield the methods that use what another one of their class has shuffled by chance."""
    for kind in parts(tree, ast.ClassDef):
        for one in (functions := [e for e in kind.body if isinstance(e, ast.FunctionDef)]):
            scope = Statements(classes, returns=returns)
            scope.run(one.body)
            drawn: dict[str, Order] = {
                name: order
                for name, order in scope.orders.items()
                if name.startswith("self.") and order and {e.kind for e in order} == {"shuffle"}
            }
            yield from ((each.body, False, drawn) for each in functions if drawn and each != one)


def _is_drawn(pair: _Pair) -> bool:
    """Return whether chance has moved one of a pair alone."""
    apart = set(pair.orders[0] or ()) ^ set(pair.orders[1] or ())
    return any(move.kind in SHUFFLES for move in apart)


def _names(pair: _Pair) -> set[str]:
    return {ast.unparse(pair.inputs), ast.unparse(pair.labels)}


def _parameters(kind: ast.ClassDef) -> list[str]:
    """Return the parameters that a class of the script's is made with, in their order."""
    begin = methods_of(kind).get("__init__")
    return [] if begin is None else _arguments(begin)[1:]


def _collates(function: ast.FunctionDef) -> bool:
    """Return whether a function makes a batch of examples, by its name."""
    return "collate" in function.name and bool(function.args.args)


def _arguments(function: ast.FunctionDef) -> list[str]:
    return [each.arg for each in function.args.args]


def _takes_rows(function: ast.FunctionDef) -> bool:
    """Return whether a function takes the same places of two of its arguments, or pairs them."""
    taken: dict[str, set[str]] = {}
    for each in parts(function, ast.Subscript):
        if isinstance(each.value, ast.Name) and isinstance(each.slice, ast.Slice):
            taken.setdefault(ast.dump(each.slice), set()).add(each.value.id)
    zipped = (e for e in parts(function, ast.Call) if last_part(e.func) == "zip")
    both = [*taken.values(), *({last_part(one) for one in each.args} for each in zipped)]
    return any(len(each.intersection(_arguments(function))) > 1 for each in both)


def _paired(call: ast.Call, classes: dict[str, list[str]]) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what a call pairs, row by row: inputs, and labels by their name."""
    name, given = last_part(call.func), list(call.args)
    if name in ("from_dict", "from_tensor_slices") and given:
        inner = given[0]
        if isinstance(inner, ast.Dict):
            keys = [k.value if isinstance(k, ast.Constant) else "" for k in inner.keys]
            labels = [v for k, v in zip(keys, inner.values, strict=True) if LABELS.search(str(k))]
            inputs = [v for v in inner.values if v not in labels]
            yield from ((i, each) for each in labels[:1] for i in inputs)
            return
        given = inner.elts if isinstance(inner, ast.Tuple) else []
    elif name == "add_column" and isinstance(call.func, ast.Attribute) and len(given) > 1:
        column = given[0]
        if isinstance(column, ast.Constant) and LABELS.search(str(column.value)):
            yield call.func.value, given[1]
        return
    elif not (name in ("zip", "TensorDataset", "fit") or name in classes or LOSS.search(name)):
        return
    if name == "fit" and isinstance(call.func, ast.Name):
        # A function of the script's own, which takes what it likes.
        return
    if name == "fit":
        # What is held out follows; where it comes second, each is of pairs.
        given = [] if any(HELD_OUT.search(_root(each)) for each in given[1:2]) else given[:2]
    given = [each for each in given if not LOSS.search(_root(each))]
    inputs = [g for g in given if not LABELS.search(_root(g)) and not isinstance(g, ast.Starred)]
    labels = [g for g in given if LABELS.search(_root(g))]
    if labels:
        at = given.index(labels[0])
        # A table of tensors has further columns behind; a loss may have weights there.
        before = [each for each in inputs if given.index(each) < at]
        inputs = inputs if name == "TensorDataset" else before or inputs
    labels += [v for k, v in named(call).items() if LABELS.search(str(k))]
    if not labels:
        # What the class itself takes for labels.
        roles = zip(given, classes.get(name, []), strict=False)
        labels = [each for each, role in roles if LABELS.search(role)]
        inputs = [each for each in inputs if each not in labels]
    if not labels and name in ("TensorDataset", "fit") and len(given) > 1:
        inputs, labels = given[:-1], given[-1:]
    if name == "zip" or name in classes:
        roots = [(each, _root(each)) for each in inputs]
        inputs = [each for each, root in roots if INPUTS.search(root) and not NO_ROWS.search(root)]
    yield from ((i, each) for each in labels[:1] for i in inputs[:3])


def _root(node: ast.expr) -> str:
    """Return the name that an expression is made of: `labels` of `torch.tensor(labels[:8])`."""
    while True:
        match node:
            case ast.Name():
                return node.id
            case ast.Attribute(value=ast.Name(id="self")):
                return node.attr
            case ast.Call() if node.args and not _is_method_of_data(node):
                node = node.args[0]
            case ast.Call():
                node = node.func
            case ast.Attribute() | ast.Subscript() | ast.Starred():
                column = node.slice if isinstance(node, ast.Subscript) else None
                if isinstance(column, ast.Constant) and isinstance(column.value, str):
                    return column.value
                node = node.value
            case _:
                return ""


def _is_method_of_data(call: ast.Call) -> bool:
    return not is_library(owner_of(call))


def _moved(order: Order, move: Move) -> Order:
    return None if order is None else (*order, move)


def _at(kind: str, node: ast.expr) -> Move:
    """Make a move that is like no other."""
    return Move(kind, f"line {node.lineno}, {node.col_offset}", node.lineno)
