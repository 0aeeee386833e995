"""Find something out in a child of the process, so that nobody can count it.

A pass of a network that the script has not asked for counts in the network, takes random numbers
and calls hooks; a length that nobody needed calls a method of the script's. A forked child has all
that the script has, and what it does to it is gone with it.
"""

import contextlib
import gc
import marshal
import os
import select
import signal
import sys
import threading
import time
import warnings
import weakref
from collections.abc import Callable
from typing import Any

SECONDS = 10.0
"""Seconds after which a child is given up."""
HARMLESS = ("tqdm.", "IPython.", "ipykernel.")
"""Threads of libraries that hold nothing that a child needs."""
FEEDER = "QueueFeederThread"
"""The name of the threads that give worker processes their tasks: of lists of numbers."""
LOADERS = "torch.utils.data._utils.signal_handling"
"""Where PyTorch has what it does once a worker of a loader ends: it asks its own workers only."""
THREAD = "course"
"""The name of threads of ours, which wait for an end and do nothing else."""
LARGEST = 64 * 2**20
"""Bytes of an answer that are read."""

_around: weakref.WeakSet[threading.Thread] = weakref.WeakSet()


def know_threads() -> None:
    """Take the threads that there are before the script begins, a notebook's, for harmless."""
    _around.update(threading.enumerate())


def found_aside(
    find_out: Callable[[], Any], seconds: float = SECONDS, *, reads: bool = False
) -> Any:
    """Compute what a function gives in a child process; None where that can't be had, or it fails.

    The answer is of plain values, bytes among them: where a script is graded nothing is unpickled.
    It `reads` files, or opens none.
    """
    if not can_fork():
        return None
    reading, writing = os.pipe()
    child = _fork()
    if child == 0:
        os.close(reading)
        _answer(find_out, writing, reads=reads)
    os.close(writing)
    if child is None:
        os.close(reading)
        return None
    try:
        data = _read(reading, time.monotonic() + seconds)
    finally:
        os.close(reading)
        with contextlib.suppress(OSError):
            os.kill(child, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.waitpid(child, 0)
    return marshal.loads(data)[0] if data else None


def can_fork() -> bool:
    """Whether a child can be had that nobody notices, and that does not hang.

    Not beside other threads of the script's, nor once a GPU is in use; nor where somebody waits for
    children to end.
    """
    if sys.platform != "linux" or "tensorflow" in sys.modules:
        return False
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        return False
    if not _is_plain(signal.getsignal(signal.SIGCHLD)):
        return False
    main = threading.main_thread()
    return threading.current_thread() is main and all(
        each is main
        or each in _around
        or each.name in (THREAD, FEEDER)
        or type(each).__module__.startswith(HARMLESS)
        for each in threading.enumerate()
    )


def _is_plain(handler: Any) -> bool:
    """Return whether the end of a child is nothing to the script, but to loaders of PyTorch."""
    if handler is signal.SIG_DFL:
        return True
    if getattr(handler, "__module__", "") != LOADERS:
        return False
    # What was there before is called as well.
    return all(cell.cell_contents is None for cell in handler.__closure__ or ())


def _fork() -> int | None:
    """Fork; Python warns of threads, those of PyTorch's own too, and nobody is to hear of it."""
    ignored: Any = ("ignore", None, DeprecationWarning, None, 0)
    warnings.filters.insert(0, ignored)  # type: ignore[attr-defined]
    try:
        return os.fork()
    except OSError:
        return None
    finally:
        warnings.filters.remove(ignored)  # type: ignore[attr-defined]


def _answer(find_out: Callable[[], Any], writing: int, *, reads: bool) -> None:
    """Find something out in the child, write it, and be gone."""
    try:
        # What is cleared away here may belong to the parent: its workers, its files.
        gc.disable()
        _seal(writing, reads=reads)
        # Nobody is to hear of them, least of all by a log that can't be written any more.
        warnings.simplefilter("ignore")
        torch = sys.modules.get("torch")
        if torch is not None:
            torch.set_num_threads(1)
            # What a pass of the script's needs of its own tensors, it is to have.
            with torch._C._EnableTorchFunction():
                data = marshal.dumps((find_out(),))
        else:
            data = marshal.dumps((find_out(),))
        with open(writing, "wb", closefd=False) as answer:
            answer.write(data)
    except BaseException:  # noqa: BLE001 - what fails in the child is not found out
        os._exit(1)
    os._exit(0)


def _seal(writing: int, *, reads: bool) -> None:
    """Have nothing be read, printed or written by the child but its answer."""
    import resource

    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    # In a notebook these are sockets, which would be opened anew in another process.
    sys.stdout = sys.stderr = open(1, "w", closefd=False, encoding="utf-8")  # noqa: SIM115
    kept = sorted({writing, 0, 1, 2})
    for first, last in zip(kept, [*kept[1:], os.sysconf("SC_OPEN_MAX")], strict=True):
        os.closerange(first + 1, min(last, 65_536))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if not reads:
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))


def _read(reading: int, end: float) -> bytes:
    """All that the child writes until it is gone; nothing where it takes too long or too much."""
    data = b""
    while len(data) <= LARGEST:
        left = end - time.monotonic()
        if left <= 0 or not select.select([reading], [], [], left)[0]:
            return b""
        part = os.read(reading, 1 << 16)
        if not part:
            return data
        data += part
    return b""
