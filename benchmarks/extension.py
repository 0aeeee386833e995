"""What `%load_ext course` costs a kernel that has a framework loaded, beside another extension.

    python benchmarks/extension.py [--python PYTHON] [--times N]

Each time is that of a fresh process with an IPython shell in which torch and transformers (or what
`--imports` names) are imported already; the median of N (7) is printed, in milliseconds.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
SCRIPT = """
import json, sys, time
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for name in {imports!r}:
    shell.run_cell("import " + name)
began = time.perf_counter()
shell.run_cell("%load_ext {extension}")
load = time.perf_counter() - began
began = time.perf_counter()
shell.run_cell("x = 1")
print(json.dumps([load * 1000, (time.perf_counter() - began) * 1000]))
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--imports", nargs="*", default=["torch", "transformers"])
    parser.add_argument("--times", type=int, default=7)
    options = parser.parse_args()
    print("| extension | load (ms) | each cell (ms) |\n| --- | ---: | ---: |")
    for extension in ("autoreload", "course"):
        found = [measure(extension, options) for _time in range(options.times)]
        load, cell = (statistics.median(column) for column in zip(*found, strict=True))
        print(f"| `%load_ext {extension}` | {load:.1f} | {cell:.2f} |")


def measure(extension: str, options: argparse.Namespace) -> tuple[float, float]:
    """Milliseconds to load the extension, and to run a cell with it loaded."""
    script = SCRIPT.format(imports=options.imports, extension=extension)
    done = subprocess.run(
        [options.python, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True
    )
    load, cell = json.loads(done.stdout.strip().splitlines()[-1])
    return load, cell


if __name__ == "__main__":
    main()
