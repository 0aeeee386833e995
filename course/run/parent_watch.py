"""Run under another interpreter: a module that ends when whoever started it ends, however it ends.

`python -I tied.py PARENT MODULE ARGUMENT…` runs a module as `python -m` would;
`python -I tied.py PARENT --import MODULE…` imports modules, and says which one is next.
"""

import importlib
import os
import runpy
import signal
import subprocess
import sys
import threading
import time

POLL = 0.1
"""Seconds between two looks at whether the parent is still there."""


def _follow(parent: int) -> None:
    """Wait for the parent's end, and then end this process and all that it has started.

    It has a process group of its own, so that what it started (ensurepip, compilers) goes with it;
    a signal from the kernel at the parent's death would reach this process alone.
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


def main() -> None:
    """Do what the words ask for."""
    parent, module, *arguments = sys.argv[1:]
    threading.Thread(target=_follow, args=(int(parent),), daemon=True).start()
    if module == "--import":
        for name in arguments:
            print(f"import {name}", flush=True)
            importlib.import_module(name)
    else:
        sys.argv = [module, *arguments]
        runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
