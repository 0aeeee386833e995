"""Values that a script has under names of what it holds out to evaluate on, and of labels."""

import sys
from collections.abc import Callable, Iterator
from typing import Any

from course_probe.reading.held_out_names import HELD_OUT
from course_probe.reading.label_names import LABELS


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


def loader_name(loader: Any) -> str | None:
    """The name of held-out data that the script has a loader under, in small letters.

    None where it has no such name, or one of data to train on, too.
    """

    def is_it(value: Any) -> bool:
        if value is loader:
            return True
        # Accelerate makes one of its own, which has the other inside.
        is_theirs = type(value).__module__.startswith("accelerate.")
        return is_theirs and getattr(value, "base_dataloader", None) is loader

    return _name(is_it)


def rows_name(rows: Any) -> str | None:
    """The same of a tensor that these rows, with which a network was called, are a part of."""
    torch = sys.modules["torch"]
    if not _is_dense(rows):
        return _name(lambda value: value is rows)
    store, (first, end) = rows.untyped_storage().data_ptr(), _range(rows)

    def holds(value: Any) -> bool:
        if type(value) is not torch.Tensor or not _is_dense(value):
            return value is rows
        if value.untyped_storage().data_ptr() != store:
            return False
        low, high = _range(value)
        return low <= first and end <= high

    return _name(holds)


def labels_at_work() -> list[Any]:
    """The tensors that the script has under names of labels where it is at work just now."""
    torch = sys.modules["torch"]
    frame: Any = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__") != "__main__":
        frame = frame.f_back
    values = dict(frame.f_locals) if frame is not None else {}
    return [v for k, v in values.items() if type(v) is torch.Tensor and LABELS.search(k)]


def _is_dense(tensor: Any) -> bool:
    """Whether the numbers of a tensor stand one behind the other in the memory of this process."""
    is_plain = tensor.is_cpu and not tensor.is_nested
    return bool(
        is_plain and tensor.layout == sys.modules["torch"].strided and tensor.is_contiguous()
    )


def _range(tensor: Any) -> tuple[int, int]:
    """Where in memory the numbers of a tensor without gaps begin and end."""
    first = tensor.data_ptr()
    return first, first + tensor.numel() * tensor.element_size()


def _name(is_it: Callable[[Any], bool]) -> str | None:
    """The one held-out name, of names of the script and of its functions that call each other.

    What an object holds has a name, too, as have the entries of a dictionary.
    """
    names = set[str]()
    for values in _scopes():
        for name, value in values.items():
            if is_it(value):
                names.add(str(name).lower())
            inner = value if type(value) is dict else None
            if inner is None and type(value).__module__ == "__main__":
                inner = getattr(value, "__dict__", None)
            for key, each in list(inner.items()) if isinstance(inner, dict) else ():
                if type(key) is str and is_it(each):
                    names.add(key.lower())
    held = sorted(name for name in names if HELD_OUT.search(name))
    return held[0] if held and not any("train" in name for name in names) else None


def _scopes() -> Iterator[dict[str, Any]]:
    """The names of the script, and those of its functions at work; arguments have names of theirs.

    Of an argument only what it holds is known by a name: `self.val_loader`.
    """
    yield dict(vars(sys.modules["__main__"]))
    frame: Any = sys._getframe()
    while frame is not None:
        code = frame.f_code
        if frame.f_globals.get("__name__") == "__main__" and code.co_name != "<module>":
            given = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            found = frame.f_locals
            yield {name: value for name, value in found.items() if name not in given}
            if given and given[0] == "self" and "self" in found:
                yield dict(getattr(found["self"], "__dict__", {}))
        frame = frame.f_back


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
