"""What a model ends with, beside what its loss does: a softmax too many, or one that is missing.

Judged is a script with one model of its own and one loss.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from course.base.i18n import N_
from course.diagnosis.text.script_text import ScriptText
from course.diagnosis.text.text_fault import TextFault
from course.diagnosis.text.words import words
from course.exercise.patch import Splice

APPLIES_ITS_OWN = N_("The model ends with {layer}, and {loss} applies its own {own}.")
WANTS_PROBABILITIES = N_("{loss} expects the output of {wanted}, but the model ends with {layer}.")
NOT_ONE = N_("the script does not have exactly one model and one loss that we can read")
ONE_OUTPUT = N_("A softmax over a single output is always 1")
FUNCTIONS = {"softmax", "log_softmax", "sigmoid", "logsigmoid"}
OWN = {"cross_entropy": ("softmax",), "bce_with_logits": ("sigmoid",)}
"""Losses that apply an activation of their own; the same before it makes a model learn badly."""
WANTED = {"bce": "sigmoid", "nll": "log_softmax"}


@dataclass(frozen=True)
class LastLayer:
    """What a model ends with: the function that is applied, the call that makes it or calls it.

    `edits` leave it out, where that is mechanical.
    """

    kind: str
    node: ast.Call
    edits: tuple[Splice, ...] = ()
    outputs: int | None = None


def why_not(script: ScriptText) -> str | None:
    """Why this can't be judged, a sentence to translate; None where it can."""
    is_one_loss = len({kind for kind, _call in _losses(script)}) == 1
    return None if is_one_loss and len(_last_layers(script)) == 1 else NOT_ONE


def find(script: ScriptText) -> Iterator[TextFault]:
    """Yield the fault of a last layer that does not fit the loss."""
    if why_not(script) is not None:
        return
    (layer,) = _last_layers(script)
    kind, loss = _losses(script)[0]
    values = {
        "layer": f"`{_short(script, layer.node)}`",
        "loss": f"`{script.qualified(loss.func).rpartition('.')[2]}`",
    }
    line = layer.node.lineno
    if layer.kind == "softmax" and layer.outputs == 1:
        yield TextFault("softmax-over-one-output", line, ONE_OUTPUT, values)
    elif layer.kind in OWN.get(kind, ()):
        values["own"] = layer.kind
        yield TextFault("softmax-before-loss", line, APPLIES_ITS_OWN, values, edits=layer.edits)
    elif kind in WANTED and layer.kind in ("linear", "softmax"):
        function = WANTED[kind]
        called = {ast.unparse(call.func).rpartition(".")[2] for _name, call in script.calls()}
        if layer.kind == "linear" and called & {function, "exp", "softmax"}:
            return
        if kind == "bce" and layer.kind == "softmax":
            return
        values["wanted"] = f"`{function}`"
        yield TextFault("outputs-taken-for-probabilities", line, WANTS_PROBABILITIES, values)


def _losses(script: ScriptText) -> list[tuple[str, ast.Call]]:
    found = []
    for name, call in script.calls():
        last = name.rpartition(".")[2]
        if last in words().losses and name.startswith(words().functions):
            found.append((words().losses[last], call))
    return found


def _last_layers(script: ScriptText) -> list[LastLayer]:
    """Return the last layers of the models of the script, as far as they can be read."""
    modules = [
        node
        for node in ast.walk(script.tree)
        if isinstance(node, ast.ClassDef)
        and any(script.qualified(base).endswith("Module") for base in node.bases)
    ]
    if modules:
        found = [_of_module(script, module) for module in modules]
    else:
        found = [_of_sequential(script, call) for name, call in script.calls() if _is_chain(name)]
    return [layer for layer in found if layer is not None]


def _is_chain(name: str) -> bool:
    return name.endswith("Sequential") and name.startswith(words().functions)


def _of_module(script: ScriptText, module: ast.ClassDef) -> LastLayer | None:
    """Find the result of `forward`: a function (`F.softmax(x)`), method, or layer of `self`."""
    forwards = [each for each in script.functions("forward") if each in module.body]
    returns = [n for f in forwards for n in ast.walk(f) if isinstance(n, ast.Return)]
    if len(returns) != 1:
        return None
    call = returns[0].value
    inside = [made for made in script.made if module in script.around(made.value)]
    if isinstance(call, ast.Name):
        forward, name = forwards[0], call.id
        given = [m.value for m in inside if m.name == name and forward in script.around(m.value)]
        call = given[-1] if given else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    is_kept = ast.unparse(call.func.value) == "self"
    if call.func.attr in FUNCTIONS and not is_kept:
        is_function = script.qualified(call.func).startswith(words().functions)
        inner = next(iter(call.args), None) if is_function else call.func.value
        return LastLayer(call.func.attr, call, _replaced(script, call, inner))
    kept = [made.value for made in inside if made.name == ast.unparse(call.func)]
    layer = kept[-1] if kept else None
    if not isinstance(layer, ast.Call) or not is_kept:
        return None
    name = script.qualified(layer.func).rpartition(".")[2]
    if name == "Sequential":
        return _of_sequential(script, layer)
    inner = call.args[0] if len(call.args) == 1 else None
    edits = _replaced(script, call, inner)
    return LastLayer(words().layers[name], layer, edits) if name in words().layers else None


def _of_sequential(script: ScriptText, call: ast.Call) -> LastLayer | None:
    layers = [each for each in call.args if isinstance(each, ast.Call)]
    names = [script.qualified(each.func).rpartition(".")[2] for each in layers]
    if not layers or len(layers) < len(call.args) or names[-1] not in words().layers:
        return None
    if len(layers) == 1:
        return LastLayer(words().layers[names[-1]], layers[-1])
    before = layers[-2]
    size = before.args[1] if names[-2].endswith("Linear") and len(before.args) > 1 else None
    outputs = size.value if isinstance(size, ast.Constant) else None
    removal = (script.span(before)[1], script.span(layers[-1])[1], "")
    known = outputs if isinstance(outputs, int) else None
    return LastLayer(words().layers[names[-1]], layers[-1], (removal,), known)


def _replaced(script: ScriptText, call: ast.Call, inner: ast.expr | None) -> tuple[Splice, ...]:
    return ((*script.span(call), script.code(inner)),) if inner is not None else ()


def _short(script: ScriptText, call: ast.Call) -> str:
    text = " ".join(script.code(call).split())
    return text if len(text) <= 40 else f"{text[:39]}…"
