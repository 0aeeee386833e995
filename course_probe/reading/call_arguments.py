"""What a call of the script's leaves out: where a function fills it in, only the text tells."""

import ast
import functools
import linecache
import sys
from types import FrameType


def is_left_out(function: str, argument: str, place: int) -> bool:
    """Whether the call of a function, which is under way, names no such argument.

    `place` is how many arguments by position include it. Nothing is left out where the text of
    the call is not known.
    """
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_name != function:
        frame = frame.f_back
    caller = frame.f_back if frame is not None else None
    if caller is None:
        return False
    calls = [
        call
        for call in _calls(caller.f_code.co_filename, function)
        if call.lineno <= caller.f_lineno <= (call.end_lineno or call.lineno)
    ]
    return bool(calls) and not any(_has(call, argument, place) for call in calls)


@functools.lru_cache(maxsize=64)
def _calls(file: str, function: str) -> tuple[ast.Call, ...]:
    """The calls of a function in a file, whatever it is a part of."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return ()
    return tuple(
        each
        for each in ast.walk(tree)
        if isinstance(each, ast.Call)
        and function == getattr(each.func, "attr", getattr(each.func, "id", None))
    )


def _has(call: ast.Call, argument: str, place: int) -> bool:
    is_spread = any(isinstance(each, ast.Starred) for each in call.args)
    names = {each.arg for each in call.keywords}
    return is_spread or len(call.args) >= place or argument in names or None in names
