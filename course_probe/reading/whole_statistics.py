"""Means and deviations that the text of a script takes of all rows, which it also splits.

`mean, std = X.mean(0), X.std(0)` beside `X[order[:n]]` and `X[order[n:]]`: what the one part is
scaled by tells of the other. Both a place and a width are asked for: a mean by itself may be told.
Batches are parts too; only two that leave no row out, and share none, are a split. What is a part
already may be trained on as a whole in the end, and the scale of labels tells nothing of them.
"""

import ast
from collections.abc import Iterator

from course_probe.reading.folds import split_calls
from course_probe.reading.label_names import LABELS
from course_probe.reading.later_rows import windows_of
from course_probe.reading.names import Names, given
from course_probe.reading.script_text import (
    bound,
    calls_in,
    given_back,
    last_part,
    method,
    names,
    own_nodes,
    owner_of,
    parts,
    worked_on,
)

PLACES = {"mean": "std", "median": "std", "min": "max", "amin": "amax", "nanmean": "nanstd"}
FITTED = {
    *("StandardScaler", "MinMaxScaler", "RobustScaler", "MaxAbsScaler", "QuantileTransformer"),
    *("PowerTransformer", "KBinsDiscretizer", "SimpleImputer", "KNNImputer", "IterativeImputer"),
    *("PCA", "IncrementalPCA", "KernelPCA", "TruncatedSVD", "NMF", "FastICA", "TfidfVectorizer"),
    *("LinearDiscriminantAnalysis", "PLSRegression", "TargetEncoder", "VarianceThreshold"),
    # What chooses columns by their labels.
    *("SelectKBest", "SelectPercentile", "SelectFromModel", "SelectFpr", "SelectFdr", "RFE"),
}
"""What learns numbers of the rows that it is fitted to, and changes others by them."""
SPLITS = {"train_test_split", "random_split"}
SAME_ROWS = {
    *("to_numpy", "astype", "float", "double", "copy", "clone", "numpy", "to"),
    *("toarray", "todense"),
}
"""Methods that give the same rows again."""
DEEPEST = 20
"""How often it is asked what a name was made of."""
MEANS = {"mean", "median", "agg", "aggregate", "transform", "sum"}
GIVING = {"map", "merge", "join", "transform", "replace"}
"""Methods that put the figure of a group beside its rows."""
DRAWING = {
    "randn",
    "randn_like",
    "rand",
    "normal",
    "standard_normal",
    "uniform",
    "multivariate_normal",
}
"""Functions and methods that draw numbers, of which rows are made up."""
MAKERS = {
    *("tensor", "array", "asarray", "as_tensor", "from_numpy", "FloatTensor", "DataFrame"),
    *("stack", "TensorDataset"),
}


def whole_statistics(tree: ast.Module) -> list[int]:
    """Find the lines on which statistics are taken of all rows, which are also split."""
    scopes = _scopes(tree)
    found = {line for scope in scopes for line in scope.lines()}
    for function, inside in zip(parts(tree, ast.FunctionDef), scopes[1:], strict=True):
        fitted = dict(inside.given_fitted(function))
        found |= {
            fitted[place]
            for scope in scopes
            for name, place in scope.taken_of(function.name)
            if place in fitted and name in scope.whole()
        }
    return sorted(found)


def chosen_columns(tree: ast.Module) -> list[int]:
    """Find where columns are chosen by all rows and their labels, of which a part is held out.

    `markers = rank(X, y)` and `X[:, markers]`, where `X[order[:n]]` and `X[order[n:]]` follow.
    """
    outside, *inside = _scopes(tree)
    made = {name: of for name, of in outside.made.items() if isinstance(of, ast.Subscript)}
    # Parts of one order, of which no row is left out or shared.
    pairs = ((a, b) for a in made for b in made if outside.are_all(made[a], made[b]))
    halves = {name for pair in pairs for name in pair}
    return sorted({line for scope in (outside, *inside) for line in scope.choices(halves)})


