"""What a library's `fit`, or a Trainer's `train`, was given that has failed in a training.

The line of the call is only where a fault came to light. What the call was given, what `compile`
was given before, and what the Trainer was made of, was made elsewhere, and there it is mended.
"""

import ast
import re
from collections.abc import Iterator

from course.diagnosis.text import place
from course.diagnosis.text.leads import Clue
from course.diagnosis.text.script_text import ScriptText
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
DESCRIBED = re.compile(r"\[(\d+)")
"""How many rows an array has, as the run record describes it."""
OUTPUTS = "call Dense$ last"
"""The layer that mostly gives a model's outputs."""
SEQUENCES = "keyword return_sequences=^True$ last"


def find_fit(script: ScriptText, clue: Clue) -> ast.Call | None:
    """Find the `fit` in the innermost line; return None where there is none."""
    return next(_calls(script, clue, FITTING), None)


def find_trainer(script: ScriptText, clue: Clue) -> ast.Call | None:
    """Find the call that made the Trainer which trains or evaluates in the innermost line."""
    for call in _calls(script, clue, TRAINING):
        assert isinstance(call.func, ast.Attribute)
        for value in script.assigned.get(ast.unparse(call.func.value), ()):
            if isinstance(value, ast.Call) and ast.unparse(value.func).endswith("Trainer"):
                return value
    return None


def _calls(script: ScriptText, clue: Clue, methods: frozenset[str]) -> Iterator[ast.Call]:
    """Yield the calls of such methods in the innermost line of a fault that was raised."""
    statement = script.statement_at(clue.lines[0]) if clue.lines and clue.message else None
    for _name, call in script.calls(statement) if statement is not None else ():
        if isinstance(call.func, ast.Attribute) and call.func.attr in methods:
            yield call


def uneven(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Yield the lines of the arrays given to `fit` whose numbers of rows a message tells."""
    told = {rows for sizes in SIZES.findall(clue.message) for rows in sizes.split(", ")}
    call = find_fit(script, clue)
    for each in [*call.args[::-1], *named(call).values()] if call is not None else []:
        for part in reversed(each.elts) if isinstance(each, ast.Tuple | ast.List) else [each]:
            described = DESCRIBED.search(str(clue.state.get(f"line.{ast.unparse(part)}")))
            if described is not None and described[1] in told:
                yield part.lineno


def sides(script: ScriptText, clue: Clue) -> Iterator[int]:
    """Yield the lines of both sides of a loss, the likeliest first: layer, loss, labels."""
    call, found = find_fit(script, clue), SIDES.search(clue.message)
    target, output = (found[1], found[2]) if found else ("", "")
    if output.count(",") > target.count(",") and output.count(",") > 1:
        # Each step of a sequence, or each place of a picture, has an answer of its own.
        yield from place.lines(script, SEQUENCES)
    for name, compiled in script.calls():
        loss = named(compiled).get("loss") if name.endswith(".compile") else None
        if loss is not None:
            yield loss.lineno
    yield from place.lines(script, OUTPUTS)[:1]
    labels = call.args[1:2] if call is not None else []
    for each in labels:
        yield from follow(script, each, each.lineno)


def batch(script: ScriptText, _clue: Clue) -> Iterator[int]:
    """Where the columns of a batch were put together, last: in what `map` was given."""
    maps = [c for _name, c in script.calls() if ast.unparse(c.func).endswith(".map")][::-1]
    given = [each for c in maps for each in (*c.args[:1], named(c).get("function")) if each]
    for function in (f for each in given for f in script.functions(ast.unparse(each))):
        yield from (each.lineno for each in ast.walk(function) if isinstance(each, ast.Return))
    yield from (call.lineno for call in maps)
