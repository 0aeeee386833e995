"""Plain `python submission.py`, some of them side by side, as a teacher without a grader does it.

A script that ends well and prints an accuracy far enough above the baseline has all points, and any
other one has none.
"""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from grading.submissions import POINTS, Example
from grading.tool import Done, Setting, Work

GOOD = 1 / 3 + 0.15
TAIL = 4096


def prepare(examples: list[Example], setting: Setting) -> Work:
    """Write the scripts; what grades them."""
    environment = setting.hooked()

    def one(example: Example) -> float:
        folder = setting.folder / example.student
        with open(folder / "out.txt", "wb") as out:
            done = subprocess.run(
                [sys.executable, "submission.py"],
                cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                stdout=out, stderr=subprocess.STDOUT, check=False,
            )  # fmt: skip
        with open(folder / "out.txt", "rb") as out:
            out.seek(max(0, out.seek(0, 2) - TAIL))
            said = re.findall(r"'eval_accuracy': '?([0-9.]+)", out.read().decode(errors="replace"))
        return POINTS if done.returncode == 0 and said and float(said[-1]) >= GOOD else 0

    def grade() -> Done:
        with ThreadPoolExecutor(setting.jobs) as pool:
            scores = pool.map(one, examples)
            return Done(dict(zip((e.student for e in examples), scores, strict=True)))

    for example in examples:
        (setting.folder / example.student).mkdir()
        (setting.folder / example.student / "submission.py").write_text(example.text)
    return grade
