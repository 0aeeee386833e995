"""Report an exception: its classes, its message, the frames it came through."""

import dis
import linecache
import os
import re
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, TracebackType
from typing import Protocol

from course_probe import crash_state, near_names
from course_probe.event_log import EventLog, cut
from course_probe.events import (
    ErrorInfo,
    ExceptionEvent,
    FailedEvent,
    FrameInfo,
    OursEvent,
    PlaceInfo,
)
from course_probe.made_layers import MADE

FRAMES = 200
"""Frames of a traceback that are reported: the first and the last hundred."""
HUB = "transformers.utils.hub"
"""The module by which `transformers` looks for the files of a repository."""
TOLD = re.compile(r'File "(?P<file>[^"\n]+)", line (?P<line>\d+), in (?P<function>\w+) +\*')
"""How a message of compiled code quotes a line that it was made of."""
_LIBRARY = str(Path(os.__file__).parent) + os.sep
_PROBE = str(Path(__file__).parent) + os.sep
RAISE = {dis.opmap[name] for name in ("RAISE_VARARGS", "RERAISE")}
PASSING_ON = dis.opmap["CALL_FUNCTION_EX"]
"""How a function of ours calls the one that it stands in front of: `original(*given, **named)`."""
OURS = frozenset(
    {"hooks", "ledger", "vital_signs", "reading", "instrument"}
    | {"guard", "forked", "lengths", "event_log"}
)
"""The parts of this package that a script's own calls lead through."""
ANYBODYS = (RecursionError, MemoryError)
"""What may be raised in whatever function is at work just then."""
ASSERTED = re.compile(r".{1,600}: block: \[.*Assertion [`'].+ failed")
"""What a GPU prints when one of its functions stops: the cause of an error that comes later."""
LATE = re.compile(r"device-side assert|CUBLAS_STATUS|CUDA error")
"""What such a later error says."""


class Own(Protocol):
    """Tells the learner's own code from that of libraries."""

    def has(self, frame: FrameType) -> bool:
        """Whether a frame is of the learner's own."""

    def name(self, frame: FrameType | None) -> str:
        """Return the name of such a frame's file; `frame` is None where there is no frame."""


class OwnScript:
    """A script by its file."""

    def __init__(self, path: Path) -> None:
        self._file = str(path)
        self._name = path.name

    def has(self, frame: FrameType) -> bool:
        """Whether a frame is of the script."""
        return frame.f_code.co_filename == self._file

    def name(self, frame: FrameType | None) -> str:
        """Return the name of the file, without its folder."""
        return self._name


class OwnFolder:
    """A script with the modules of its folder: whatever is in none of Python's own folders."""

    def __init__(self, script: Path, folder: Path) -> None:
        self._file = str(script)
        self._name = script.name
        self._folder = str(folder).rstrip(os.sep) + os.sep
        self._known = {self._file: True}

    def has(self, frame: FrameType) -> bool:
        """Whether a frame is of the script, or of a module of the folder."""
        file = frame.f_code.co_filename
        found = self._known.get(file)
        if found is None:
            found = file.startswith(self._folder) and not file.startswith(_LIBRARY)
            found = found and not {"site-packages", "dist-packages"} & set(Path(file).parts)
            self._known[file] = found = found and not file.startswith(_PROBE)
        return found

    def name(self, frame: FrameType | None) -> str:
        """Return the path of the file in the folder."""
        file = self._file if frame is None else frame.f_code.co_filename
        inside = file.removeprefix(self._folder)
        return self._name if file == self._file else inside.replace(os.sep, "/")


def is_ours(error: BaseException) -> bool:
    """Whether our own code has raised an exception, or one that it came of."""
    waiting: list[BaseException | None] = [error]
    seen = set[int]()
    while waiting:
        each = waiting.pop()
        if each is not None and id(each) not in seen:
            seen.add(id(each))
            waiting += [each.__cause__, each.__context__]
            if _is_raised_by_us(each):
                return True
    return False