def encoded_labels(tree: ast.Module) -> list[int]:
    """Find where a category becomes the mean label of its rows, of all rows, which are also split.

    `means = frame.groupby("shop").sold.mean()` and `frame.shop.map(means)`. The labels are the
    columns that names of labels are made of.
    """
    if not any(method(call) in GIVING for call in parts(tree, ast.Call)):
        return []
    encoders: dict[str, set[str]] = {}
    for function in parts(tree, ast.FunctionDef):
        first = function.args.args[0].arg if function.args.args else None
        for call in parts(function, ast.Call):
            frame, columns = _grouped(call)
            if isinstance(frame, ast.Name) and frame.id == first:
                encoders[function.name] = columns
    labels = set[str]()
    for node in parts(tree, ast.Assign):
        for target, value in bound(node):
            if any(map(LABELS.search, names(target))):
                labels |= {each.attr for each in parts(value, ast.Attribute)}
                texts = (each.value for each in parts(value, ast.Constant))
                labels |= {each for each in texts if isinstance(each, str)}
    return sorted({line for each in _scopes(tree) for line in each.encoded(encoders, labels)})


def _grouped(call: ast.Call) -> tuple[ast.expr | None, set[str]]:
    """Return of what a call makes figures of groups, and of which column: `f.groupby("a").b.sum()`.

    None where it is no such call.
    """
    match call.func:
        case ast.Attribute(value=ast.Attribute(value=ast.Call() as by, attr=column), attr=name):
            pass
        case ast.Attribute(
            value=ast.Subscript(value=ast.Call() as by, slice=ast.Constant(value=str(column))),
            attr=name,
        ):
            pass
        case _:
            return None, set()
    if name in MEANS and method(by) == "groupby" and isinstance(by.func, ast.Attribute):
        return by.func.value, {column}
    return None, set()


def _scopes(tree: ast.Module) -> "list[_Scope]":
    bodies = (each.body for each in parts(tree, ast.FunctionDef))
    return [_Scope(tree, body) for body in (tree.body, *bodies)]


