"""How long does a lesson's walk take?  ``python benchmarks/walk.py [--fw FRAMEWORK] [--runs N]``

Walks from the first step to the last, the way `course run LESSON --yes --json` does, with the warm
runtime started beforehand, and once more from cold. Prints a Markdown table: the median seconds of
each step (looks included), those of the whole command, and the ratio of warm to cold.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from typing import Any


def walk(lesson: str, framework: str, *options: str) -> tuple[float, dict[str, Any]]:
    """Seconds of the whole command, and its document."""
    began = time.monotonic()
    words = ("run", lesson, "--fw", framework, "--yes", "--json", *options)
    done = subprocess.run([sys.executable, "-m", "course", *words], capture_output=True, text=True)
    seconds = time.monotonic() - began
    if done.returncode != 0:
        raise SystemExit(done.stdout + done.stderr)
    return seconds, json.loads(done.stdout)


def main() -> None:
    """Walk, and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lesson", default="ch8-4")
    parser.add_argument("--fw", default="tf")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    walk(options.lesson, options.fw)
    warm = [walk(options.lesson, options.fw) for _ in range(options.runs)]
    cold = walk(options.lesson, options.fw, "--cold")
    versions = ", ".join(f"{k} {v}" for k, v in cold[1]["runtime"].items())
    print(f"\n{options.lesson}, {options.fw}, {cold[1]['device']}: {versions}\n")
    print("| step | warm, s | cold, s | ratio |\n| --- | ---: | ---: | ---: |")
    for i, step in enumerate(cold[1]["steps"]):
        seconds = statistics.median(document["steps"][i]["seconds"] for _s, document in warm)
        alone = step["seconds"]
        ratio = f"{seconds / alone:.2f}" if alone else "–"
        print(f"| `{step['step']}` | {seconds:.1f} | {alone:.1f} | {ratio} |")
    whole = statistics.median(seconds for seconds, _document in warm)
    print(f"| the whole command | {whole:.1f} | {cold[0]:.1f} | {whole / cold[0]:.2f} |")


if __name__ == "__main__":
    main()
