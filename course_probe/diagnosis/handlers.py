"""Where a script itself deals with errors: there none is bridged, for it may be meant."""

import ast
import sys
from functools import cache
from types import FrameType

from course_probe.exception_report import Own


def is_handled(own: Own) -> bool:
    """Whether a line of the script's own that is under way stands where errors are caught."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if own.has(frame):
            line = frame.f_lineno
            if any(first <= line <= last for first, last in _handled(frame.f_code.co_filename)):
                return True
        frame = frame.f_back
    return False


@cache
def _handled(file: str) -> tuple[tuple[int, int], ...]:
    """Return the first and the last line of each block of a file in which errors are caught."""
    try:
        with open(file, "rb") as stream:
            tree = ast.parse(stream.read())
    except (OSError, SyntaxError, ValueError):
        return ()
    return tuple(
        (node.body[0].lineno, node.body[-1].end_lineno or node.body[-1].lineno)
        for node in ast.walk(tree)
        if (isinstance(node, ast.Try) and node.handlers)
        or (isinstance(node, ast.With) and "suppress" in ast.unparse(node.items[0].context_expr))
    )
