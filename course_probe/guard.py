"""One guard around all that is ours in a script's own calls.

Whatever goes wrong in it is ours: it is counted, and the script goes on as if nobody had looked.
"""

import contextlib
import importlib
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from typing import Any

FAILED: Counter[str] = Counter()
"""How often a note could not be taken, by what was to be noted and the class of the exception."""
TRACES: list[str] = []
"""The tracebacks of the first ones of these, one of each kind."""
MOST_TRACES = 5
_core: Any = None
"""The part of PyTorch that knows of modes, once it is there."""


def noted(note: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Return what `note` makes of a call; None where it fails, as somebody's script has to go on.

    Tensors without numbers, of other devices or of kinds of one's own are given to networks, too.
    """
    try:
        if _core is not None and not _core._len_torch_dispatch_stack():
            # Nearly every call, and the quickest way.
            with _core.DisableTorchFunction():
                return note(*arguments, **named)
        with _apart():
            return note(*arguments, **named)
    except Exception as error:  # noqa: BLE001
        _count(note, error)
        return None


def counted(note: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Return what `note` makes of a call without computing with tensors; None where it fails."""
    try:
        return note(*arguments, **named)
    except Exception as error:  # noqa: BLE001
        _count(note, error)
        return None


def _count(note: Callable[..., Any], error: Exception) -> None:
    kind = f"{getattr(note, '__qualname__', type(note).__name__)}: {type(error).__name__}"
    FAILED[kind] += 1
    if FAILED[kind] == 1 and len(TRACES) < MOST_TRACES:
        TRACES.append(f"{kind}\n" + "".join(traceback.format_tb(error.__traceback__)))


def _apart() -> contextlib.AbstractContextManager[Any]:
    """Where modes and tensors of the script's own see nothing of what we compute."""
    global _core
    core: Any = getattr(sys.modules.get("torch"), "_C", None)
    functions = getattr(core, "DisableTorchFunction", None)
    if functions is None:
        return contextlib.nullcontext()
    _core = core
    if not core._len_torch_dispatch_stack():
        return functions()  # type: ignore[no-any-return]
    both = contextlib.ExitStack()
    both.enter_context(functions())
    both.enter_context(unseen_by_modes())
    return both


def unseen_by_modes() -> contextlib.AbstractContextManager[object]:
    """Have PyTorch's dispatch modes, which are shown each operation, see none of ours."""
    if not sys.modules["torch"]._C._len_torch_dispatch_stack():
        return contextlib.nullcontext()
    modes: Any = importlib.import_module("torch.utils._python_dispatch")
    unseen: contextlib.AbstractContextManager[object] = modes._disable_current_modes()
    return unseen


def forget() -> None:
    """Forget what could not be noted: another script begins."""
    FAILED.clear()
    TRACES.clear()
