"""Hook the one inner entry of autograd, by which all that is sent backward goes.

There is no public hook for it. `torch.autograd.grad` comes that way, too, but gathers nothing in
the parameters: it is the script's own look at a slope.
"""

import functools
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from course_probe.guard import noted

ENTRY = "_engine_run_backward"
"""The name in `torch.autograd`."""


def hook(autograd: ModuleType, note: Callable[[Any], object]) -> None:
    """Have `note` called with what is sent backward, before it is: one loss, or a tuple of several.

    What is computed once more within a backward, as by a checkpoint, is no loss of its own.
    """
    original = getattr(autograd, ENTRY)
    is_within = within_backward()

    @functools.wraps(original)
    def heard(roots: Any, *arguments: Any, **named: Any) -> Any:
        if named.get("accumulate_grad", True) and not is_within():
            is_alone = isinstance(roots, list | tuple) and len(roots) == 1
            noted(note, roots[0] if is_alone else roots)
        return original(roots, *arguments, **named)

    setattr(autograd, ENTRY, heard)


def within_backward() -> Callable[[], bool]:
    """Return a function that tells whether this thread is at work within a backward pass."""
    task = sys.modules["torch"]._C._current_graph_task_id
    return lambda: task() != -1
