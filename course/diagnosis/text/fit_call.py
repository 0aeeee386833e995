"""The call of a library that a training has failed in: `fit`, `evaluate` or `predict`.

Its line is only where a fault came to light. What it was given, and what `compile` was given
before, was made elsewhere, and there it is mended.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from course.diagnosis.text import place
from course.diagnosis.text.makers import find_names, follow
from course.diagnosis.text.script_text import ScriptText, keyword

METHODS = frozenset(
    {"fit", "evaluate", "predict", "fit_generator", "train_on_batch", "test_on_batch"}
    | {"predict_on_batch", "adapt"}
)
SIDES = re.compile(r"target\.shape=\(([^)]*)\), output\.shape=\(([^)]*)\)")
"""How a library tells what a loss was given."""
SIZES = re.compile(r"'\w+' sizes: ([\d, ]+)")
"""How a library tells how many rows its arrays have."""
GIVEN = re.compile(r"shape=\(([\d, None]+)\)")
"""How a library tells what a layer was given."""
DESCRIBED = re.compile(r"\[([\d, ]+)\]")
"""The shape of an array as the run record describes it."""
OUTPUTS = "call Dense$ last"
"""The layer that mostly gives a model's outputs."""
LINE = "line."
"""How the facts begin that are about the names in the line."""

RESHAPED = re.compile(r"newaxis|None|reshape|expand_dims|squeeze|ravel|flatten")
"""What changes the shape of an array."""

Size = int | None
CallKind = Literal["fit", "loss"]


@dataclass(frozen=True)
class FitCall:
    """The call, and what is known of the moment in which it failed.

    One of the `kind` `loss` is that of a loss in a loop by hand: with the labels, then the outputs.
    `line` is that of the traceback; `state` are the facts of that moment, and `message` is the
    exception's.
    """

    script: ScriptText
    call: ast.Call
    line: int
    message: str
    state: Mapping[str, float | str]
    kind: CallKind = "fit"

    def inputs(self) -> Iterator[int]:
        """Where the inputs were made."""
        yield from self._lines(self._argument(0, "x"))

    def labels(self) -> Iterator[int]:
        """Where the labels were made; where the dataset was that has them."""
        labels = self._argument(1, "y") if self.kind == "fit" else self.call.args[0]
        yield from self._lines(self._argument(0, "x") if labels is None else labels)

    def loss(self) -> Iterator[int]:
        """Where the loss was chosen: what `compile` was given."""
        if self.kind == "loss":
            yield from self._made(self.call.func)
            return
        for _name, call in self.script.calls():
            if not isinstance(call.func, ast.Attribute) or call.func.attr != "compile":
                continue
            named = keyword(call, "loss")
            given = named.value if named else call.args[1] if len(call.args) > 1 else None
            if given is not None:
                yield from self._lines(given)

    def uneven(self) -> Iterator[int]:
        """The arrays whose numbers of rows a message tells."""
        told = [n for found in SIZES.findall(self.message) for n in _sizes(found)]
        arrays = [each for each in self._arrays() if self._shape(each)[:1] in [[n] for n in told]]
        yield from (each.lineno for each in arrays)
        for each in arrays:
            yield from islice(self._made(each), 1)

    def reshaped(self) -> Iterator[int]:
        """What is given another shape, or a single row of it taken, within the call."""
        for each in self._arrays():
            inner = each.slice if isinstance(each, ast.Subscript) else None
            is_single = isinstance(inner, ast.Constant) and isinstance(inner.value, int)
            if is_single or RESHAPED.search(ast.unparse(each)):
                yield each.lineno

    def odd(self) -> Iterator[int]:
        """The array with the shape that a layer was given, where not all that are given have it."""
        shapes = [_sizes(found) for found in GIVEN.findall(self.message)]
        arrays = [each for each in self._arrays() if len(self._shape(each)) > 1]
        fits = [each for each in arrays if any(_agree(self._shape(each), s) for s in shapes)]
        if len({tuple(self._shape(each)[1:]) for each in arrays}) > 1:
            for each in fits:
                yield from self._lines(each)

    def sides(self) -> Iterator[int]:
        """What a loss was given on both sides, the likeliest first: loss, last layer, labels."""
        found = SIDES.search(self.message)
        target, output = map(_sizes, found.groups()) if found else ([], [])
        layer = told_line(self.state, "outputs.line") or place.lines(self.script, OUTPUTS)[:1]
        if len(output) > max(len(target), 2):
            # Each step of a sequence, or each place of a picture, has an answer of its own.
            yield from self._keeping()
            yield from layer
        elif (len(output) == len(target) and output[-1:] != target[-1:]) or found is None:
            yield from layer
        yield from self.loss()
        yield from layer
        yield from self.labels()

    def _keeping(self) -> Iterator[int]:
        for _name, call in reversed(list(self.script.calls())):
            named = keyword(call, "return_sequences")
            if named is not None and ast.unparse(named.value) == "True":
                yield named.value.lineno

    def _argument(self, place: int, name: str) -> ast.expr | None:
        named = keyword(self.call, name)
        if named is not None:
            return named.value
        return self.call.args[place] if len(self.call.args) > place else None

    def _arrays(self) -> Iterator[ast.expr]:
        """The names among the arguments, the labels first."""
        given = [self._argument(1, "y"), self._argument(0, "x")]
        validation = keyword(self.call, "validation_data")
        given.append(validation.value if validation is not None else None)
        for each in given:
            parts = each.elts if isinstance(each, ast.Tuple | ast.List) else [each]
            yield from (part for part in reversed(parts) if part is not None)

    def _shape(self, node: ast.expr) -> list[Size]:
        """The shape of an array that is given by its name, as the run record has it."""
        told = self.state.get(f"{LINE}{ast.unparse(node)}")
        found = DESCRIBED.search(told) if isinstance(told, str) else None
        return _sizes(found[1]) if found else []

    def _lines(self, node: ast.expr | None) -> Iterator[int]:
        """Where an argument was made: elsewhere, if it is a name, and in its own line."""
        if node is None:
            return
        is_plain = all(
            isinstance(each, ast.Name | ast.Attribute | ast.Tuple | ast.expr_context)
            for each in ast.walk(node)
        )
        if not is_plain:
            yield node.lineno
        yield from self._made(node)
        if node.lineno != self.line:
            yield node.lineno

    def _made(self, node: ast.expr) -> Iterator[int]:
        yield from follow(self.script, find_names(node), self.line)


def told_line(state: Mapping[str, float | str], name: str) -> list[int]:
    """The line that a fact of the run record is; none where it was not noted."""
    line = state.get(name)
    return [] if line is None or isinstance(line, str) else [int(line)]


def _sizes(text: str) -> list[Size]:
    """A shape as it is written: `None, 3`."""
    return [int(n) if n.strip().isdigit() else None for n in text.split(",") if n.strip()]


def _agree(shape: list[Size], other: list[Size]) -> bool:
    """Whether two shapes are the same but for the rows, and what is not known."""
    return len(shape) == len(other) and all(
        a == b or None in (a, b) for a, b in zip(shape[1:], other[1:], strict=True)
    )


def find(
    script: ScriptText, line: int, message: str, state: Mapping[str, float | str]
) -> FitCall | None:
    """The call in a line; None where there is none."""
    statement = script.statement_at(line)
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_there = node.lineno <= line <= (node.end_lineno or line)
            if node.func.attr in METHODS and is_there:
                return FitCall(script, node, line, message, state)
    for node in ast.walk(statement) if statement is not None and SIDES.search(message) else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) > 1:
            return FitCall(script, node, line, message, state, "loss")
    return None
