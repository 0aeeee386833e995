"""What a script asks of whoever has started it: a line of input, a debugger's command, a look.

An `ask` event in the journal says that it waits. What is said to it comes in files of the run's
folder, one for each turn, which any system has and which are there at once or not at all:
`said-N.json` is `{"code", "frame"}` or `{"complete", "frame"}` (a look), `{"text"}` (a line), or
`{}` for no more. What a look has shown is put into `seen-N.json`; N is the number of the turn,
which that of the `ask` begins. A file `interrupt-N` ends the look of that turn.
"""

import _thread
import builtins
import contextlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, ModuleType, TracebackType
from typing import Any, Literal, NoReturn, NotRequired, Protocol, TypedDict

from course_probe import exception_report
from course_probe.after_import import call_after_import
from course_probe.event_log import EventLog, Stopped
from course_probe.events import AskEvent, AskKind, LookOutput, PlaceInfo, QuitEvent
from course_probe.exception_report import Own
from course_probe.forked import THREAD

POLL = 0.01
"""Seconds between two looks for what is said: short against what a person notices."""
ALIVE = 1.0
"""Seconds between two looks whether anybody is there still."""
CANDIDATES = 200
"""Names that a completion offers at most."""
_OVER: Literal["over"] = "over"


class ConverseOrder(TypedDict):
    """The folder of the turns, the process that is asked, and what it may be asked for."""

    folder: str
    parent: int
    kinds: list[AskKind]


class Said(TypedDict):
    """What is said in one turn; nothing in it means that there is no more."""

    text: NotRequired[str]
    code: NotRequired[str]
    complete: NotRequired[str]
    frame: NotRequired[int | None]


class Evaluate(Protocol):
    """Evaluates code as a notebook cell would."""

    def __call__(self, code: str, namespace: dict[str, Any], /) -> LookOutput:
        """Evaluate the code; return what it printed, its value, or how it failed."""


class DebuggerQuit(Stopped):
    """The learner has ended the script in the debugger."""


class Conversation:
    """Asks, and waits for what is said; without an order there is nobody to ask."""

    def __init__(self, order: ConverseOrder | None, log: EventLog) -> None:
        self._order = order
        self._log = log
        self._number = 0
        self._looking = False
        self._has_quit = False
        # Of several processes that train together, and of those that load data, one speaks.
        self._process = os.getpid()
        self._is_main = os.environ.get("RANK", "0") == "0"

    def install(self) -> None:
        """Have `input`, `breakpoint` and `pdb.set_trace` ask, where there is somebody to ask."""
        if self._order is not None and "input" in self._order["kinds"]:
            builtins.input = self._input

        def breakpoint_hook(*_: object, header: str | None = None, **__: object) -> None:
            if os.environ.get("PYTHONBREAKPOINT") != "0":
                self._stop_at(sys._getframe(1), header)

        def set_trace(*_: object, header: str | None = None, **__: object) -> None:
            self._stop_at(sys._getframe(1), header)

        def hook(module: ModuleType) -> None:
            module.set_trace = set_trace  # type: ignore[attr-defined]

        sys.breakpointhook = breakpoint_hook
        call_after_import("pdb", hook)

    def _may_ask(self, kind: AskKind) -> bool:
        if self._order is None or kind not in self._order["kinds"]:
            return False
        is_free = not self._looking and not self._has_quit
        return is_free and self._is_main and os.getpid() == self._process

    def ask_line(self, kind: AskKind, prompt: str) -> str | None:
        """Ask for a line of text; None where there is no more."""
        self._ask(kind, prompt)
        return self._heard().get("text")

    def _input(self, prompt: object = "", /) -> str:
        sys.stdout.flush()
        line = self.ask_line("input", str(prompt)) if self._may_ask("input") else None
        if line is None:
            # The words of Python's own.
            raise EOFError("EOF when reading a line")
        return line

    def _stop_at(self, frame: FrameType, header: str | None) -> None:
        """Open the debugger in a frame.

        Raises:
            BdbQuit: there is nobody to use it; as Python's own does at the end of its input.

        """
        if not self._may_ask("debugger"):
            from bdb import BdbQuit

            raise BdbQuit
        from course_probe.serve.debugger import Debugger

        Debugger(lambda prompt: self.ask_line("debugger", prompt), self._quit).open(frame, header)

    def _quit(self) -> NoReturn:
        self._has_quit = True
        self._log.write(QuitEvent(event="quit"))
        raise DebuggerQuit

    def hold(self, namespace: dict[str, Any], own: Own, evaluate: Evaluate) -> None:
        """Wait for looks into what the script has left behind, until there are no more.

        The names are those of the innermost frame of the script's own that an exception came
        through, together with the module's, unless a look says which frame it means.
        """
        if not self._may_ask("look"):
            return
        frames = _StoppedFrames(namespace, own)
        with contextlib.suppress(ValueError):
            signal.signal(signal.SIGINT, self._interrupted)
        self._ask("look", "", frames.places)
        while said := self._heard():
            seen: dict[str, Any]
            try:
                names = frames.names(said.get("frame"))
            except IndexError:
                seen = {"output": "", "error": "IndexError: no such frame", "seconds": 0.0}
            else:
                if "complete" in said:
                    seen = {"candidates": _complete(said["complete"], names)}
                else:
                    look = self._look(said.get("code", ""), names, evaluate)
                    if look == _OVER:
                        return
                    seen = {**look}
            self._write(f"seen-{self._number - 1}.json", seen)

    def _look(
        self, code: str, names: dict[str, Any], evaluate: Evaluate
    ) -> LookOutput | Literal["over"]:
        began = time.perf_counter()
        over = threading.Event()
        path = self._path(f"interrupt-{self._number - 1}")
        threading.Thread(target=_interrupt_at, args=[path, over], name=THREAD, daemon=True).start()
        error = ""
        try:
            self._looking = True
            return evaluate(code, names)
        except KeyboardInterrupt:
            error = "KeyboardInterrupt"
        except SystemExit:
            return _OVER
        except BaseException as raised:  # noqa: BLE001 - a look may raise anything
            error = f"{exception_report.full_name(type(raised))}: {raised}"
        finally:
            self._looking = False
            over.set()
        return {"output": "", "error": error, "seconds": round(time.perf_counter() - began, 3)}

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        """Handle an interrupt, which is for a look and for nothing else."""
        if self._looking:
            raise KeyboardInterrupt

    def _ask(self, kind: AskKind, prompt: str, frames: list[PlaceInfo] | None = None) -> None:
        event: AskEvent = {
            "event": "ask",
            "kind": kind,
            "number": self._number,
            "prompt": prompt,
            "frames": frames or [],
        }
        self._log.write(event)

    def _heard(self) -> Said:
        """Wait for what is said in this turn; the process ends where nobody is left to say it."""
        path = self._path(f"said-{self._number}.json")
        self._number += 1
        checked = time.monotonic()
        while not path.exists():
            time.sleep(POLL)
            if time.monotonic() - checked > ALIVE:
                checked = time.monotonic()
                if not self._is_attended():
                    os._exit(1)
        said: Said = json.loads(path.read_text("utf-8"))
        return said

    def _is_attended(self) -> bool:
        assert self._order is not None
        return os.path.isdir(self._order["folder"]) and is_alive(self._order["parent"])

    def _path(self, name: str) -> Path:
        assert self._order is not None
        return Path(self._order["folder"], name)

    def _write(self, name: str, content: dict[str, Any]) -> None:
        path = self._path(name)
        unfinished = path.with_suffix(".new")
        unfinished.write_text(json.dumps(content), encoding="utf-8")
        unfinished.replace(path)