def _is_raised_by_us(error: BaseException) -> bool:
    """Whether the innermost frame is ours, and not only passes a call on.

    What has no frame, a function that is built in, seems to be raised where it is called.
    """
    level = error.__traceback__
    if level is None or not isinstance(error, Exception) or isinstance(error, ANYBODYS):
        return False
    while level.tb_next is not None:
        level = level.tb_next
    package, _, rest = str(level.tb_frame.f_globals.get("__name__")).partition(".")
    if package != __package__ or rest.partition(".")[0] not in OURS:
        return False
    code, last = level.tb_frame.f_code.co_code, level.tb_lasti
    return not 0 <= last < len(code) or code[last] != PASSING_ON


def report_ours(error: BaseException, log: EventLog, *, ended: bool) -> None:
    """Write the `ours` event of an exception that our own code has raised."""
    trace = "".join(traceback.format_exception(error))
    log.write(OursEvent(event="ours", trace=cut(trace), ended=ended))


def report_exception(error: BaseException, own: Own, log: EventLog) -> None:
    """Write the `exception` event of the error that ended a script or a cell.

    One that is ours is told as such, and not as the script's.
    """
    if is_ours(error):
        report_ours(error, log, ended=True)
        return
    event: ExceptionEvent = {"event": "exception", **_describe(error, own)}
    log.write(event)


def report_failure(error: BaseException, own: Own, log: EventLog, *, worker: bool = False) -> None:
    """Report an exception that left a method that trains or evaluates."""
    if is_ours(error):
        # Whether the script catches it is yet to be seen.
        report_ours(error, log, ended=False)
        return
    event: FailedEvent = {"event": "failed", "worker": worker, **_describe(error, own)}
    log.write(event)


