"""Ask a model of PyTorch, whoever wrote its class."""

import inspect
from collections.abc import Mapping
from typing import Any

ROWS = 64
"""Texts that are computed at once."""


def outputs(model: Any, question: Mapping[str, Any]) -> dict[str, Any]:
    """Logits of shape (n, labels), and the loss where the model has one; no gradients, no dropout.

    `question` holds `input_ids`, `attention_mask` and maybe `labels`, as lists.
    """
    import torch

    training = model.training
    device = next(iter(model.parameters())).device
    names = [n for n in ("input_ids", "attention_mask", "labels") if n in question]
    batch = {n: torch.tensor(question[n]).to(device) for n in names}
    try:
        model.eval()
        with torch.no_grad(), torch.random.fork_rng():
            found = _call(model, batch)
    finally:
        model.train(training)
    told = {"logits": _logits(found, len(batch["input_ids"])).tolist()}
    loss = found.get("loss") if isinstance(found, Mapping) else getattr(found, "loss", None)
    if loss is not None:
        told["loss"] = float(loss)
    return told


def logits(model: Any, question: Mapping[str, Any]) -> list[list[float]]:
    """Logits of many texts, a few at a time."""
    found: list[list[float]] = []
    ids, mask = question["input_ids"], question["attention_mask"]
    for at in range(0, len(ids), ROWS):
        rows = {"input_ids": ids[at : at + ROWS], "attention_mask": mask[at : at + ROWS]}
        found += outputs(model, rows)["logits"]
    return found


def _call(model: Any, batch: dict[str, Any]) -> Any:
    """Call a model with what its `forward` takes by name; with all that it names no part of."""
    known = inspect.signature(model.forward).parameters
    if any(p.kind is p.VAR_KEYWORD for p in known.values()) or batch.keys() <= known.keys():
        return model(**batch)
    if "input_ids" in known:
        return model(**{name: value for name, value in batch.items() if name in known})
    positions = list(known)
    if len(positions) == 1:
        # It takes the whole batch as one mapping, or the ids alone.
        try:
            return model(batch)
        except (TypeError, AttributeError, KeyError, ValueError):
            return model(batch["input_ids"])
    return model(batch["input_ids"], batch["attention_mask"])


def _logits(found: Any, rows: int) -> Any:
    if isinstance(found, Mapping) and "logits" in found:
        return found["logits"]
    if hasattr(found, "logits"):
        return found.logits
    parts = found if isinstance(found, tuple | list) else [found]
    # A tuple begins with the loss, where there is one.
    return next(p for p in parts if getattr(p, "ndim", 0) == 2 and len(p) == rows)


def weights(model: Any, beside: Mapping[str, Any] | None = None) -> bytes:
    """Return the weights of a model, by the names that the framework gives them, as safetensors.

    `beside` are tensors by names of their own.
    """
    from safetensors.torch import save

    state = {**model.state_dict(), **(beside or {})}
    found: bytes = save({n: t.detach().cpu().clone().contiguous() for n, t in state.items()})
    return found
