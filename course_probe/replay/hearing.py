"""The operations of a few steps that no graph tells of: answers, masks, dropout, losses.

A `TorchFunctionMode` sees them, see https://docs.pytorch.org/docs/stable/torch.overrides.html. The
stack of such modes is popped by place: ours is put on an empty one, and taken off only where it
lies on top, so that nothing of the script's own is taken in its place. It stays away from all that
PyTorch compiles, traces or transforms, for good, as such a mode would be a part of that.

Warnings tell a place by the frames that lead there: each call goes on from a frame that stands
where the script's own does.
"""

import re
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any

from course_probe.event_log import EventLog
from course_probe.guard import noted

HeardCall = Callable[[Any, tuple[Any, ...], dict[str, Any], Any], object]
"""Is told a function that was called, its arguments, those by name, and what it gave."""
WORDS = re.compile(
    r"(?<!\bre\.)\bcompile\b|\b(?:export|jit|onnx|functorch|vmap|make_fx|symbolic_trace)\b"
    r"|\btorch\.(?:fx|func)\b|flex_attention|TorchFunctionMode"
)
"""Words in a script, or in a module beside it, by which the tape stays away."""
LONGEST = 2**20
"""Letters of a file that are looked through."""
DEEP = 4
"""Frames above a function of Python's that its warnings may point to."""
PLACES = 512
"""Places of a script that are kept, of a window."""


class Tape:
    """Hears the operations of one script while it is open, and has a `note` taken of each."""

    def __init__(self, log: EventLog, note: HeardCall) -> None:
        self._log = log
        self._note = note
        self._mode: Any = None
        self._places = Places()
        self._thread: int | None = None
        self._is_barred = False
        self._is_read = False

    @property
    def is_open(self) -> bool:
        """Return whether operations are heard just now."""
        return self._thread is not None and self._thread == threading.get_ident()

    def open(self) -> None:
        """Hear what comes, unless any mode is at work, or something was compiled."""
        core = sys.modules["torch"]._C
        if self._thread is not None or self._is_barred or core._len_torch_function_stack():
            return
        if self._is_compiled():
            self._is_barred = True
            return
        if self._mode is None:
            self._mode = _mode_of(self._note, self._places, self._log)
        self._mode.__enter__()
        self._thread = threading.get_ident()

    def close(self) -> None:
        """Hear no more; where something lies on ours, it has to wait for that."""
        if self.is_open:
            core = sys.modules["torch"]._C
            height = core._len_torch_function_stack()
            if height and core._get_function_stack_at(height - 1) is self._mode:
                self._mode.__exit__(None, None, None)
                self._thread = None
                self._places.forget()

    def _is_compiled(self) -> bool:
        """Return whether anything was compiled, or may be, as the script and its modules say."""
        if is_compiled():
            return True
        distributed = getattr(sys.modules["torch"], "distributed", None)
        if distributed is not None and distributed.is_available() and distributed.is_initialized():
            return True
        if not self._is_read:
            self._is_read = True
            return any(WORDS.search(text) for text in _texts())
        return False


def is_compiled() -> bool:
    """Return whether anything was compiled: for other inputs or modes it would be once more."""
    frames = sys.modules.get("torch._dynamo.eval_frame")
    known = getattr(frames, "cached_backends", None) or {}
    return any(each is not None for each in known.values())


def _texts() -> Iterable[str]:
    """Yield the text of the script, and of the modules of its folder."""
    main = sys.modules.get("__main__")
    file = getattr(main, "__file__", None)
    if not file:
        return
    folder = Path(file).resolve().parent
    files = {Path(file).resolve()}
    for module in list(sys.modules.values()):
        other: Any = getattr(module, "__file__", None)
        is_near = isinstance(other, str) and other.startswith(str(folder)) and other[-3:] == ".py"
        if is_near and not {"site-packages", "dist-packages"} & set(Path(other).parts):
            files.add(Path(other))
    for each in files:
        try:
            yield each.read_text("utf-8", "replace")[:LONGEST]
        except OSError:
            continue


class Places:
    """Functions that call another one, and stand where frames of the script do."""

    def __init__(self) -> None:
        self._known: dict[tuple[CodeType, int | None], FunctionType] = {}

    def call(self, frame: FrameType | None, func: Any, args: Any, named: Any) -> Any:
        """Call a function as if from this frame: one of Python's from those above it, too."""
        for _level in range(DEEP if type(func) is FunctionType else 1):
            if frame is None:
                break
            func, args, named = self._place(frame), (func, args, named), {}
            frame = frame.f_back
        return func(*args, **named)

    def _place(self, frame: FrameType) -> FunctionType:
        key = (frame.f_code, frame.f_lineno)
        found = self._known.get(key)
        if found is None or found.__globals__ is not frame.f_globals:
            if len(self._known) >= PLACES:
                self._known.clear()
            code = _HERE.replace(
                co_filename=frame.f_code.co_filename,
                co_name=frame.f_code.co_name,
                # The call stands in the line below that of `def`.
                co_firstlineno=max(0, (frame.f_lineno or 1) - 1),
            )
            found = self._known[key] = FunctionType(code, frame.f_globals)
        return found

    def forget(self) -> None:
        """Keep nothing of the script."""
        self._known.clear()


def _mode_of(note: HeardCall, places: Places, log: EventLog) -> Any:
    torch = sys.modules["torch"]
    passing, backward = torch.overrides.handle_torch_function.__code__, torch.Tensor.backward
    kind: Any = torch.overrides.TorchFunctionMode

    class Taped(kind):  # type: ignore[misc]
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            named = kwargs or {}
            if func is backward:
                # Who looks for the script's frames within is to find them, and none like them.
                return func(*args, **named)
            frame: FrameType | None = sys._getframe(1)
            if frame is not None and frame.f_code is passing:
                frame = frame.f_back and frame.f_back.f_back
            try:
                found = places.call(frame, func, args, named)
            except BaseException as error:  # noqa: BLE001 (raised again)
                raise error.with_traceback(_behind(error.__traceback__))  # noqa: B904 (the same)
            if not log.looking:
                noted(note, func, args, named, found)
            return found

    return Taped()


def _plainly(func: Any, args: Any, named: Any) -> Any:
    return func(*args, **named)


_HERE = _plainly.__code__


def _behind(tb: TracebackType | None) -> TracebackType | None:
    """Return a traceback without the levels by which a call went on from the tape."""
    while tb is not None:
        code = tb.tb_frame.f_code
        is_place = code.co_code == _HERE.co_code and code.co_varnames == _HERE.co_varnames
        if not is_place and code.co_filename != _HERE.co_filename:
            return tb
        tb = tb.tb_next
    return None
