"""Fault injection: a piece of work is killed with SIGKILL at every instant at which it writes."""

import signal
import subprocess
import sys
from collections.abc import Iterator

from tests.command import CLEAN, ROOT

PRELUDE = """
import io, os, sys
from course import files

left = int(sys.argv.pop(1))

def tick():
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), 9)

def deadly(function):
    # Dies right before the call, or right after it.
    def called(*arguments, **named):
        tick()
        result = function(*arguments, **named)
        tick()
        return result
    return called

class Sink(io.FileIO):
    # A write may stop half way.
    def write(self, data):
        half = max(1, len(data) // 2)
        tick()
        written = super().write(data[:half])
        tick()
        return written

real = open
def opened(file, mode="r", *rest, **named):
    if isinstance(file, int) and "w" in mode:
        return io.BufferedWriter(Sink(file, "wb"))
    return real(file, mode, *rest, **named)

files.open = opened
for name in ("open", "fsync", "replace", "unlink", "chmod", "mkdir", "rename"):
    setattr(os, name, deadly(getattr(os, name)))
"""


def killed_at_each_instant(work: str, *arguments: str, **variables: str) -> Iterator[int]:
    """Run Python code again and again, each time killed an instant later; yields after each death.

    Comes to an end when the code does.
    """
    for instant in range(1, 500):
        done = subprocess.run(
            [sys.executable, "-c", PRELUDE + work, str(instant), *arguments],
            cwd=ROOT, env={**CLEAN, **variables}, capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode != -signal.SIGKILL:
            assert done.returncode == 0, done.stderr
            return
        yield instant
    raise AssertionError("it never came to its end")
