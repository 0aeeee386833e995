"""Parts of a whole of which a script reads one and never the other."""

import ast


def unread(tree: ast.Module) -> list[str]:
    """The names that are bound together with others that are read, and are not read themselves.

    What is only made into something that nobody reads is not read either. A name that begins with a
    line, `_test`, says that it is left out on purpose.
    """
    bound, read = set[str](), set[str]()
    made: list[tuple[set[str], set[str]]] = []
    handed_on = set[ast.AST]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and all(map(_is_of_names, node.targets)):
            given = [each for each in ast.walk(node.value) if isinstance(each, ast.Name)]
            targets = [part for each in node.targets for part in ast.walk(each)]
            made.append((_names(targets), _names(given)))
            handed_on.update(given)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node not in handed_on:
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            # It may be asked for by its name.
            read.add(node.value)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            read.update(node.names)
    while new := {n for targets, given in made if targets & read for n in given} - read:
        read |= new
    together = [targets for targets, _given in made if len(targets) > 1 and targets & read]
    left = set[str]().union(*together) & bound - read
    return sorted(name for name in left if not name.startswith("_"))


def _is_of_names(node: ast.AST) -> bool:
    return isinstance(node, ast.Name | ast.Tuple | ast.List) and all(
        isinstance(each, ast.Name | ast.Tuple | ast.List | ast.Starred | ast.expr_context)
        for each in ast.walk(node)
    )


def _names(nodes: list[ast.AST] | list[ast.Name]) -> set[str]:
    return {node.id for node in nodes if isinstance(node, ast.Name)}
