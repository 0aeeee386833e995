"""The rest of a statement that has failed, so that one mistake does not hide the others.

An import of several names is tried name by name, and a call without those of its named arguments
that cannot be evaluated.
"""

import ast
import copy
from collections.abc import Callable, Iterator


def remains(statement: ast.stmt, can_evaluate: Callable[[ast.expr], bool]) -> Iterator[ast.stmt]:
    """Statements to try in the place of one that has failed; often there are none."""
    if isinstance(statement, ast.ImportFrom) and len(statement.names) > 1:
        for name in statement.names:
            one = copy.copy(statement)
            one.names = [name]
            yield one
    elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr):
        call = statement.value
        if isinstance(call, ast.Call):
            kept = [each for each in call.keywords if can_evaluate(each.value)]
            if len(kept) < len(call.keywords):
                rest = copy.copy(statement)
                rest.value = copy.copy(call)
                rest.value.keywords = kept
                yield rest
