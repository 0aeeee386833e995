"""Single keys from the terminal, as they are pressed."""

import contextlib
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator

POLL = 0.05
"""Seconds between two looks at the keyboard where it can't be waited for."""
SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]?|O.|.)?", re.DOTALL)
"""What a key that is no character sends (ECMA-48, 5.4), or one pressed with Alt."""


def are_there() -> bool:
    """Return whether somebody sits at a terminal, and sees what is shown there."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def drop_typed() -> None:
    """Forget what was typed while something loaded: it was meant for what stood there before."""
    if not sys.stdin.isatty():
        return
    if sys.platform == "win32":
        import msvcrt

        while msvcrt.kbhit():
            msvcrt.getwch()
        return
    import termios

    with contextlib.suppress(termios.error):
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


@contextlib.contextmanager
def reading(pressed: Callable[[str], None]) -> Iterator[None]:
    """Call `pressed` with each character typed; the terminal is as before in the end."""
    yield from _windows(pressed) if sys.platform == "win32" else _posix(pressed)


def _posix(pressed: Callable[[str], None]) -> Iterator[None]:
    import codecs
    import select
    import signal
    import termios
    import tty

    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)
    decode = codecs.getincrementaldecoder("utf-8")("replace")
    end, ended = os.pipe()

    def read() -> None:
        while end not in select.select([keyboard, end], [], [])[0]:
            typed = os.read(keyboard, 64)
            if not typed:
                return
            # An arrow key comes as several characters, none of which is meant.
            for character in SEQUENCE.sub("", decode.decode(typed)):
                pressed(character)

    thread = threading.Thread(target=read, daemon=True)
    # A stopped process would leave the shell with a screen and a keyboard that are not its own.
    suspended = signal.signal(signal.SIGTSTP, signal.SIG_IGN)
    try:
        tty.setcbreak(keyboard)
        thread.start()
        yield
    finally:
        os.write(ended, b".")
        thread.join()
        os.close(end)
        os.close(ended)
        # The terminal may be gone by now: its window was closed.
        with contextlib.suppress(termios.error):
            termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
        signal.signal(signal.SIGTSTP, suspended)


def _windows(pressed: Callable[[str], None]) -> Iterator[None]:
    if sys.platform != "win32":
        return
    import msvcrt

    stop = threading.Event()

    def read() -> None:
        while not stop.wait(POLL):
            while msvcrt.kbhit():
                character = msvcrt.getwch()
                if character in ("\0", "\xe0"):
                    # The first half of a key that has no character.
                    msvcrt.getwch()
                else:
                    pressed(character)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
