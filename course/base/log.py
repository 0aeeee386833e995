"""The log of this program: failures of our own, each with its traceback, in the cache folder.

A process writes to a file of its own, made at its first record; the terminal stays quiet. Import
this module where something has gone wrong: that keeps it out of the program's start.
"""

import functools
import logging
import os
import platform
import shlex
import sys
import threading
import time
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from course import __version__
from course.base import paths
from course.base.i18n import _

FILES = 50
"""How many files of other processes are kept, the newest ones."""
LARGEST = 2**20
"""Bytes of a file; a process keeps two of them, the one it writes to and the one before."""
LINE = "%(asctime)s %(levelname)s %(name)s [%(threadName)s]: %(message)s"

_lock = threading.Lock()


def logger(name: str) -> logging.Logger:
    """Return the logger `course.<name>`, whose records go only to this process's file."""
    _handler()
    return logging.getLogger(f"course.{name}")


def file() -> Path | None:
    """Where this process's records are; None while there are none, or where the last was lost."""
    handler = _handler()
    return Path(handler.baseFilename) if handler.written else None


def sentence(written: Path) -> str:
    """Make the sentence that tells the user of a file that was written."""
    return _("This is a bug in our program. Please send us {log}.").format(log=f"`{written}`")


class _File(RotatingFileHandler):
    """The file of one process. `written` is whether the last record is in it."""

    written = False

    def __init__(self, path: Path) -> None:
        how = {"encoding": "utf-8", "errors": "backslashreplace"}
        super().__init__(path, maxBytes=LARGEST, backupCount=1, delay=True, **how)
        self.setFormatter(logging.Formatter(LINE))

    def _open(self) -> TextIOWrapper:
        folder = Path(self.baseFilename).parent
        folder.mkdir(parents=True, exist_ok=True)
        for old in sorted(folder.glob("[0-9]*-*-*.log*"))[:-FILES]:
            old.unlink(missing_ok=True)
        stream = super()._open()
        stream.write(f"course {__version__}: {shlex.join(sys.argv)}\n")
        stream.write(f"python {sys.version}\n{platform.platform()}\n\n")
        return stream

    def emit(self, record: logging.LogRecord) -> None:
        self.written = True
        super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's own name
        # A full disk, or a folder that is not ours: a log that cannot be written breaks nothing.
        self.written = False


def _handler() -> _File:
    """Return the handler of this process, in the cache folder of the moment."""
    with _lock:
        return _set_up(paths.cache() / "logs", os.getpid())


@functools.lru_cache(maxsize=1)
def _set_up(folder: Path, pid: int) -> _File:
    """Put the handler of a process behind the logger `course`, in place of an earlier one."""
    top = logging.getLogger("course")
    for handler in [h for h in top.handlers if isinstance(h, _File)]:
        top.removeHandler(handler)
        handler.close()
    found = _File(folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{pid}.log")
    top.addHandler(found)
    top.setLevel(logging.INFO)
    # A handler of somebody else's, as in a notebook, may show what it gets.
    top.propagate = False
    return found
