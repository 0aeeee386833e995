"""The names that looks and hints need: those of the script, and those of looks before."""

import ast
import builtins
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from course.lesson.lesson import Look

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_INNER = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

_MADE_BY = {
    "trainer": r"Trainer$",
    "scheduler": r"schedule|LR$",
    "train_loader": r"DataLoader$",
    "dataset": r"^load_dataset$",
}
"""Names in the catalogue's texts, and the call that makes in a script what they stand for."""
_CODE = re.compile(r"`[^`]+`")


def alone(looks: Iterable[Look]) -> Iterator[Look]:
    """Yield looks that can each be taken alone: with the imports and values of those before."""
    before: list[tuple[ast.stmt, str]] = []
    for look in looks:
        body = ast.parse(look.code).body
        made = set(_bound(statement for statement, _source in before))
        needed, lead = _needed(body), list[str]()
        for statement, source in reversed(before):
            # What only shows a value adds nothing; a loop may fill a list that was made above it.
            is_shown = isinstance(statement, ast.Expr)
            names = set(_bound([statement])) | (set() if is_shown else _needed([statement]))
            if names & made & needed:
                needed |= _needed([statement])
                lead.insert(0, source)
        before += [(each, ast.get_source_segment(look.code, each) or "") for each in body]
        yield replace(look, code="\n".join([*lead, look.code]))


def fitting(looks: Iterable[Look], text: str) -> tuple[Look, ...]:
    """Return the looks whose names a script of this text has; none where it does not parse."""
    try:
        known = set(_bound(ast.parse(text).body))
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(
        look for look in looks if "*" in known or _needed(ast.parse(look.code).body) <= known
    )


def in_own_names(text: str, script: str) -> str:
    """Return a text whose code has the names of a script, where the script tells what they are."""
    try:
        body = ast.parse(script).body
    except (SyntaxError, ValueError, RecursionError):
        return text
    made = _made(body)
    if "trainer" in made:
        made.setdefault("train_loader", f"{made['trainer']}.get_train_dataloader()")
    for name in made.keys() - set(_bound(body)):
        own = made[name]
        # The rows are those of a split.
        split = f'{own}["train"]' if name == "dataset" else own
        used = re.compile(rf"(?<![\w.\"']){name}(?=(\[)|[.)`])")
        text = _CODE.sub(
            lambda code: used.sub(lambda at: split if at[1] else own, code[0]),  # noqa: B023
            text,
        )
    return text


def _made(body: list[ast.stmt]) -> dict[str, str]:
    """Return the first name that a script gives to what each of the names stands for."""
    made: dict[str, str] = {}
    for node in (node for statement in body for node in ast.walk(statement)):
        match node:
            case ast.Assign(targets=[ast.Name(id=own)], value=ast.Call(func=called)):
                word = ast.unparse(called).rpartition(".")[2]
                for name, pattern in _MADE_BY.items():
                    if re.search(pattern, word):
                        made.setdefault(name, own)
    return made


def _needed(body: list[ast.stmt]) -> set[str]:
    """Return the names that statements use and do not make."""
    nodes = [node for statement in body for node in ast.walk(statement)]
    names = [node for node in nodes if isinstance(node, ast.Name)]
    made = {name.id for name in names if not isinstance(name.ctx, ast.Load)}
    made |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    return {name.id for name in names} - made - set(_bound(body)) - set(dir(builtins))


def _bound(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names that statements make in their own scope."""
    for node in nodes:
        if isinstance(node, _FUNCTIONS):
            yield node.name
            continue
        if isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        if not isinstance(node, _INNER):
            yield from _bound(ast.iter_child_nodes(node))