class _Scope:
    """The statements of a function, or of the script outside of functions."""

    def __init__(self, tree: ast.Module, body: list[ast.stmt]) -> None:
        self.nodes = list(own_nodes(body))
        held = Names(self.nodes)
        self.made = {name: made for name in held.values if (made := held.first(name)) is not None}
        # All windows of a series are all of its rows, and so is a dataset of them.
        self.made |= dict(windows_of(tree, self.nodes))
        self._makers = MAKERS | {
            one.name
            for one in parts(tree, ast.ClassDef)
            if any(each.name == "__getitem__" for each in parts(one, ast.FunctionDef))
        }
        splits, self._halves = split_calls(tree), set[tuple[str, ...]]()
        for node in self.nodes:
            match node:
                case ast.For(target=target, iter=made) | ast.Assign(targets=[target], value=made):
                    if any(call in splits for call in parts(made, ast.Call)):
                        # Numbered or not: `for number, (train, test) in enumerate(…)`.
                        tuples = parts(target, ast.Tuple)
                        self._halves |= {tuple(map(ast.unparse, one.elts)) for one in tuples}
        self.parts: set[str] = set()
        for target, value in (pair for node in self.nodes for pair in given(node)):
            if isinstance(value, ast.Call) and last_part(value.func) in SPLITS:
                self.parts |= names(target) if not isinstance(target, ast.Name) else set()

    def lines(self) -> Iterator[int]:
        """Yield the lines that measure place and width of all rows of what is split."""
        whole = self._whole()
        for (root, _name), line in self._measured().items():
            made = self.made.get(root)
            is_part = root in self.parts or isinstance(made, ast.Subscript)
            if root in whole and not is_part and not LABELS.search(root):
                yield line

    def whole(self) -> set[str]:
        """Return the names of what is split into two parts that leave no row out."""
        return self._whole()

    def given_fitted(self, function: ast.FunctionDef) -> Iterator[tuple[int, int]]:
        """Yield the places of what a function gives back that are all rows, scaled by themselves.

        With the line that has taken their figures; nothing where the function splits itself, or
        draws the rows: then their scale is a part of how they are made up.
        """
        if DRAWING & calls_in(function):
            return
        measured = {root: line for (root, _name), line in self._measured().items()}
        if self._whole() & measured.keys() or self.parts:
            return
        for end in given_back(function):
            for place, each in enumerate(end.elts if isinstance(end, ast.Tuple) else [end]):
                root = self._root(each)
                if root in measured and not LABELS.search(root):
                    yield place, measured[root]

    def taken_of(self, function: str) -> Iterator[tuple[str, int]]:
        """Yield the names for what a function gives back, each with its place."""
        for node in self.nodes:
            match node:
                case ast.Assign(targets=[target], value=ast.Call() as call):
                    if last_part(call.func) == function:
                        taken = target.elts if isinstance(target, ast.Tuple) else [target]
                        names_of = (
                            (e.id, at) for at, e in enumerate(taken) if isinstance(e, ast.Name)
                        )
                        yield from names_of

    def choices(self, halves: set[str]) -> Iterator[int]:
        """Yield lines where what a call gives for all rows and all labels takes columns of rows."""
        whole, taken, halves = self._whole(), set[str](), halves | self.parts
        for node in self.nodes:
            # A part of the rows is told by the places that are halves of one order.
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name):
                root = self._root(node.value)
                taken |= {root} if root else set()
                whole |= {root} if root and node.slice.id in halves else set()
        for node in self.nodes:
            match node:
                case ast.Subscript(
                    value=rows,
                    slice=ast.Tuple(elts=[ast.Slice(lower=None, upper=None), ast.Name(id=chosen)]),
                ):
                    if isinstance(rows, ast.Subscript) and names(rows.slice) <= halves:
                        # `X[train][:, chosen]`
                        rows = rows.value
                    made, root = self.made.get(chosen), self._root(rows)
                    given = self._given(made) if made is not None else set()
                    if root in given & whole and given & (taken | whole) - {root} and made:
                        yield made.lineno

    def _given(self, made: ast.expr) -> set[str]:
        """Return the names of what a call is given, all rows of each."""
        if not isinstance(made, ast.Call):
            return set()
        return {root for each in made.args if (root := self._root(each))}

    def _whole(self) -> set[str]:
        """Return the names of what is split into two parts that leave no row out."""
        found = set[str]()
        parts: dict[str, list[ast.expr]] = {}
        for node in self.nodes:
            if isinstance(node, ast.Call) and last_part(node.func) in SPLITS:
                # Labels follow.
                found.update(filter(None, map(self._root, node.args[:1])))
            match node:
                case ast.Call(func=func, args=[rows, place]) if last_part(func) == "Subset":
                    if root := self._root(rows):
                        parts.setdefault(root, []).append(place)
            if isinstance(node, ast.Subscript) and not self._is_of_columns(node.slice):
                value = node.value
                if isinstance(value, ast.Attribute) and value.attr in ("iloc", "loc"):
                    value = value.value
                if root := self._root(value):
                    parts.setdefault(root, []).append(node.slice)
        for root, places in parts.items():
            if any(self.are_all(a, b) for a in places for b in places):
                found.add(root)
        return found

    def encoded(self, encoders: dict[str, set[str]], labels: set[str]) -> Iterator[int]:
        """Yield the lines that take a group's mean of a label, of all rows of what is split."""
        whole = self._whole()
        for node in self.nodes:
            if not isinstance(node, ast.Call):
                continue
            frame, columns = _grouped(node)
            if frame is None and isinstance(node.func, ast.Name) and node.args:
                frame, columns = node.args[0], encoders.get(node.func.id, set())
            root = self._root(frame) if frame is not None else None
            is_part = root in self.parts or isinstance(self.made.get(root or ""), ast.Subscript)
            if root in whole and not is_part and columns & labels:
                yield node.lineno

    def _measured(self) -> dict[tuple[str, str], int]:
        """Return the lines that take place and width of one thing, by it and the width's name."""
        taken: dict[tuple[str, str], int] = {}
        for node in self.nodes:
            if isinstance(node, ast.Assign | ast.Return) and node.value is not None:
                for call in parts(node.value, ast.Call):
                    if root := self._of_whom(call):
                        taken.setdefault((root, last_part(call.func)), node.lineno)
        both = {
            (root, name): line
            for (root, name), line in taken.items()
            if name.startswith("fit") or (root, PLACES.get(name, "")) in taken
        }
        fits = (n for n in self.nodes if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call))
        for node in fits:
            if isinstance(node.value, ast.Call) and last_part(node.value.func) == "fit":
                root = self._of_whom(node.value)
                both |= {(root, "fit"): node.lineno} if root else {}
        return both

    def _of_whom(self, call: ast.Call) -> str | None:
        """Return the name of what a call measures: `X.std(0)`, `np.std(X)`, `scaler.fit(X)`."""
        name = last_part(call.func)
        owner = owner_of(call)
        if name in ("fit", "fit_transform") and call.args and owner is not None:
            made = self.made.get(owner.id) if isinstance(owner, ast.Name) else owner
            made_of = calls_in(made) if made else set()
            return self._root(call.args[0]) if made_of & FITTED else None
        if name not in {*PLACES, *PLACES.values()} or owner is None:
            return None
        return next(map(self._root, worked_on(call)), None)

    def _root(self, node: ast.expr, depth: int = 0) -> str | None:
        """Return the first name of the same rows; None for some of them, or what is not known."""
        if depth > DEEPEST:
            return None
        match node:
            case ast.Name():
                made = self.made.get(node.id)
                inner = self._root(made, depth + 1) if made is not None else None
                return inner or node.id
            case ast.Attribute(attr="values" | "index"):
                return self._root(node.value, depth + 1)
            case ast.Subscript() if self._is_of_columns(node.slice):
                return self._root(node.value, depth + 1)
            case ast.BinOp(op=ast.Sub() | ast.Div()):
                return self._root(node.left, depth + 1)
            case ast.Call() if last_part(node.func) in self._makers and node.args:
                return self._root(node.args[0], depth + 1)
            case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in SAME_ROWS:
                return self._root(owner, depth + 1)
            case ast.Call() if method(node) in ("transform", "fit_transform") and node.args:
                return self._root(node.args[0], depth + 1)
        return None

    def _is_of_columns(self, place: ast.expr) -> bool:
        """Return whether a subscript takes columns by their names, and leaves all rows."""
        if isinstance(place, ast.Name):
            place = self.made.get(place.id, place)
        match place:
            case ast.Constant(value=str()):
                return True
            case ast.List(elts=[ast.Constant(value=str()), *_]):
                return True
            case ast.Tuple(elts=[ast.Slice(lower=None, upper=None), *_]):
                return True
        return any(isinstance(n, ast.Attribute) and n.attr == "columns" for n in ast.walk(place))

    def are_all(self, a: ast.expr, b: ast.expr, depth: int = 0) -> bool:
        """Return whether two places are all rows together, and have none in common."""
        if depth > DEEPEST:
            # A name that is made of itself.
            return False
        a, b = self._place(a), self._place(b)
        match a, b:
            case ast.Slice(lower=None, upper=upper, step=None), ast.Slice(
                lower=lower, step=None
            ) if upper is not None and lower is not None:
                # The first window of what is held out begins with rows before it.
                if isinstance(lower, ast.BinOp) and isinstance(lower.op, ast.Sub):
                    lower = lower.left
                return _is_like(upper, lower)
            case ast.Subscript(), ast.Subscript():
                return _is_like(a.value, b.value) and self.are_all(a.slice, b.slice, depth + 1)
            case ast.Call(args=[upper]), ast.Call(args=[lower, _]) if last_part(b.func) == "range":
                return _is_like(upper, lower)
            case ast.Name(), ast.Name():
                return (a.id, b.id) in self._halves
            case _, ast.UnaryOp(op=ast.Invert()):
                return _is_like(a, self._place(b.operand))
            case ast.Compare(ops=[ast.Eq()]), ast.Compare(ops=[ast.NotEq()]):
                return _is_like(a.left, b.left) and _is_like(a.comparators[0], b.comparators[0])
        return False

    def _place(self, node: ast.expr) -> ast.expr:
        """Return what a name of a place was made as: `order[:n]`, `folds == 0`."""
        for _ in range(5):
            if isinstance(node, ast.Name) and node.id in self.made:
                node = self.made[node.id]
            elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call):
                # `np.where(folds == 0)[0]`
                node = node.value
            elif isinstance(node, ast.Call) and last_part(node.func) in ("where", "flatnonzero"):
                node = node.args[0] if len(node.args) == 1 else node
        return node


def _is_like(a: ast.expr, b: ast.expr) -> bool:
    return ast.unparse(a) == ast.unparse(b)
