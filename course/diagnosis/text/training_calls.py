"""The order of `zero_grad`, `backward` and `step` in a training loop by hand.

Only a loop with one optimizer and one backward pass is judged: with several, as in a GAN or where
gradients are gathered over batches, another order can be meant.
"""

import ast
import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from course.base.i18n import N_
from course.diagnosis.text.script_text import ScriptText
from course.diagnosis.text.text_fault import TextFault
from course.diagnosis.text.words import words
from course.exercise.patch import Splice
from course_probe.near_names import NEAR

KINDS = {"zero_grad": "clear", "backward": "backward", "step": "step"}
LOOPS = (ast.For, ast.While, ast.AsyncFor)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
CLEARED = N_("The gradients are cleared before the optimizer step")
NEVER_CLEARED = N_("The gradients are never reset to zero")
HANDED_ON = N_("the optimizer is passed to other code, which may call its `step`")
NO_STEP = N_("The optimizer never steps")
NO_BACKWARD = N_("The backward pass is never run")

CLEARED_BY_HAND = re.compile("^grads?$|accum|gradient|zero_grad")
"""Names of scripts that clear gradients in another way, or add them up on purpose."""
LIMITS = re.compile(r"clip_grad|\bunscale_\(")


@dataclass(frozen=True)
class TrainingCall:
    """A call that moves the training on: what it does, whose method it is, and its statement.

    It is in a `loop` of its function, or in none; `conditional` if not each round comes to it.
    """

    kind: str
    owner: str
    call: ast.Call
    statement: ast.stmt
    loop: ast.AST | None
    conditional: bool


def why_not(script: ScriptText) -> str | None:
    """Why the order can't be judged, a sentence to translate; None where it can."""
    optimizers = _optimizers(script)
    if not optimizers:
        return N_("the script has no loop with its own optimizer")
    if len(optimizers) > 1:
        return N_("with several optimizers, another order may be intended")
    return HANDED_ON if _is_handed_on(script, *optimizers) else None


def find(script: ScriptText) -> Iterator[TextFault]:
    """Yield the faults of training calls that are missing or in a wrong order."""
    if why_not(script) is not None:
        return
    (optimizer,) = _optimizers(script)
    calls = list(_training_calls(script))
    steps = [c for c in calls if c.kind == "step" and c.owner == optimizer]
    backwards = [c for c in calls if c.kind == "backward"]
    clears = [c for c in calls if c.kind == "clear"]
    if backwards and not steps and not _is_misspelt(script, "step"):
        values = {"backward": _code(script, backwards[0]), "optimizer": f"`{optimizer}`"}
        edits = _step_behind(script, backwards[0], f"{optimizer}.step()")
        yield TextFault(
            "optimizer-step-missing", backwards[0].call.lineno, NO_STEP, values, edits=edits
        )
    elif steps and not backwards:
        is_elsewhere = script.has_name(re.compile("autograd|closure|gradients"))
        if not is_elsewhere and not _is_misspelt(script, "backward"):
            values = {"step": _code(script, steps[0])}
            yield TextFault("backward-missing", steps[0].call.lineno, NO_BACKWARD, values)
    elif len(steps) == len(backwards) == 1:
        yield from _order(script, clears, backwards[0], steps[0])


def _order(
    script: ScriptText, clears: list[TrainingCall], backward: TrainingCall, step: TrainingCall
) -> Iterator[TextFault]:
    """Judge one backward pass and one step of the same loop."""
    if backward.loop is not step.loop or step.loop is None or step.conditional:
        return
    inside = [clear for clear in clears if clear.loop is step.loop]
    if not clears:
        if not script.has_name(CLEARED_BY_HAND):
            edits = _added_behind(script, step, f"{step.owner}.zero_grad()")
            line = step.call.lineno
            yield TextFault("gradients-not-cleared", line, NEVER_CLEARED, edits=edits)
    elif not inside:
        outside = [clear for clear in clears if clear.loop is not None]
        if len(outside) == len(clears):
            values = {"clear": _code(script, clears[0])}
            line = clears[0].call.lineno
            edits = _moved(script, clears[0], behind=step) if len(clears) == 1 else ()
            yield TextFault("gradients-not-cleared", line, NEVER_CLEARED, values, edits=edits)
    elif len(inside) == 1 and not inside[0].conditional and not backward.conditional:
        clear = inside[0]
        lines = clear.call.lineno, backward.call.lineno, step.call.lineno
        # In a circle: behind the last statement of the loop comes its first.
        at, start, end = (script.span(each.call)[0] for each in (clear, backward, step))
        if (start < at < end) if start < end else (at > start or at < end):
            values = {
                "clear": _code(script, clear),
                "clear_line": str(lines[0]),
                "backward": _code(script, backward),
                "step": _code(script, step),
            }
            edits = _moved(script, clear, behind=step) if start < end else ()
            yield TextFault("gradients-cleared-before-step", lines[0], CLEARED, values, edits=edits)


