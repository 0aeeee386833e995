"""Keys, on real terminals."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from course.cli.terminal import keys
from tests.command import CLEAN, ROOT

termios = pytest.importorskip("termios", reason="terminals of this kind are POSIX's")
ARROWS = {"up": b"\x1b[A", "home": b"\x1b[H", "end": b"\x1bOF", "delete": b"\x1b[3~"}


class Keyboard:
    """Somebody who types; what came of it so far."""

    def __init__(self, number: int) -> None:
        self._number = number
        self.heard: list[str] = []

    def type(self, keys: bytes) -> None:
        os.write(self._number, keys)

    def says(self, wanted: list[str]) -> bool:
        """Return whether just this is heard in the end."""
        deadline = time.monotonic() + 5
        while self.heard != wanted and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(0.01)
        return self.heard == wanted


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[Keyboard]:
    """Open the far end of a terminal that stdin is connected to."""
    master, slave = os.openpty()
    with open(slave, encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield Keyboard(master)
    os.close(master)


def settings() -> list[object]:
    return list(termios.tcgetattr(sys.stdin.fileno()))


FIRST, SECOND = (bytes([byte]) for byte in "р".encode())
TYPED = {
    "one by one": ([b"h", b"fn", b"Q"], "hfnQ"),
    "letters of several bytes": (["й批".encode(), FIRST, SECOND], "й批р"),
    "bytes that are no letter": ([b"\xff", b"h"], "\N{REPLACEMENT CHARACTER}h"),
    "escape alone": ([b"\x1b", b"h"], "h"),
    **{name: ([b"f" + key + key + b"h" + key], "fh") for name, key in ARROWS.items()},
}
"""What is typed, with a pause between, and what is heard of it."""


@pytest.mark.parametrize(("typed", "heard"), TYPED.values(), ids=TYPED)
def test_keys_come_one_by_one_without_enter(
    keyboard: Keyboard, typed: list[bytes], heard: str
) -> None:
    with keys.reading(keyboard.heard.append):
        for piece in typed:
            keyboard.type(piece)
            time.sleep(0.05)
        assert keyboard.says([*heard])


def test_nothing_typed_is_shown(keyboard: Keyboard) -> None:
    with keys.reading(keyboard.heard.append):
        flags = settings()[3]
        assert isinstance(flags, int)
        assert not flags & (termios.ECHO | termios.ICANON)
        # Ctrl-C still is what it was.
        assert flags & termios.ISIG


@pytest.mark.parametrize("errors", [(), (ValueError,), (KeyboardInterrupt,), (SystemExit,)])
def test_the_terminal_is_as_before_in_the_end_and_after_an_error(
    keyboard: Keyboard, errors: tuple[type[BaseException], ...]
) -> None:
    before, stops = settings(), signal.getsignal(signal.SIGTSTP)
    threads = threading.enumerate()
    with contextlib.suppress(*errors), keys.reading(keyboard.heard.append):
        assert settings() != before
        assert signal.getsignal(signal.SIGTSTP) == signal.SIG_IGN
        for error in errors:
            raise error
    assert settings() == before
    assert signal.getsignal(signal.SIGTSTP) == stops
    assert threading.enumerate() == threads


def test_no_handle_is_left_open(keyboard: Keyboard) -> None:
    before = lowest()
    for _again in range(3):
        with keys.reading(keyboard.heard.append):
            keyboard.type(b"h")
    assert lowest() == before


def lowest() -> int:
    """Return the number that the next file handle gets."""
    number = os.dup(0)
    os.close(number)
    return number


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_leaves_the_terminal_as_before(name: str) -> None:
    script = (
        "import signal, sys, time\n"
        "from course.cli import _stop\n"
        "from course.cli.terminal import keys\n"
        "signal.signal(signal.SIGTERM, _stop)\n"
        "with keys.reading(print):\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(60)\n"
    )
    master, slave = os.openpty()
    before = termios.tcgetattr(slave)
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT, env=CLEAN,
    )  # fmt: skip
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == b"ready\n"
        assert termios.tcgetattr(slave) != before
        process.send_signal(getattr(signal, name))
        process.wait(10)
    assert termios.tcgetattr(slave) == before
    os.close(slave)
    os.close(master)


def test_a_terminal_that_is_gone_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    errors: list[object] = []
    hook: Callable[[object], None] = errors.append
    monkeypatch.setattr(threading, "excepthook", hook)
    stops = signal.getsignal(signal.SIGTSTP)
    master, slave = os.openpty()
    with open(slave, encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        with keys.reading(print):
            os.close(master)
            time.sleep(0.05)
    assert errors == []
    assert signal.getsignal(signal.SIGTSTP) == stops
