"""Columns of predictions that a script of Keras 3 sets beside rows of numbers: each with each."""

import ast
import sys
from types import FrameType
from typing import Any

from course_probe.hooks.keras.rows import as_array
from course_probe.reading.predictions_beside import Column, Predictions, predictions
from course_probe.reading.script_text import parsed


class PredictedColumns:
    """What becomes of what `predict` gives, where that is a single column."""

    def __init__(self) -> None:
        self._read: dict[str, Predictions] | None = None

    def note(self, made: Any) -> dict[str, float]:
        """Return facts of a `predict` that has `made` something; nothing where all is well.

        The function of the script that has called it is looked at, while it waits.
        """
        shape: Any = getattr(made, "shape", ())
        if len(shape) != 2 or shape[1] != 1 or shape[0] < 2:
            return {}
        frame: FrameType | None = sys._getframe()
        while frame is not None and frame.f_globals.get("__name__") != "__main__":
            frame = frame.f_back
        if frame is None:
            return {}
        if self._read is None:
            tree = parsed()
            self._read = predictions(tree) if tree is not None else {}
        known = self._read.get(frame.f_code.co_name)
        if known is None:
            return {}
        found: dict[str, float] = {}
        line = frame.f_lineno
        names = {**frame.f_globals, **frame.f_locals}
        if any(_is_made_here(each, line, names) for each in known.extremes):
            found["of_one"] = 1.0
        for each in known.pairings:
            is_here = _is_made_here(each.column, line, names)
            if is_here and _rows(each.other, names) == shape[0]:
                found["column_rows"] = float(shape[0])
        return found


def _is_made_here(column: Column, line: int, names: dict[str, Any]) -> bool:
    """Return whether a column is what this very call gives, reckoned with numbers at most."""
    is_here = column.first <= line <= column.last
    return is_here and all(_is_single(names.get(name)) for name in column.single)


def _is_single(value: Any) -> bool:
    """Return whether this is one number."""
    return isinstance(value, int | float) or getattr(value, "shape", None) == ()


def _rows(node: ast.expr, names: dict[str, Any]) -> int | None:
    """Count the numbers in a row of numbers, by its name or as a part of it; None if it is none."""
    part: Any = slice(None)
    if isinstance(node, ast.Subscript):
        part, node = _part(node.slice, names), node.value
    value = as_array(names.get(node.id)) if isinstance(node, ast.Name) else None
    if value is None or value.ndim != 1 or part is None:
        return None
    if isinstance(part, slice):
        return len(range(*part.indices(len(value))))
    is_mask = part.dtype.kind == "b"
    return int(part.sum()) if is_mask else len(part)


def _part(node: ast.expr, names: dict[str, Any]) -> Any:
    """Return a slice, or an array of row numbers; None for anything else."""
    if isinstance(node, ast.Name):
        value = names.get(node.id)
        array = as_array(value)
        is_rows = array is not None and array.ndim == 1 and array.dtype.kind in "iub"
        return value if isinstance(value, slice) else array if is_rows else None
    if not isinstance(node, ast.Slice):
        return None
    ends = []
    for each in (node.lower, node.upper):
        end: Any = names.get(each.id) if isinstance(each, ast.Name) else None
        if isinstance(each, ast.Constant):
            end = each.value
        elif isinstance(each, ast.UnaryOp) and isinstance(each.operand, ast.Constant):
            operand: Any = each.operand.value
            end = -operand if isinstance(each.op, ast.USub) else None
        if each is not None and type(end) is not int:
            return None
        ends.append(end)
    return slice(*ends) if node.step is None else None
