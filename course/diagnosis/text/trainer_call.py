"""The call of a Trainer that a training has failed in: `train`, `evaluate` or `predict`.

Its line is only where a fault came to light. What the Trainer was given was made elsewhere, and
there it is mended: in a collate function, in what `map` was given, in a data set of one's own.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from course.diagnosis.text.makers import find_makers
from course.diagnosis.text.script_text import ScriptText, keyword

METHODS = frozenset({"train", "evaluate", "predict"})
TAKEN = ("padding", "truncation", "max_length")
"""What a tokenizer is told of lengths, the likeliest to be wrong first."""
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class TrainerCall:
    """The call that made the Trainer."""

    script: ScriptText
    made: ast.Call

    def collator(self) -> Iterator[int]:
        """Where the collate function was made; where it is handed over, if that is elsewhere."""
        given = keyword(self.made, "data_collator")
        if given is None:
            return
        name = given.value.id if isinstance(given.value, ast.Name) else None
        yield from (v.lineno for known, v in find_makers(self.script) if known == name)
        yield from (each.lineno for each in self._own_collator())
        yield given.value.lineno

    def batch(self) -> Iterator[int]:
        """Where the columns of a batch were put together, last.

        In a collate function of the script's own, or else in what `map` was given.
        """
        functions = [*self._own_collator()] or [*mapped(self.script)]
        for each in functions:
            yield from _returns(each)
        yield from (call.lineno for call in maps(self.script))

    def lists(self) -> Iterator[int]:
        """Where the collate function of the script makes lists."""
        for function in self._own_collator():
            for each in ast.walk(function):
                if isinstance(each, ast.Assign) and isinstance(each.value, ast.ListComp | ast.List):
                    yield each.lineno
            yield from _returns(function)

    def _own_collator(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        given = keyword(self.made, "data_collator")
        name = given.value.id if given is not None and isinstance(given.value, ast.Name) else None
        yield from _functions(self.script, name)


def find(script: ScriptText, line: int) -> TrainerCall | None:
    """The Trainer that a line has train, or evaluate; None where it does no such thing."""
    statement = script.statement_at(line)
    for node in ast.walk(statement) if statement is not None else ():
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        owner = node.func.value
        if node.func.attr not in METHODS or not isinstance(owner, ast.Name):
            continue
        for name, value in find_makers(script):
            if name != owner.id or not isinstance(value, ast.Call):
                continue
            if ast.unparse(value.func).endswith("Trainer"):
                return TrainerCall(script, value)
    return None


def maps(script: ScriptText) -> list[ast.Call]:
    """The calls of `map`, the last one first."""
    calls = [node for node in ast.walk(script.tree) if isinstance(node, ast.Call)]
    found = [c for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr == "map"]
    return sorted(found, key=lambda call: -call.lineno)


def mapped(script: ScriptText) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions of the script that `map` was given, the last one first."""
    for call in maps(script):
        given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "function")]
        for each in given:
            yield from _functions(script, each.id if isinstance(each, ast.Name) else None)


def tokenizing(script: ScriptText) -> Iterator[int]:
    """Where a tokenizer is called: what it is told of lengths, where that has lines of its own."""
    for name, call in script.calls():
        if name.rpartition(".")[2] not in ("tokenizer", "tokeniser", "batch_encode_plus"):
            continue
        told = [given for each in TAKEN if (given := keyword(call, each)) is not None]
        yield next((given.value.lineno for given in told), call.func.end_lineno or call.lineno)


def label_columns(script: ScriptText) -> set[str]:
    """Names of columns of labels: `label`, `labels`, and those that are renamed to it."""
    found = {"label", "labels", "start_positions", "end_positions"}
    for name, call in script.calls():
        names = [each.value for each in call.args if isinstance(each, ast.Constant)]
        if name.rpartition(".")[2] == "rename_column" and len(names) > 1 and names[1] in found:
            found.add(str(names[0]))
    return found


def _functions(
    script: ScriptText, name: str | None
) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(script.tree):
        if isinstance(node, FUNCTION) and node.name == name:
            yield node


def _returns(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[int]:
    yield from (each.lineno for each in ast.walk(function) if isinstance(each, ast.Return))
