"""Data sets of a script whose items have their inputs from one place, and labels from another.

`__getitem__(self, index)` takes `self.images[index]` and `self.labels[index - 1]`, say. That may be
meant, of series above all: whether anything is learned has to be measured.
"""

import ast
from collections.abc import Iterator

CHANCE = {"randint", "randrange", "choice"}
"""Functions that draw a place."""


def items_apart(tree: ast.Module) -> list[int]:
    """The lines on which an item's part is taken from another place than the others."""
    return sorted(
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for function in node.body
        if isinstance(function, ast.FunctionDef) and function.name == "__getitem__"
        for line in _apart(function, _measured(node))
    )


def words_apart(tree: ast.Module) -> list[int]:
    """The lines on which tokens get the labels of other words than their own.

    By the place of another word, from the first one on, or by the words of the first text in a
    loop over all of them.
    """
    found = set[int]()
    for loop in ast.walk(tree):
        if isinstance(loop, ast.For):
            found |= {*_of_first(loop)} | {*_beside(loop, tree)}
    return sorted(found)


def _of_first(loop: ast.For) -> Iterator[int]:
    """Where the words of one text are asked for again in each turn, and taken as a whole."""
    inside = [node for each in loop.body for node in ast.walk(each)]
    stored = [n for n in (*inside, *ast.walk(loop.target)) if isinstance(n, ast.Name)]
    bound = {each.id for each in stored if isinstance(each.ctx, ast.Store)}
    for node in inside:
        call = node.value if isinstance(node, ast.Assign) else None
        if _is_words(call) and isinstance(call, ast.Call):
            places = [*call.args, *(each.value for each in call.keywords)]
            owner = call.func.value if isinstance(call.func, ast.Attribute) else None
            is_one = all(isinstance(each, ast.Constant) for each in places)
            if is_one and isinstance(owner, ast.Name) and owner.id not in bound:
                yield call.lineno


def _beside(loop: ast.For, tree: ast.Module) -> Iterator[int]:
    """Where a label is taken beside the place of the word, whatever that is."""
    words = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and _is_words(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    source, target = loop.iter, loop.target
    if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and source.args:
        if source.func.id != "enumerate" or not isinstance(target, ast.Tuple):
            return
        source, target = source.args[0], target.elts[-1]
    is_known = isinstance(source, ast.Name) and source.id in words
    if not (is_known or _is_words(source)) or not isinstance(target, ast.Name):
        return
    inside = [node for each in loop.body for node in ast.walk(each)]
    tests = [each for each in inside if isinstance(each, ast.Compare)]
    # The first word may be one that was put there, and has no label.
    sides = [
        (one, other)
        for t in tests
        for one, other in zip((t.left, *t.comparators), t.comparators, strict=False)
    ]
    if any(_is_name(one, target.id) and _is_number(other) for one, other in sides):
        return
    taken = [each for each in inside if isinstance(each, ast.Subscript)]
    plain = {ast.unparse(each.value) for each in taken if _is_name(each.slice, target.id)}
    for each in taken:
        place = each.slice
        if (
            isinstance(place, ast.BinOp)
            and _is_name(place.left, target.id)
            and _is_number(place.right)
            and ast.unparse(each.value) not in plain
        ):
            yield each.lineno


def _is_words(node: ast.AST | None) -> bool:
    """Whether this asks a tokenized text for the place of the word of each token."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "word_ids"
    )


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def _apart(function: ast.FunctionDef, rows: set[str]) -> Iterator[int]:
    names = [each.arg for each in function.args.args]
    if len(names) != 2:
        return
    index = names[1]
    plain, other = set[str](), dict[str, int]()
    for node in ast.walk(function):
        name = _own(node.value) if isinstance(node, ast.Subscript) else None
        if name is None or not isinstance(node, ast.Subscript):
            continue
        if isinstance(node.slice, ast.Name) and node.slice.id == index:
            plain.add(name)
        elif _is_another(node.slice, index, is_of_rows=name in rows):
            other[name] = node.lineno
    # Of one column two places may be taken, to make a pair of them.
    if plain:
        yield from (line for name, line in other.items() if name not in plain)


def _is_another(place: ast.expr, index: str, *, is_of_rows: bool) -> bool:
    """Whether this is another place than the index: a sum with it, one by chance, or always one.

    A table may be looked up with what an item holds, and the first of two figures be taken.
    """
    if isinstance(place, ast.Constant):
        return isinstance(place.value, int) and is_of_rows
    inner = list(ast.walk(place))
    is_of_index = any(isinstance(each, ast.Name) and each.id == index for each in inner)
    calls = (each.func for each in inner if isinstance(each, ast.Call))
    drawn = any(isinstance(each, ast.Attribute) and each.attr in CHANCE for each in calls)
    return (isinstance(place, ast.BinOp) and is_of_index) or drawn


def _measured(node: ast.ClassDef) -> set[str]:
    """What a class takes the length of: that has the rows."""
    calls = (each for each in ast.walk(node) if isinstance(each, ast.Call) and each.args)
    lengths = (c.args[0] for c in calls if isinstance(c.func, ast.Name) and c.func.id == "len")
    return {name for each in lengths if (name := _own(each)) is not None}


def _own(node: ast.expr) -> str | None:
    """The name of an attribute of the object itself."""
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return node.attr if is_own and isinstance(node, ast.Attribute) else None
