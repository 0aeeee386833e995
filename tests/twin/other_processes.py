"""Starts processes in every way, and hears of them."""

import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from statistics import fmean


def mean(numbers):
    return fmean(numbers)


def child(queue):
    queue.put((__name__, os.getppid() == parent))


parent = os.getpid()
if __name__ == "__main__":
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; print(sys.argv, sys.flags.safe_path); sys.exit(7)",
            "a",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stdout, done.stderr, done.returncode)
    subprocess.run(["sh", "-c", "echo out; echo err >&2"], check=True)
    os.system("echo by the system")
    with multiprocessing.Pool(2) as pool:
        print(pool.map(mean, [[1.0, 2.0], [3.0, 5.0]]))
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        print(executor.submit(mean, [4.0, 6.0]).result())
    print("before the fork", flush=True)
    pid = os.fork()
    if pid == 0:
        print("in the child", flush=True)
        os._exit(9)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    del pid
    parent = 0
