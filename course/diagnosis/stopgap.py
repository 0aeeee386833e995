"""Stopgaps: edits of the copy that is run, where a failure leaves nothing to call in its place.

A misspelt method in a loop ends the whole training, and with it all that would show what else is
wrong. So the copy is edited as the failure itself suggests, and run once more. The user's own text
is never changed by these, and no finding rests on one: the failure was reported before.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator

from course.diagnosis.text.script_text import ScriptText
from course.exercise.patch import Splice
from course.runs.record import Raised

NO_ATTRIBUTE = re.compile(r"has no attribute '(\w+)'")
NO_ARGUMENT = re.compile(r"unexpected keyword argument '(\w+)'")
NUMBER = re.compile(r"'(float|int)' object has no attribute 'backward'|does not require grad")
CUT_OFF = ("item", "detach")
"""Methods that leave no gradient behind; with one of them before it, `backward` fails."""


def edited(text: str, name: str, errors: Iterable[Raised], silent: Iterable[str] = ()) -> str:
    """Make the text of a script with the stopgaps that its run suggests; mostly as it is.

    `errors` are the failures of the run, `silent` the faults that raised nothing.
    """
    script = ScriptText.read(name, text)
    wanted = [edit for error in errors for edit in _of(script, error)]
    wanted += [edit for fault in silent if fault in LEFT_OUT for edit in LEFT_OUT[fault](script)]
    return script.edited(wanted)


def _of(script: ScriptText, error: Raised) -> Iterator[Splice]:
    """Yield the edits for one failure, in the statement that it came to light in."""
    own = error.own
    statement = script.statement_at(own.line) if own is not None else None
    if statement is None:
        return
    attribute, argument = (p.search(error.message) for p in (NO_ATTRIBUTE, NO_ARGUMENT))
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute) and attribute and error.near:
            if node.attr == attribute[1]:
                _start, end = script.span(node)
                yield end - len(node.attr), end, error.near[0]
        elif isinstance(node, ast.Constant) and error.name == "KeyError" and error.near:
            if isinstance(node.value, str) and repr(node.value) == error.message:
                yield *script.span(node), repr(error.near[0])
        elif isinstance(node, ast.Call):
            if argument:
                given = [each for each in node.keywords if each.arg == argument[1]]
                yield from (script.without(node, each) for each in given)
            method = node.func
            is_cut = isinstance(method, ast.Attribute) and method.attr in CUT_OFF
            if is_cut and NUMBER.search(error.message) and "backward" in script.code(statement):
                assert isinstance(method, ast.Attribute)
                yield script.span(method.value)[1], script.span(node)[1], ""


def _backward(script: ScriptText) -> Iterator[Splice]:
    """Have the loss that a loop has computed go backward, right before the optimizer steps."""
    for statement, _owner in _calls(script, "step"):
        block = script.block(statement)
        losses = [
            target.id
            for each in block[: block.index(statement)]
            if isinstance(each, ast.Assign)
            for target in each.targets
            if isinstance(target, ast.Name) and "loss" in target.id.lower()
        ]
        if losses:
            yield from _before(script, statement, f"{losses[-1]}.backward()")
            return


def _training(script: ScriptText) -> Iterator[Splice]:
    """Have a Trainer train before it evaluates."""
    trainers = {
        name
        for name, values in script.assigned.items()
        for value in values
        if isinstance(value, ast.Call) and script.qualified(value.func).endswith("Trainer")
    }
    for statement, owner in _calls(script, "evaluate", "predict"):
        if owner in trainers:
            yield from _before(script, statement, f"{owner}.train()")
            return


LEFT_OUT: dict[str, Callable[[ScriptText], Iterator[Splice]]] = {
    "backward-missing": _backward,
    "training-missing": _training,
}
"""Calls that a script lacks and that hide all that would follow them, by the fault."""


def _calls(script: ScriptText, *methods: str) -> Iterator[tuple[ast.stmt, str]]:
    """Yield the simple statements that call such a method, each with the method's object."""
    for _name, call in script.calls():
        if isinstance(call.func, ast.Attribute) and call.func.attr in methods:
            statement = script.statement_of(call)
            if isinstance(statement, ast.Expr | ast.Assign):
                yield statement, ast.unparse(call.func.value)


def _before(script: ScriptText, statement: ast.stmt, code: str) -> Iterator[Splice]:
    """Put a line in front of a statement that has its line for itself."""
    line, before = script.indent(statement)
    if not before.strip():
        yield line, line, f"{before}{code}\n"
