"""Noticing saves: whatever way an editor has to write a file."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

QUIET = 40
"""Milliseconds of a burst of changes that are one save, or a quarter of that without another."""
LOOK = 1000
"""Milliseconds between two looks at the file where no change is told of (network drives)."""
GAP = 0.3
"""Seconds that a file may be missing or empty in the middle of a save."""

Stamp = tuple[int, int, int] | None


def stamp(path: Path) -> Stamp:
    """Return the file's time, size and identity, changed by every save; None where it is gone."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def watch(path: Path, saved: Callable[[], None], stop: threading.Event, seen: Stamp) -> None:
    """Call `saved` after each save of a file, and when it goes or comes back, until `stop` is set.

    `seen` is the stamp of the text that is known already. The folder is watched, not the file,
    since many editors write a new file and give it the old one's name.
    """
    while not stop.is_set():
        # With polling in between the folder itself may go away and come back.
        for _change in _changes(path, stop):
            now = _settled(path, stop)
            if now != seen:
                seen = now
                saved()


def _settled(path: Path, stop: threading.Event) -> Stamp:
    """Await the file's stamp: until it is there and holds something, or had time enough to."""
    deadline = time.monotonic() + GAP
    while True:
        now = stamp(path)
        if (now is not None and now[1] > 0) or time.monotonic() > deadline or stop.wait(0.01):
            return now


def _changes(path: Path, stop: threading.Event) -> Iterator[None]:
    """Each time that something may have changed: told of by the system, or looked for in turn."""
    from watchfiles import watch as changes

    # A link's target is saved in its own folder.
    folders = [f for f in {path.parent, Path(os.path.realpath(path)).parent} if f.is_dir()]
    yield
    if folders:
        with suppress(OSError, RuntimeError):
            for files in changes(
                *folders,
                watch_filter=None,
                debounce=QUIET,
                step=QUIET // 4,
                stop_event=stop,
                rust_timeout=LOOK,
                yield_on_timeout=True,
                recursive=False,
                raise_interrupt=False,
            ):
                yield
                # A folder that went is watched no more, also where it is back by now.
                gone = any(Path(name) in folders for _change, name in files)
                if gone or not all(folder.is_dir() for folder in folders):
                    return
    # Nothing can be watched here, or not yet.
    stop.wait(LOOK / 1000)
