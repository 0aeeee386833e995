"""What a library's `fit`, or a Trainer's `train`, was given that has failed in a training.

The line of the call is only where a fault came to light. What the call was given, what `compile`
was given before, and what the Trainer was made of, was made elsewhere, and there it is mended.
"""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from course.diagnosis.text import place
from course.diagnosis.text.leads import Clue
from course.diagnosis.text.script_text import Function, ScriptText
from course.diagnosis.text.values import follow
from course_probe.reading.script_text import named

FITTING = frozenset(
    {"fit", "evaluate", "predict", "fit_generator", "train_on_batch", "test_on_batch"}
    | {"predict_on_batch", "adapt"}
)
TRAINING = frozenset({"train", "evaluate", "predict"})
SIDES = re.compile(r"target\.shape=\(([^)]*)\), output\.shape=\(([^)]*)\)")
"""How a library tells what a loss was given."""
SIZES = re.compile(r"'\w+' sizes: ([\d, ]+)")
"""How a library tells how many rows its arrays have."""
DESCRIBED = re.compile(r"\[([\d, ]+)\]")
"""The shape of an array as the run record describes it."""
OUTPUTS = "call Dense$ last"
"""The layer that mostly gives a model's outputs."""

Size = int | None


@dataclass(frozen=True)
class FitCall:
    """The call of a library, or of a loss in a loop by hand: with the labels, then the outputs."""

    script: ScriptText
    clue: Clue
    line: int
    call: ast.Call
    is_loss: bool = False

    def labels(self) -> Iterator[int]:
        """Where the labels were made; where the dataset was that has them."""
        labels = self.call.args[0] if self.is_loss else _argument(self.call, 1, "y")
        yield from self._lines(_argument(self.call, 0, "x") if labels is None else labels)

    def loss(self) -> Iterator[int]:
        """Where the loss was chosen: what `compile` was given."""
        if self.is_loss:
            yield from follow(self.script, self.call.func, self.line)
            return
        for name, call in self.script.calls():
            if name.endswith(".compile"):
                yield from self._lines(_argument(call, 1, "loss"))

    def uneven(self) -> Iterator[int]:
        """Yield the lines of the arrays whose numbers of rows a message tells."""
        told = [n for found in SIZES.findall(self.clue.message) for n in _sizes(found)]
        arrays = [each for each in self._arrays() if self._shape(each)[:1] in [[n] for n in told]]
        yield from (each.lineno for each in arrays)
        for each in arrays:
            yield from islice(follow(self.script, each, self.line), 1)

    def sides(self) -> Iterator[int]:
        """Yield the lines of both sides of a loss, the likeliest first: loss, layer, labels."""
        found = SIDES.search(self.clue.message)
        target, output = map(_sizes, found.groups()) if found else ([], [])
        layer = self.clue.line_of("outputs.line") or place.lines(self.script, OUTPUTS)[:1]
        if len(output) > max(len(target), 2):
            # Each step of a sequence, or each place of a picture, has an answer of its own.
            yield from place.lines(self.script, "keyword return_sequences=^True$ last")
            yield from layer
        elif (len(output) == len(target) and output[-1:] != target[-1:]) or found is None:
            yield from layer
        yield from self.loss()
        yield from layer
        yield from self.labels()

    def _arrays(self) -> Iterator[ast.expr]:
        """Yield the names among the arguments, the labels first."""
        given = [_argument(self.call, 1, "y"), _argument(self.call, 0, "x")]
        for each in (*given, named(self.call).get("validation_data")):
            parts = each.elts if isinstance(each, ast.Tuple | ast.List) else [each]
            yield from (part for part in reversed(parts) if part is not None)

    def _shape(self, node: ast.expr) -> list[Size]:
        """Return the shape of an array that is given by its name, as the run record has it."""
        told = self.clue.state.get(f"line.{ast.unparse(node)}")
        found = DESCRIBED.search(told) if isinstance(told, str) else None
        return _sizes(found[1]) if found else []

    def _lines(self, node: ast.expr | None) -> Iterator[int]:
        """Where an argument was made: elsewhere, if it is a name, and in its own line."""
        if node is None:
            return
        plain = (ast.Name, ast.Attribute, ast.Tuple, ast.expr_context)
        if not all(isinstance(each, plain) for each in ast.walk(node)):
            yield node.lineno
        yield from follow(self.script, node, self.line)
        if node.lineno != self.line:
            yield node.lineno


def _argument(call: ast.Call, at: int, name: str) -> ast.expr | None:
    """Return what a call is given by a name, or at a place."""
    return named(call).get(name) or next(iter(call.args[at:]), None)


def _sizes(text: str) -> list[Size]:
    """Parse a shape as it is written: `None, 3`."""
    return [int(n) if n.strip().isdigit() else None for n in text.split(",") if n.strip()]


def find_fit(script: ScriptText, clue: Clue, line: int) -> FitCall | None:
    """Find the `fit`, or the call of a loss, in a line; return None where there is none."""
    statement = script.statement_at(line) if clue.message else None
    calls = [call for _name, call in script.calls(statement)] if statement is not None else []
    for call in calls:
        is_there = call.lineno <= line <= (call.end_lineno or line)
        if isinstance(call.func, ast.Attribute) and call.func.attr in FITTING and is_there:
            return FitCall(script, clue, line, call)
    for call in calls if SIDES.search(clue.message) else ():
        if isinstance(call.func, ast.Name) and len(call.args) > 1:
            return FitCall(script, clue, line, call, is_loss=True)
    return None


def of_fit(look: Callable[[FitCall], Iterator[int]]) -> Callable[[ScriptText, Clue], Iterator[int]]:
    """Make a function that finds the given arguments of the call that a training failed in."""

    def lines(script: ScriptText, clue: Clue) -> Iterator[int]:
        call = find_fit(script, clue, clue.lines[0]) if clue.lines else None
        yield from look(call) if call is not None else ()

    return lines


def find_trainer(script: ScriptText, clue: Clue) -> ast.Call | None:
    """Find the call that made the Trainer which trains or evaluates in the innermost line."""
    statement = script.statement_at(clue.lines[0]) if clue.lines and clue.message else None
    for _name, call in script.calls(statement) if statement is not None else ():
        if isinstance(call.func, ast.Attribute) and call.func.attr in TRAINING:
            for value in script.assigned.get(ast.unparse(call.func.value), ()):
                if isinstance(value, ast.Call) and ast.unparse(value.func).endswith("Trainer"):
                    return value
    return None


def batch(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Where the columns of a batch were put together, last.

    In a collate function of the script's own, or else in what `map` was given.
    """
    maps = [c for _name, c in script.calls() if ast.unparse(c.func).endswith(".map")][::-1]
    given = [each for c in maps for each in (*c.args[:1], named(c).get("function")) if each]
    mapped = map(ast.unparse, given)
    for function in _own_collator(script, clue) or [f for m in mapped for f in script.functions(m)]:
        yield from _returns(function)
    yield from (call.lineno for call in maps)


def _own_collator(script: ScriptText, clue: Clue) -> list[Function]:
    trainer = find_trainer(script, clue)
    given = named(trainer).get("data_collator") if trainer is not None else None
    return script.functions(ast.unparse(given)) if given is not None else []


def _returns(function: Function) -> Iterator[int]:
    yield from (each.lineno for each in ast.walk(function) if isinstance(each, ast.Return))
