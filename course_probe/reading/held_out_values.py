"""Values that a script has under names of what it holds out to evaluate on."""

import sys
from collections.abc import Iterator
from typing import Any

from course_probe.reading.held_out_names import HELD_OUT


def is_kept(value: Any) -> bool:
    """Whether the script has this under a name of what it keeps for its evaluation.

    The name of an argument does not count: one function may evaluate all there is. That under
    which it is handed on to the function does.
    """
    known = [vars(sys.modules["__main__"])]
    frame: Any = sys._getframe()
    while frame is not None:
        if frame.f_globals.get("__name__") == "__main__":
            arguments = frame.f_code.co_varnames[: frame.f_code.co_argcount]
            known.append({k: v for k, v in frame.f_locals.items() if k not in arguments})
        frame = frame.f_back
    names = [name.lower() for each in known for name, bound in each.items() if bound is value]
    return any(HELD_OUT.search(name) and "train" not in name for name in names)


def rows_trained(target: Any) -> float | None:
    """Of the rows that a mask holds out, the share whose labels a loss over all rows was given.

    None where the script has no masks of such rows, one for the training and one beside it.
    """
    torch = sys.modules["torch"]
    if target.ndim != 1 or target.is_floating_point():
        return None
    masks = {name: mask for name, mask in _masks(torch) if mask.shape == target.shape}
    for name, held in masks.items():
        own = masks.get(HELD_OUT.sub("train", name))
        if own is not None and own is not held and not bool((own & held).any()):
            given = target[held.to(target.device)]
            return float((given >= 0).float().mean()) if len(given) else None
    return None


def _masks(torch: Any) -> Iterator[tuple[str, Any]]:
    """The masks among the script's values, and in its objects, by their names in small letters."""
    for name, value in list(vars(sys.modules["__main__"]).items()):
        inner = getattr(value, "__dict__", None)
        kept = {name: value}
        if isinstance(inner, dict) and not isinstance(value, type | torch.nn.Module):
            kept |= inner
        for key, each in list(kept.items()):
            if type(each) is torch.Tensor and each.dtype == torch.bool and each.ndim == 1:
                yield str(key).lower(), each
