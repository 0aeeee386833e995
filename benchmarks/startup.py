"""How fast the command line answers: `python benchmarks/startup.py [--runs N]`.

Runs each command in a new process, in turn, and prints medians and their ratios to a bare
interpreter, and to importing Click and Rich, which every command has to do.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time

COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "import click, rich": ["-c", "import click, rich"],
    "course --version": ["-m", "course", "--version"],
    "course --help": ["-m", "course", "--help"],
    "course list": ["-m", "course", "list"],
    "course list --lang zh": ["-m", "course", "list", "--lang", "zh"],
    "course explain": ["-m", "course", "explain"],
    "course explain nan-loss": ["-m", "course", "explain", "nan-loss"],
}
BARE, BASE = "python -c pass", "import click, rich"


def seconds(arguments: list[str]) -> float:
    """Wall-clock seconds of one process."""
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    os.environ.pop("COURSE_LANG", None)
    # An installed package is compiled; what counts is not how long a checkout takes to compile.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for arguments in COMMANDS.values():
        seconds(arguments)
    # In turn, so that a busy moment of the machine falls on all of them alike.
    took: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(runs):
        for name, arguments in COMMANDS.items():
            took[name].append(seconds(arguments))
    bare, base = (statistics.median(took[name]) for name in (BARE, BASE))
    print(
        "| command | median, ms | against a bare interpreter | against importing Click and Rich |"
    )
    print("| --- | ---: | ---: | ---: |")
    for name, times in took.items():
        median = statistics.median(times)
        print(f"| `{name}` | {1000 * median:.0f} | {median / bare:.1f} | {median / base:.2f} |")


if __name__ == "__main__":
    main()