def _is_misspelt(script: ScriptText, method: str) -> bool:
    """Whether another method is called by nearly this name: then it is misspelt, not missing."""
    called = {
        call.func.attr for _name, call in script.calls() if isinstance(call.func, ast.Attribute)
    }
    return bool(difflib.get_close_matches(method, called - {method}, n=1, cutoff=NEAR))


def _optimizers(script: ScriptText) -> set[str]:
    """Return the names that are given an optimizer."""
    found: set[str] = set()
    for name, values in script.assigned.items():
        for value in values:
            if not isinstance(value, ast.Call):
                continue
            made = script.qualified(value.func)
            last = made.rpartition(".")[2]
            known = made.startswith(words().optimizers) and "lr_scheduler" not in made
            if known or last in ("AdamW", "Adafactor"):
                found.add(name)
    return found


def _is_handed_on(script: ScriptText, optimizer: str) -> bool:
    """Whether other code than this script may step for the optimizer, or go backward."""
    for name, call in script.calls():
        given = [*call.args, *(each.value for each in call.keywords)]
        names = {n.id for each in given for n in ast.walk(each) if isinstance(n, ast.Name)}
        if optimizer not in names:
            continue
        last = name.rpartition(".")[2]
        if "sched" not in name.lower() and last not in ("print", "len", "prepare", "isinstance"):
            return True
    return False


def _training_calls(script: ScriptText) -> Iterator[TrainingCall]:
    for _name, call in script.calls():
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in KINDS:
            continue
        kind, owner = KINDS[call.func.attr], ast.unparse(call.func.value)
        if kind == "step" and call.args and "scaler" in owner.lower():
            # `scaler.step(optimizer)` steps for it.
            owner = ast.unparse(call.args[0])
        inside = list(takewhile(lambda n: not isinstance(n, SCOPES), script.around(call)))
        loop = next((each for each in inside if isinstance(each, LOOPS)), None)
        within = inside[: inside.index(loop)] if loop is not None else inside
        conditional = any(isinstance(each, ast.If | ast.Try) for each in within)
        yield TrainingCall(kind, owner, call, script.statement_of(call), loop, conditional)


def _code(script: ScriptText, call: TrainingCall) -> str:
    return f"`{' '.join(script.code(call.call).split())}`"


def _added_behind(script: ScriptText, call: TrainingCall, code: str) -> tuple[Splice, ...]:
    """Make the edit that puts a statement behind that of a call."""
    return script.behind(call.statement, code) if isinstance(call.statement, ast.Expr) else ()


def _step_behind(script: ScriptText, backward: TrainingCall, code: str) -> tuple[Splice, ...]:
    """Make the edit that puts a step behind `backward()` and the limits of its gradients."""
    if not isinstance(backward.statement, ast.Expr):
        return ()
    block = script.block(backward.statement)
    behind = block[block.index(backward.statement) + 1 :]
    limiting = takewhile(lambda each: LIMITS.search(ast.unparse(each)), behind)
    return script.behind([backward.statement, *limiting][-1], code)


def _moved(script: ScriptText, call: TrainingCall, *, behind: TrainingCall) -> tuple[Splice, ...]:
    """Make the edits that move a call's statement behind that of another."""
    if not (script.is_alone(call.statement) and isinstance(call.statement, ast.Expr)):
        return ()
    added = _added_behind(script, behind, script.code(call.statement))
    line, _before = script.indent(call.statement)
    return (*added, (line, script.line_after(call.statement), "")) if added else ()