class _StoppedFrames:
    """The script's own frames that its last exception came through, the innermost first."""

    def __init__(self, namespace: dict[str, Any], own: Own) -> None:
        self._module = namespace
        trace: TracebackType | None = getattr(sys, "last_traceback", None)
        levels = exception_report.levels(trace, own)
        self._levels = [level for level in reversed(levels) if own.has(level.tb_frame)]
        self._names: dict[int, dict[str, Any]] = {}
        self.places = [
            exception_report.place(level.tb_frame, level.tb_lineno) for level in self._levels
        ]

    def names(self, number: int | None) -> dict[str, Any]:
        """Return the names of a frame, or of the innermost; of the module where there is none.

        What a look gives a name in a function's frame is known to later looks in that frame.

        Raises:
            IndexError: there is no frame of this number.

        """
        if number is None and not self._levels:
            return self._module
        number = number or 0
        if number < 0:
            raise IndexError
        frame = self._levels[number].tb_frame
        if frame.f_locals is frame.f_globals or frame.f_code.co_name == "<module>":
            return self._module
        if number not in self._names:
            # In one dictionary: what is within a comprehension sees only the outermost names.
            self._names[number] = {**frame.f_globals, **frame.f_locals}
        return self._names[number]


def _complete(text: str, names: dict[str, Any]) -> list[str]:
    """How a name, or an attribute of one, may go on."""
    if not text:
        return []
    # It would take hold of a terminal that is not ours.
    known = sys.modules.get("readline")
    sys.modules["readline"] = None  # type: ignore[assignment]
    try:
        from rlcompleter import Completer
    finally:
        if known is not None:
            sys.modules["readline"] = known
        else:
            del sys.modules["readline"]
    completer = Completer(names)

    def candidates() -> Iterator[str]:
        for number in range(CANDIDATES):
            candidate = completer.complete(text, number)
            if candidate is None:
                return
            yield candidate

    try:
        return list(dict.fromkeys(candidates()))
    except Exception:  # noqa: BLE001 - attributes are looked up, and may raise anything
        return []


def _interrupt_at(path: Path, over: threading.Event) -> None:
    """Interrupt the main thread once there is a file at `path`, unless it is `over` before."""
    while not over.wait(5 * POLL):
        if path.exists():
            if sys.platform == "win32":
                _thread.interrupt_main()
            else:
                # A signal of the main thread's own: it also ends what waits.
                ident = threading.main_thread().ident
                assert ident is not None
                signal.pthread_kill(ident, signal.SIGINT)
            return


def is_alive(process: int) -> bool:
    """Whether there is a process of this number."""
    if sys.platform == "win32":
        return _is_alive_on_windows(process)
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _is_alive_on_windows(process: int) -> bool:
    """Whether a process has not ended: `kill` would end it there.

    See OpenProcess and WaitForSingleObject; 0x100000 is the right to wait, 0x102 a time-out.
    """
    import ctypes

    kernel: Any = ctypes.windll.kernel32  # type: ignore[attr-defined,unused-ignore]
    handle = kernel.OpenProcess(0x100000, False, process)
    if not handle:
        return False
    waits: bool = kernel.WaitForSingleObject(handle, 0) == 0x102
    kernel.CloseHandle(handle)
    return waits
