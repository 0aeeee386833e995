"""Scripts that are built alike: the same statements, whatever their own names and texts are.

Only what a student has changed is held beside what others have changed. That is a hint for the
teacher: two who think alike, or were helped by the same friend, write alike too.
"""

import ast
import itertools
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cache

ENOUGH = 120
"""So many nodes of the syntax tree, or more, that two have in common are told."""
SHARE = 0.75
"""What they have in common is that share of what each has changed, or more."""
FEW = 3
"""What more than so many have written, and more than `COMMON` of a class, is what many write."""
COMMON = 0.1
LONGEST = 100_000
"""Characters of the longest script that is read."""
_WITHIN = ("body", "orelse", "finalbody", "handlers", "cases", "decorator_list")
"""Parts of a statement that are statements themselves, or stand above it."""
ScriptStatements = Counter[tuple[str, int]]
"""How often each statement stands in a script: its structure, and its weight in nodes."""


def statements(text: str) -> ScriptStatements:
    """Return the statements of a script, empty where it is no Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.removeprefix("\ufeff") if len(text) <= LONGEST else "")
        plain = _Plain(tree).visit(tree)
        return Counter(_header(node) for node in ast.walk(plain) if isinstance(node, ast.stmt))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Counter()


def pairs(own: Mapping[str, ScriptStatements]) -> dict[str, list[str]]:
    """Return, by student, those whose own statements are for the most part the same."""
    by_statement: dict[tuple[str, int], list[str]] = defaultdict(list)
    for who, found in own.items():
        for each in found:
            by_statement[each].append(who)
    most = max(FEW, COMMON * len(own))
    shared: Counter[tuple[str, str]] = Counter()
    for each, whose in by_statement.items():
        for pair in itertools.combinations(whose, 2) if len(whose) <= most else ():
            shared[pair] += each[1] * min(own[who][each] for who in pair)
    weights = {who: sum(n * each[1] for each, n in found.items()) for who, found in own.items()}
    alike: dict[str, list[str]] = defaultdict(list)
    for (one, other), weight in shared.items():
        if weight >= max(ENOUGH, SHARE * max(weights[one], weights[other])):
            alike[one].append(other)
            alike[other].append(one)
    return alike


def changed(text: str, known: Iterable[tuple[str, ...]]) -> ScriptStatements:
    """Return the statements of a script that stand in none of the `known` versions of it."""
    found = statements(text)
    for lines in known:
        for each in _of_lines(lines):
            found.pop(each, None)
    return found


@cache
def _of_lines(lines: tuple[str, ...]) -> ScriptStatements:
    return statements("\n".join(lines))


def _header(node: ast.stmt) -> tuple[str, int]:
    """Return a statement without the statements in it, as text, and how many nodes it has."""
    fields = {name: value for name, value in ast.iter_fields(node) if name not in _WITHIN}
    alone = type(node)(**fields)
    return ast.dump(alone), sum(1 for _each in ast.walk(alone))


class _Plain(ast.NodeTransformer):
    """Takes a script's own names and texts away; what it imports keeps its full name."""

    def __init__(self, tree: ast.AST) -> None:
        self._imported: dict[str, str] = {}
        self._own: set[str] = set()
        self._parts: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                module = getattr(node, "module", "") or ""
                for each in node.names:
                    self._imported[each.asname or each.name] = f"{module}.{each.name}"
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self._own.add(node.id)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self._own.add(node.name)
            elif isinstance(node, ast.arg):
                self._own.add(node.arg)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                self._parts.add(node.attr)
            if isinstance(node, ast.ClassDef):
                self._parts.update(map(_bound, node.body))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Give a name of the script's own none."""
        own = "_" if node.id in self._own else self._imported.get(node.id, node.id)
        return ast.Name(own, ast.Load())

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Give what an object of the script's own class is made of no name."""
        name = "_" if node.attr in self._parts else node.attr
        return ast.Attribute(self.visit(node.value), name, ast.Load())

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """Give a parameter no name and no type."""
        return ast.arg("_")

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """Take the words out of a text; numbers stay."""
        return ast.Constant("" if isinstance(node.value, str | bytes) else node.value)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Give definitions no name, and go on below."""
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            node.name, node.body = "_", [each for each in node.body if not _is_text(each)]
        return super().generic_visit(node)


def _bound(node: ast.stmt) -> str:
    """Return the name that a statement of a class gives to a part of its objects."""
    return getattr(node, "name", "") or getattr(getattr(node, "target", None), "id", "")


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
