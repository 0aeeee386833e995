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
    calls_in,
    getters,
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
DRAWING = {
    *("randn", "randn_like", "rand", "normal", "standard_normal", "uniform", "multivariate_normal"),
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
        self._makers = MAKERS | getters(tree).keys()
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
        whole = self.whole()
        for (root, _name), line in self._measured().items():
            made = self.made.get(root)
            is_part = root in self.parts or isinstance(made, ast.Subscript)
            if root in whole and not is_part and not LABELS.search(root):
                yield line

    def given_fitted(self, function: ast.FunctionDef) -> Iterator[tuple[int, int]]:
        """Yield the places of what a function gives back that are all rows, scaled by themselves.

        With the line that has taken their figures; nothing where the function splits itself, or
        draws the rows: then their scale is a part of how they are made up.
        """
        if DRAWING & calls_in(function):
            return
        measured = {root: line for (root, _name), line in self._measured().items()}
        if self.whole() & measured.keys() or self.parts:
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
                        yield from ((ast.unparse(each), at) for at, each in enumerate(taken))

    def whole(self) -> set[str]:
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
        for node in self.nodes:
            if isinstance(node, ast.Expr) and method(node.value) == "fit":
                root = self._of_whom(node.value)  # type: ignore[arg-type]
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
