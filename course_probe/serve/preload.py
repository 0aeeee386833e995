"""What a process that waits for work does beforehand: imports, and nothing else."""

import contextlib
import gc
import importlib
import os
import sys
import time
from pathlib import Path

NATIVE = ("jemalloc",)
"""Threads that libraries start at import and that survive a fork by their own provisions.

pyarrow's memory allocator keeps one for its housekeeping; it stops and restarts it around `fork`
(jemalloc's manual, `background_thread`).
"""
OURS = (
    *("course_probe.exam.adapted_calls", "course_probe.exam.execution"),
    *("course_probe.exam.examination", "course_probe.exam.partial_execution"),
)
"""What some jobs need of the probe, and none that begins from cold is to wait for."""
SET_BY_IMPORTS: dict[str, str] = {}
"""Variables of the environment that imports have set: a script's own imports would, too."""
SETTLE = 0.1
"""Seconds that threads are given to end."""


def prepare(modules: list[str], stop: str | None = None) -> None:
    """Import `modules`, and end the process if the file `stop` was touched meanwhile.

    A module is `name`, or `name:function:argument` where the function is to be called as well.
    A module that is missing or broken is left to the script, which will fail on it as it should.
    The objects made so far are kept out of the garbage collector, whose marks would otherwise
    turn shared pages of memory into private ones (see `gc.freeze`).
    """
    began = time.time()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    # Not from the folder of the probe, nor from wherever the process was started.
    sys.path[0] = str(Path(__file__).parent / "nowhere")
    before = dict(os.environ)
    for entry in (*OURS, *modules):
        name, *call = entry.split(":")
        try:
            module = importlib.import_module(name)
            if call:
                # Builds a table that the library keeps from its first use on.
                getattr(module, call[0])(*call[1:])
        except Exception as error:  # noqa: BLE001 - printed: the script will meet it itself
            print(f"{entry} was not imported: {type(error).__name__}: {error}", flush=True)
    SET_BY_IMPORTS.update({k: v for k, v in os.environ.items() if before.get(k) != v})
    gc.collect()
    gc.freeze()
    print(f"ready after {time.time() - began:.1f} s", flush=True)
    with contextlib.suppress(OSError):
        if stop is not None and os.stat(stop).st_mtime > began:
            print("stopped meanwhile", flush=True)
            os._exit(0)


def threads() -> list[str]:
    """Return the names of the threads, beside the first one, that a fork would lose (Linux only).

    One that an import has waited for may still take a moment to be gone.
    """
    patience = time.monotonic() + SETTLE
    while (found := _threads()) and time.monotonic() < patience:
        time.sleep(0.01)
    return found


def _threads() -> list[str]:
    tasks = Path("/proc/self/task")
    if not tasks.is_dir():
        return []
    names = []
    for task in os.listdir(tasks):
        with contextlib.suppress(OSError):
            if int(task) != os.getpid():
                names.append((tasks / task / "comm").read_text().strip())
    return [name for name in names if not name.startswith(NATIVE)]


def shadows(folder: str | None) -> str | None:
    """Find a file of the learner's that hides a module already imported: it would not be seen."""
    if folder is None:
        return None
    imported = {name.partition(".")[0] for name in sys.modules}
    try:
        for entry in os.scandir(folder):
            is_package = entry.is_dir() and os.path.exists(os.path.join(entry, "__init__.py"))
            name, suffix = os.path.splitext(entry.name)
            if (suffix == ".py" or is_package) and name in imported:
                return entry.name
    except OSError:
        pass
    return None
