"""What a model ends with, beside what its loss does: a softmax too many, or one that is missing.

Judged is a script with one model of its own and one loss.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from course.diagnosis.text.script_text import ScriptText
from course.diagnosis.text.text_fault import TextFault
from course.diagnosis.text.words import words
from course.exercise.patch import Splice
from course.i18n import N_

APPLIES_ITS_OWN = N_("The model ends with {layer}, and {loss} applies its own {own}.")
WANTS_PROBABILITIES = N_("{loss} wants {wanted}, and the model ends with {layer}.")
ONE_OUTPUT = N_("{layer} over a single output is always 1.")
ACTIVATIONS = {
    "Softmax": "softmax",
    "softmax": "softmax",
    "LogSoftmax": "log_softmax",
    "log_softmax": "log_softmax",
    "Sigmoid": "sigmoid",
    "sigmoid": "sigmoid",
    "LogSigmoid": "logsigmoid",
    "logsigmoid": "logsigmoid",
    "Linear": "linear",
    "LazyLinear": "linear",
    "linear": "linear",
}
"""Layers and functions that a model may end with."""
LOSSES = {
    "CrossEntropyLoss": "cross_entropy",
    "cross_entropy": "cross_entropy",
    "BCEWithLogitsLoss": "bce_with_logits",
    "binary_cross_entropy_with_logits": "bce_with_logits",
    "BCELoss": "bce",
    "binary_cross_entropy": "bce",
    "NLLLoss": "nll",
    "nll_loss": "nll",
}
OWN = {"cross_entropy": ("softmax",), "bce_with_logits": ("sigmoid",)}
"""Losses that apply an activation of their own; the same before it makes a model learn badly."""
WANTED = {"bce": ("probabilities", "sigmoid"), "nll": ("log-probabilities", "log_softmax")}


@dataclass(frozen=True)
class LastLayer:
    """What a model ends with; `inner` is what it is applied to, where that is an argument."""

    kind: str
    node: ast.Call
    inner: ast.expr | None = None
    removal: Splice | None = None
    outputs: int | None = None


def why_not(script: ScriptText) -> str | None:
    """Why this can't be judged, a sentence to translate; None where it can."""
    losses = {kind for kind, _call in _losses(script)}
    layers = [layer for layer in _last_layers(script) if layer.kind]
    if len(losses) != 1:
        return N_("the script does not have just one loss that is known here")
    if len(layers) != 1:
        return N_("the script does not have just one model whose last layer can be read")
    return None


def find(script: ScriptText) -> Iterator[TextFault]:
    """A last layer that does not fit the loss."""
    if why_not(script) is not None:
        return
    (layer,) = [layer for layer in _last_layers(script) if layer.kind]
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
        yield TextFault(
            "softmax-before-loss", line, APPLIES_ITS_OWN, values, edits=_removed(script, layer)
        )
    elif kind in WANTED and layer.kind in ("linear", "softmax"):
        wanted, function = WANTED[kind]
        if layer.kind == "linear" and _is_called(script, function, "exp", "softmax"):
            return
        if kind == "bce" and layer.kind == "softmax":
            return
        values["wanted"] = f"`{wanted}`"
        yield TextFault("outputs-taken-for-probabilities", line, WANTS_PROBABILITIES, values)


def _losses(script: ScriptText) -> list[tuple[str, ast.Call]]:
    found = []
    for name, call in script.calls():
        last = name.rpartition(".")[2]
        if last in LOSSES and name.startswith(words().functions):
            found.append((LOSSES[last], call))
    return found


def _last_layers(script: ScriptText) -> Iterator[LastLayer]:
    """What each model of the script ends with; `kind` is empty where that is not known."""
    modules = [
        node
        for node in ast.walk(script.tree)
        if isinstance(node, ast.ClassDef)
        and any(script.qualified(base).endswith("Module") for base in node.bases)
    ]
    for module in modules:
        yield _of_module(script, module)
    if modules:
        return
    for name, call in script.calls():
        if name.rpartition(".")[2] == "Sequential" and name.startswith(words().functions):
            yield _of_sequential(script, call)


def _of_module(script: ScriptText, module: ast.ClassDef) -> LastLayer:
    """What `forward` returns."""
    nothing = LastLayer("", ast.Call(func=ast.Name(id="", ctx=ast.Load()), args=[], keywords=[]))
    forward = next(
        (n for n in module.body if isinstance(n, ast.FunctionDef) and n.name == "forward"), None
    )
    returns = [n for n in ast.walk(forward) if isinstance(n, ast.Return)] if forward else []
    if len(returns) != 1 or forward is None:
        return nothing
    value = returns[0].value
    if isinstance(value, ast.Name):
        given = [
            n.value
            for n in ast.walk(forward)
            if isinstance(n, ast.Assign)
            and any(isinstance(t, ast.Name) and t.id == value.id for t in n.targets)
        ]
        value = given[-1] if given else None
    if not isinstance(value, ast.Call):
        return nothing
    return _of_call(script, module, value) or nothing


def _of_call(script: ScriptText, module: ast.ClassDef, call: ast.Call) -> LastLayer | None:
    """A function (`F.softmax(x)`), a method (`x.softmax(1)`), or a layer kept in `self`."""
    kept = {
        target.attr: node.value
        for node in ast.walk(module)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute) and isinstance(node.value, ast.Call)
    }
    func = call.func
    if not isinstance(func, ast.Attribute):
        return None
    if isinstance(func.value, ast.Name) and func.value.id == "self":
        layer = kept.get(func.attr)
        if layer is None:
            return None
        name = script.qualified(layer.func).rpartition(".")[2]
        if name == "Sequential":
            return _of_sequential(script, layer)
        inner = call.args[0] if len(call.args) == 1 else None
        return LastLayer(ACTIVATIONS.get(name, ""), layer, inner, _replaced(script, call, inner))
    kind = ACTIVATIONS.get(func.attr, "")
    if kind == "linear":
        kind = ""
    is_function = script.qualified(func).startswith(words().functions)
    inner = (call.args[0] if call.args else None) if is_function else func.value
    return LastLayer(kind, call, inner, _replaced(script, call, inner))


def _of_sequential(script: ScriptText, call: ast.Call) -> LastLayer:
    nothing = LastLayer("", call)
    layers = call.args
    if not layers or not all(isinstance(each, ast.Call) for each in layers):
        return nothing
    last, before = layers[-1], layers[-2] if len(layers) > 1 else None
    assert isinstance(last, ast.Call)
    kind = ACTIVATIONS.get(script.qualified(last.func).rpartition(".")[2], "")
    removal = (script.span(before)[1], script.span(last)[1], "") if before is not None else None
    outputs = None
    if isinstance(before, ast.Call) and len(before.args) > 1:
        size = before.args[1]
        is_linear = script.qualified(before.func).endswith("Linear")
        if is_linear and isinstance(size, ast.Constant) and isinstance(size.value, int):
            outputs = size.value
    return LastLayer(kind, last, None, removal, outputs)


def _replaced(script: ScriptText, call: ast.Call, inner: ast.expr | None) -> Splice | None:
    return (*script.span(call), script.code(inner)) if inner is not None else None


def _removed(script: ScriptText, layer: LastLayer) -> tuple[Splice, ...]:
    return (layer.removal,) if layer.removal is not None else ()


def _is_called(script: ScriptText, *names: str) -> bool:
    found = {
        node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        for _name, node in script.calls()
    }
    return any(name in found for name in names)


def _short(script: ScriptText, call: ast.Call) -> str:
    text = " ".join(script.code(call).split())
    return text if len(text) <= 40 else f"{text[:39]}…"
