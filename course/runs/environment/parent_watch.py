"""Run a program that ends, with all it has started, when whoever started it ends, however it does.

`python -I parent_watch.py PARENT PROGRAM ARGUMENT…`; the exit status is the program's, 128 and the
number of the signal where one ended it.
"""

import os
import signal
import subprocess
import sys
import threading
import time

POLL = 0.1
"""Seconds between two looks at whether the parent is still there."""


def _follow(parent: int) -> None:
    """Wait for the parent's end, and then end this process and all that it has started.

    It has a process group of its own, so that what it started (interpreters, compilers) goes with
    it; a signal from the kernel at the parent's death would reach this process alone.
    """
    if sys.platform == "win32":
        import ctypes

        synchronize, infinite = 0x100000, 0xFFFFFFFF
        kernel = ctypes.windll.kernel32
        kernel.OpenProcess.restype = ctypes.c_void_p
        handle = kernel.OpenProcess(synchronize, False, parent)
        kernel.WaitForSingleObject(ctypes.c_void_p(handle), infinite)
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(os.getpid())], capture_output=True)
    else:
        while os.getppid() == parent:
            time.sleep(POLL)
        os.killpg(0, signal.SIGKILL)


def main() -> int:
    """Run the program to its end; its exit status."""
    parent, *command = sys.argv[1:]
    threading.Thread(target=_follow, args=(int(parent),), daemon=True).start()
    status = subprocess.call(command)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
