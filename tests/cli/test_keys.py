"""Keys, on real terminals."""

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


def test_keys_come_one_by_one_without_enter(keyboard: Keyboard) -> None:
    with keys.reading(keyboard.heard.append):
        keyboard.type(b"h")
        assert keyboard.says(["h"])
        keyboard.type(b"fn")
        assert keyboard.says(["h", "f", "n"])
        keyboard.type(b"Q")
        assert keyboard.says(["h", "f", "n", "Q"])


def test_nothing_typed_is_shown(keyboard: Keyboard) -> None:
    with keys.reading(keyboard.heard.append):
        flags = settings()[3]
        assert isinstance(flags, int)
        assert not flags & (termios.ECHO | termios.ICANON)
        # Ctrl-C still is what it was.
        assert flags & termios.ISIG


def test_a_letter_of_several_bytes_comes_whole(keyboard: Keyboard) -> None:
    with keys.reading(keyboard.heard.append):
        keyboard.type("й批".encode())
        assert keyboard.says(["й", "批"])
        first, second = (bytes([byte]) for byte in "р".encode())
        keyboard.type(first)
        time.sleep(0.05)
        keyboard.type(second)
        assert keyboard.says(["й", "批", "р"])


def test_bytes_that_are_no_letter_stop_nothing(keyboard: Keyboard) -> None:
    with keys.reading(keyboard.heard.append):
        keyboard.type(b"\xff")
        keyboard.type(b"h")
        assert keyboard.says(["\N{REPLACEMENT CHARACTER}", "h"])


@pytest.mark.parametrize("key", ARROWS.values(), ids=ARROWS)
def test_keys_typed_in_one_go_keep_apart(keyboard: Keyboard, key: bytes) -> None:
    with keys.reading(keyboard.heard.append):
        keyboard.type(b"f" + key + key + b"h" + key)
        assert keyboard.says(["f", "h"])


def test_escape_alone_does_nothing(keyboard: Keyboard) -> None:
    with keys.reading(keyboard.heard.append):
        keyboard.type(b"\x1b")
        time.sleep(0.05)
        keyboard.type(b"h")
        assert keyboard.says(["h"])


def test_the_terminal_is_as_before_in_the_end(keyboard: Keyboard) -> None:
    before, stops = settings(), signal.getsignal(signal.SIGTSTP)
    threads = threading.enumerate()
    with keys.reading(keyboard.heard.append):
        assert settings() != before
        assert signal.getsignal(signal.SIGTSTP) == signal.SIG_IGN
    assert settings() == before
    assert signal.getsignal(signal.SIGTSTP) == stops
    assert threading.enumerate() == threads


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_the_terminal_is_as_before_after_an_error(
    keyboard: Keyboard, error: type[BaseException]
) -> None:
    before, threads = settings(), threading.enumerate()
    with pytest.raises(error), keys.reading(keyboard.heard.append):
        raise error
    assert settings() == before
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
