"""What names hold, by a script's text: the values that assignments give them."""

import ast
from collections.abc import Callable, Iterable, Iterator

from course_probe.reading.script_text import bound, stored


def given(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what an assignment gives values, with these; nothing for any other node."""
    match node:
        case ast.Assign():
            yield from bound(node)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield target, value


class Names:
    """The values that assignments among some nodes give to each name, in their order.

    Of a value that is taken apart, the parts are not known: None.
    """

    def __init__(self, nodes: Iterable[ast.AST]) -> None:
        self.values: dict[str, list[ast.expr | None]] = {}
        for node in nodes:
            for target, value in given(node):
                whole = value if isinstance(target, ast.Name) else None
                for name in stored(target):
                    self.values.setdefault(name, []).append(whole)

    def first(self, name: str) -> ast.expr | None:
        """Return the first known value of a name."""
        return next((each for each in self.values.get(name, ()) if each is not None), None)

    def last(self, name: str) -> ast.expr | None:
        """Return the last known value of a name."""
        return next((each for each in self.values.get(name, ())[::-1] if each is not None), None)

    def only(self, node: ast.expr) -> ast.expr | None:
        """Return the value of a name that is given one only once; of any other node, itself.

        None where a name is given several, or one that is not known.
        """
        if not isinstance(node, ast.Name):
            return node
        values = self.values.get(node.id, [])
        return values[0] if len(values) == 1 else None

    def that_hold(self, is_wanted: Callable[[ast.expr], bool]) -> set[str]:
        """Return the names with such a value among theirs."""
        return {n for n, values in self.values.items() if any(v and is_wanted(v) for v in values)}


def reached(begin: Iterable[str], pairs: Iterable[tuple[set[str], set[str]]]) -> set[str]:
    """Return these names, and all that is made of them; of each pair, one is made of the other."""
    found, left = {*begin}, [*pairs]
    while more := {name for made, of in left if of & found for name in made} - found:
        found |= more
    return found
