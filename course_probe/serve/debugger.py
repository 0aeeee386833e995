"""Python's own debugger, whose terminal is at the other end of a conversation."""

import io
import os
import pdb
import sys
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, NoReturn

from course_probe.event_log import cut

OWN = "course_probe"
RUN_ON = -1
"""What `bdb` has for a line to stop at once it is to go on without stopping."""


class _Terminal(io.StringIO):
    """What the debugger prints is kept until it waits for a command, and then shown with that."""

    def __init__(self, ask: Callable[[str], str | None]) -> None:
        super().__init__()
        self._ask = ask

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        """Show what was printed and wait for a line; empty where there is no more."""
        shown = cut(self.getvalue())
        self.seek(0)
        self.truncate()
        line = self._ask(shown)
        return "" if line is None else line + "\n"


class Debugger(pdb.Pdb):
    """Steps through the script and what it calls, and not through what runs the script."""

    def __init__(self, ask: Callable[[str], str | None], leave: Callable[[], NoReturn]) -> None:
        self._leave = leave
        self._is_between = False
        terminal = _Terminal(ask)
        # Nothing of the learner's home is read: a lesson looks the same everywhere.
        super().__init__(
            stdin=terminal, stdout=terminal, skip=[f"{OWN}*"], nosigint=True, readrc=False
        )
        self.use_rawinput = False

    def open(self, frame: FrameType, header: str | None) -> None:
        """Stop in a frame, at the line that it is at."""
        if header is not None:
            self.message(header)
        if sys.version_info >= (3, 13):
            self.set_trace(frame)
            return
        # Before 3.13 it would stop at the next line, which the last one of a script has not.
        self.reset()
        outer: FrameType | None = frame
        while outer is not None:
            outer.f_trace = self.trace_dispatch
            self.botframe = outer
            outer = outer.f_back
        self.set_step()
        self.interaction(frame, None)
        if self.breaks or self.stoplineno != RUN_ON:
            sys.settrace(self.trace_dispatch)

    def get_stack(
        self, f: FrameType | None, t: TracebackType | None
    ) -> tuple[list[tuple[FrameType, int]], int]:
        """Return the frames from the script's own first one on: who runs it does not matter."""
        stack, current = super().get_stack(f, t)
        first = next((n for n, (frame, _line) in enumerate(stack) if _is_script(frame)), 0)
        return stack[first:], max(0, current - first)

    def dispatch_call(self, frame: FrameType, arg: Any) -> Any:
        """Notice that a statement of the script begins."""
        if _is_statement(frame):
            self._is_between = False
        return super().dispatch_call(frame, arg)

    def dispatch_return(self, frame: FrameType, arg: Any) -> Any:
        """Notice that a statement of the script is over."""
        if _is_statement(frame):
            self._is_between = True
        return super().dispatch_return(frame, arg)

    def stop_here(self, frame: FrameType) -> bool:
        """Whether to stop in a frame: never between two statements, where what runs them is."""
        return not self._is_between and super().stop_here(frame)

    def user_call(self, frame: FrameType, argument_list: Any) -> None:
        """Stop where a function begins; where a statement of the script does, is a line anyway."""
        if not _is_statement(frame):
            super().user_call(frame, argument_list)

    def do_quit(self, arg: str) -> bool | None:
        """q(uit) | exit: end the script."""
        self._leave()

    do_q = do_exit = do_EOF = do_quit  # noqa: N815 - a name of pdb's

    def format_stack_entry(self, frame_lineno: tuple[FrameType, int], lprefix: str = ": ") -> str:
        """Format a place: a script by its name, and not by the folder that it runs in."""
        frame, _line = frame_lineno
        text = super().format_stack_entry(frame_lineno, lprefix)
        path = self.canonic(frame.f_code.co_filename)
        return text.replace(path, os.path.basename(path), 1) if _is_script(frame) else text


def _is_script(frame: FrameType) -> bool:
    return frame.f_globals is vars(sys.modules["__main__"])


def _is_statement(frame: FrameType) -> bool:
    """Whether a frame is that of one statement of the script, each of which runs by itself."""
    return _is_script(frame) and frame.f_code.co_name == "<module>"
