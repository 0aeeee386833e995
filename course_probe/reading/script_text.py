"""The text of what runs in this process: of the script, of a module beside it, of a cell."""

import ast
import linecache
import sys


def parsed(name: str | None = None) -> ast.Module | None:
    """The syntax tree of the script, or of the code of this name; None where it can't be read."""
    file = name or str(getattr(sys.modules["__main__"], "__file__", ""))
    text = "".join(linecache.getlines(file))
    try:
        return ast.parse(text) if text else None
    except (ValueError, SyntaxError, RecursionError):
        return None
