"""Lines on which a text is cut after some tokens or words, by what the script says.

A tokenizer's `max_length` beside `truncation`, its `model_max_length`, and `text.split()[:6]`: that
texts are cut there does not say how many of them are longer. Parts that go on with the rest of
the text, and fields that a line is taken apart into, are no cut.
"""

import ast
from collections.abc import Iterator

from course_probe.reading.script_text import last_part

OVERFLOW = {"return_overflowing_tokens", "stride"}
"""Arguments by which what is cut off is kept as further rows."""
NUMBERS = {"int", "float"}


def cut_texts(tree: ast.Module) -> list[tuple[int, int | None]]:
    """Each line with its limit; None where that is as wide as rows are, whatever it is."""
    return sorted(set(_Cuts(tree).found()), key=lambda each: (each[0], each[1] or 0))


class _Cuts:
    def __init__(self, tree: ast.Module) -> None:
        self._nodes = list(ast.walk(tree))
        self._made: dict[str, list[ast.expr]] = {}
        self._inside: dict[ast.AST, ast.AST] = {}
        for node in self._nodes:
            for child in ast.iter_child_nodes(node):
                self._inside[child] = node
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    if isinstance(target, ast.Name):
                        self._made.setdefault(target.id, []).append(node.value)

    def found(self) -> Iterator[tuple[int, int | None]]:
        calls = [node for node in self._nodes if isinstance(node, ast.Call)]
        is_cut = any(_truncates(call) for call in calls)
        for call in calls:
            given = {each.arg: each.value for each in call.keywords}
            if "max_length" in given and _truncates(call) and not OVERFLOW & {*given}:
                limit = self._number(given["max_length"])
                if limit is not None or _value(given.get("padding")) == "max_length":
                    yield call.lineno, limit
            if is_cut and "model_max_length" in given:
                limit = self._number(given["model_max_length"])
                if limit is not None:
                    yield given["model_max_length"].lineno, limit
        for node in self._nodes:
            if isinstance(node, ast.Subscript) and self._are_words(node.value):
                match node.slice:
                    case ast.Slice(lower=None, upper=ast.expr() as upper, step=None):
                        limit = self._number(upper)
                        if limit is not None and limit > 0 and not self._are_fields(node):
                            yield node.lineno, limit

    def _number(self, node: ast.expr) -> int | None:
        value = _value(node)
        if isinstance(node, ast.Name) and len(self._made.get(node.id, ())) == 1:
            value = _value(self._made[node.id][0])
        return value if type(value) is int else None

    def _are_words(self, node: ast.expr) -> bool:
        """Whether these are the words of a text: it is split at spaces."""
        if isinstance(node, ast.Name) and len(self._made.get(node.id, ())) == 1:
            (node,) = self._made[node.id]
        return isinstance(node, ast.Call) and last_part(node.func) == "split" and not node.args

    def _are_fields(self, node: ast.expr) -> bool:
        """Whether each of these has a name of its own, or is a number."""
        parent = self._inside.get(node)
        if isinstance(parent, ast.Assign):
            return any(isinstance(target, ast.Tuple) for target in parent.targets)
        element = self._inside.get(parent) if isinstance(parent, ast.comprehension) else parent
        of_each = element.elt if isinstance(element, ast.ListComp) else element
        if isinstance(of_each, ast.Call) and last_part(of_each.func) == "map":
            return last_part(of_each.args[0]) in NUMBERS
        return isinstance(of_each, ast.Call) and last_part(of_each.func) in NUMBERS


def _truncates(call: ast.Call) -> bool:
    return any(
        each.arg == "truncation" and _value(each.value) not in (False, None, "do_not_truncate")
        for each in call.keywords
    )


def _value(node: ast.expr | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None
