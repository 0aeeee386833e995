"""The text of the script that runs in this process."""

import ast
import sys


def parsed() -> ast.Module | None:
    """The syntax tree of the script; None where its text can't be read."""
    path = getattr(sys.modules["__main__"], "__file__", None)
    try:
        with open(str(path), encoding="utf-8") as file:
            return ast.parse(file.read())
    except (OSError, ValueError, SyntaxError, RecursionError):
        return None