def _describe(error: BaseException, own: Own) -> ErrorInfo:
    found = levels(error.__traceback__, own)
    frames = [_frame(tb.tb_frame, tb.tb_lasti, tb.tb_lineno, own) for tb in found]
    if not any(f["script"] for f in frames):
        # One that is still under way has the script's own frame above it; one that the script
        # did not live to see, as it could not be read, has none.
        under_way = own_frame(own)
        if under_way is not None:
            frames.insert(0, _frame(under_way, under_way.f_lasti, under_way.f_lineno, own))
        else:
            frames = [_place_of(error, own)] if isinstance(error, SyntaxError) else []
    frames = _with_told(frames, found, str(error), own)
    if len(frames) > FRAMES:
        frames = frames[: FRAMES // 2] + frames[-FRAMES // 2 :]
    first = near_names.original(error)
    owner = getattr(first, "obj", None) if isinstance(first, AttributeError) else None
    info = ErrorInfo(
        type=full_name(type(error)),
        mro=[full_name(c) for c in type(error).__mro__],
        message=cut(_without_probe(str(error))),
        owner=[full_name(c) for c in type(owner).__mro__] if owner is not None else None,
        device=_device(),
        frames=frames,
    )
    inner = (levels(first.__traceback__, own) or found)[-1:]
    near = near_names.find(first, inner[0].tb_frame, inner[0].tb_lineno) if inner else []
    if near:
        info["near"] = near
    state = crash_state.find(found, own, str(error)) | MADE.facts(str(error))
    if state:
        info["state"] = state
    asked = _asked(found)
    if asked is not None:
        info["asked"] = cut(asked)
    return info


def _with_told(
    frames: list[FrameInfo], found: list[TracebackType], message: str, own: Own
) -> list[FrameInfo]:
    """Add to the frames those lines of the script's compiled code that a message names.

    TensorFlow compiles a function of the script, and quotes its lines: they stand in no traceback.
    """
    files = {level.tb_frame.f_code.co_filename for level in found if own.has(level.tb_frame)}
    last = max((n for n, frame in enumerate(frames) if frame["script"]), default=-1)
    if last < 0:
        return frames
    told: list[FrameInfo] = [
        {
            **frames[last],
            "function": place["function"],
            "line": int(place["line"]),
            "text": linecache.getline(place["file"], int(place["line"])).strip()[:400],
            "raises": False,
        }
        for place in TOLD.finditer(message)
        if place["file"] in files
    ]
    return [*frames[: last + 1], *told, *frames[last + 1 :]]


def _asked(found: list[TracebackType]) -> str | None:
    """Find the repository that `transformers` was looking for when it failed, by its own function.

    Its argument has had this name since 4.22: `transformers/utils/hub.py`, `cached_file`.
    """
    for level in reversed(found):
        frame = level.tb_frame
        if frame.f_globals.get("__name__") == HUB:
            asked = frame.f_locals.get("path_or_repo_id")
            return asked if isinstance(asked, str) else None
    return None


def _without_probe(message: str) -> str:
    """Drop lines on files of the probe: a message about compiled code lists its callers."""
    own = f'File "{Path(__file__).parent}{os.sep}'
    return "\n".join(line for line in message.split("\n") if own not in line)


def _device() -> str | None:
    """Return the accelerator in use when the script stopped, as far as is known; else None."""
    torch, tensorflow = sys.modules.get("torch"), sys.modules.get("tensorflow")
    try:
        if torch is not None and torch.cuda.is_initialized():
            return "cuda"
        # It takes every GPU that it can see, unless a script forbids it.
        seen = tensorflow is not None and tensorflow.config.list_physical_devices("GPU")
        return "cuda" if seen else None
    except Exception:  # noqa: BLE001 - a half-imported or foreign module must not hide the learner's error
        return None


def levels(tb: TracebackType | None, own: Own) -> list[TracebackType]:
    """Return the levels of a traceback from the script's own first one on, without the probe's.

    An exception that is reported while it is under way may not have reached the script yet.
    """
    found = [*_not_ours(tb)]
    first = next((i for i, level in enumerate(found) if own.has(level.tb_frame)), None)
    return found[first or 0 :]


def without_probe(tb: TracebackType | None) -> TracebackType | None:
    """Return a traceback as it would be without us: the levels of our hooks are left out."""
    rest = None
    for level in reversed([*_not_ours(tb)]):
        rest = TracebackType(rest, level.tb_frame, level.tb_lasti, level.tb_lineno)
    return rest


def _not_ours(tb: TracebackType | None) -> Iterator[TracebackType]:
    while tb is not None:
        if not is_our_file(tb.tb_frame.f_code.co_filename):
            yield tb
        tb = tb.tb_next


def is_our_file(name: str) -> bool:
    """Whether a file is one of the probe's."""
    return name.startswith(_PROBE)


def own_frame(own: Own) -> FrameType | None:
    """Find the innermost frame of the script's own that is running now."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and not own.has(frame):
        frame = frame.f_back
    return frame


def _frame(frame: FrameType, last: int, line: int, own: Own) -> FrameInfo:
    """Describe a frame at its instruction number `last`, in line `line`."""
    code = frame.f_code
    is_own = own.has(frame)
    is_generated = "autograph_generated" in code.co_filename
    return {
        "module": str(frame.f_globals.get("__name__", "")),
        "file": own.name(frame) if is_own else _short(code.co_filename),
        "function": code.co_name,
        "line": line,
        "text": _text(frame, line),
        "script": is_own,
        # What compiles a script's function raises in code of its own, under the script's name.
        "raises": last >= 0 and code.co_code[last] in RAISE and not is_generated,
    }


def place(frame: FrameType, line: int) -> PlaceInfo:
    """Where a frame of the script stands."""
    return {"function": frame.f_code.co_name, "line": line, "text": _text(frame, line)}


def _text(frame: FrameType, line: int) -> str:
    return linecache.getline(frame.f_code.co_filename, line).strip()[:400]


def _place_of(error: SyntaxError, own: Own) -> FrameInfo:
    """Describe the place of a syntax error: a script that doesn't parse has no frame of its own."""
    return {
        "module": "__main__",
        "file": own.name(None),
        "function": "<module>",
        "line": error.lineno or 0,
        "text": (error.text or "").strip()[:400],
        "script": True,
        "raises": False,
    }


def _short(file: str) -> str:
    """Return a library's file from its package on: the rest differs on every machine."""
    for marker in ("site-packages", "dist-packages"):
        if marker in file:
            return file.rsplit(marker, 1)[1].replace("\\", "/").lstrip("/")
    return Path(file).name


def full_name(kind: type) -> str:
    """Return a class's name with its module, as it is looked for in the catalogue."""
    return f"{kind.__module__}.{kind.__qualname__}"
