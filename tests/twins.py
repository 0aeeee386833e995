"""A script run twice, bare and watched: all that can be told of it must be the same.

Bare is `python script.py` in the environment that `course env` makes; watched is what `course run`
does with it, from cold, warm or in a standby. Each time the script lies at the same path, in a
folder that holds nothing else, so that no path differs. What is compared is in `Twin`.

The same on both sides, since two bare runs would differ, or differ from what is heard of them:

- `PYTHONHASHSEED=0`: the order of sets of strings is by chance;
- `OMP_NUM_THREADS=1`, and what keeps compiled graphs: `course run` sets them, and says so, to make
  small networks quick; sums of several threads may be added in another order;
- `PYTHONUNBUFFERED` and `PYTHONIOENCODING`: what `course run` sets so as to hear at once what is
  printed. Both streams go to one file, as they do there: their order counts;
- `PROLOGUE`: generators of Python and numpy that no seed was given to.

Left out of what is compared: how long something took, and when, names of temporary folders, which
no seed makes the same (`LEFT_OUT`), and the states of bars (`BAR`): they are drawn as often as
there is time.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from course.diagnosis import user_script
from course.runs.child import unchanged
from course.runs.hub import Hub
from course.runs.record import RunRecord
from course.runs.run_context import RunContext

Mode = Literal["cold", "warm", "standby"]
MODES: tuple[Mode, ...] = ("cold", "warm", "standby")
FIXED = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "TF_XLA_FLAGS": ""}
LIMIT = 600.0
MARK = "twin: "
"""How the line of the epilogue begins."""
LEFT_OUT = (
    # The figures of a Trainer.
    (r"(_runtime|_per_second|_time)'?(?:: |, )'?[0-9.e+-]+'?", r"\1: …"),
    # A run that maps a dataset of the hub keeps the result beside it.
    (r"\(last modified on [^)]*\)", "(last modified)"),
    (r"/tmp[a-z0-9_]{8}\b", "/tmp…"),
)
BAR = re.compile(r"\d+%\|.*\| *[\d.]+[kMG]?/[\d.]+[kMG]? \[\d+:\d+")
"""A state of a bar of `tqdm`'s."""
UP = "\x1b[A"
"""How several bars get at each other's lines."""
OF_IMPORTS = ("KMP_DUPLICATE_LIB_OK", "TORCHINDUCTOR_CACHE_DIR")
"""Variables that PyTorch's own modules set as they are imported."""
LEAVES_EARLY = "# leaves early"
"""A script with this line does not come to its end: no epilogue is heard of it."""
ARGUMENTS = "# arguments: "

PROLOGUE = "import random as _r, numpy as _n; _r.seed(0); _n.random.seed(0); del _r, _n\n"
EPILOGUE = Path(__file__).parent.joinpath("twin_epilogue.txt")


@dataclass(frozen=True)
class Twin:
    """What can be told of a run: the exit status, what was printed, what was left."""

    exit_code: int | None
    printed: list[str]
    report: dict[str, Any] | None
    files: list[str]


@dataclass(frozen=True)
class TwinScript:
    """A healthy script: what its file is called, and what it says."""

    file: str
    source: str

    @classmethod
    def read(cls, path: Path) -> "TwinScript":
        """One that lies in the repository."""
        return cls(path.name, path.read_text("utf-8"))

    @property
    def text(self) -> str:
        """The script with what the test puts before and after it."""
        return _with_prologue(self.source) + EPILOGUE.read_text("utf-8")

    @property
    def leaves_early(self) -> bool:
        """Whether no epilogue is to be expected."""
        return LEAVES_EARLY in self.source.splitlines()

    @property
    def arguments(self) -> tuple[str, ...]:
        """What it is given."""
        lines = self.source.splitlines()
        found = [line.removeprefix(ARGUMENTS) for line in lines if line.startswith(ARGUMENTS)]
        return tuple(found[0].split()) if found else ()

    def lay_out(self, folder: Path) -> Path:
        """Write it, and nothing else, into a folder."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        placed = folder / self.file
        placed.write_text(self.text, "utf-8")
        return placed


def _with_prologue(text: str) -> str:
    """Put the prologue behind the docstring and what has to stand first."""
    import ast

    lines, behind = text.splitlines(keepends=True), 0
    for node in ast.parse(text).body:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not (is_text or is_future):
            break
        behind = node.end_lineno or 0
    return "".join([*lines[:behind], PROLOGUE, *lines[behind:]])


def run_bare(twin: TwinScript, folder: Path, hub: Hub) -> Twin:
    """Run it as `python script.py`."""
    placed = twin.lay_out(folder)
    output = folder.with_suffix(".out")
    with output.open("wb") as sink:
        done = subprocess.run(
            [sys.executable, placed.name, *twin.arguments],
            cwd=folder,
            env={**unchanged(), **hub.environment},
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=sink,
            timeout=LIMIT,
        )
    return _told(done.returncode, output, folder)


def run_watched(
    twin: TwinScript, folder: Path, context: RunContext, *, warm: bool
) -> tuple[Twin, RunRecord] | None:
    """Run it as `course run` does; None where it was to be warm and was not."""
    twin.lay_out(folder)
    output = folder.with_suffix(".out")
    output.unlink(missing_ok=True)
    before = Path.cwd()
    os.chdir(folder)
    try:
        job = user_script.read(Path(twin.file), twin.arguments).job
        done = replace(context, timeout=LIMIT).run(replace(job, keep=output))
    finally:
        os.chdir(before)
    if done.warm != warm:
        return None
    return _told(done.record.exit_code, output, folder), done.record


def _told(exit_code: int | None, output: Path, folder: Path) -> Twin:
    text = output.read_bytes().decode("utf-8", "replace")
    for pattern, instead in LEFT_OUT:
        text = re.sub(pattern, instead, text)
    printed, report, has_bars = [], None, BAR.search(text) is not None
    for line in text.split("\n"):
        if line.startswith(MARK):
            report = json.loads(line.removeprefix(MARK))
            continue
        shown = line.rstrip("\r").rpartition("\r")[2].replace(UP, "")
        # A bar that goes leaves empty lines, by where the others were at the time.
        if not BAR.search(shown) and (shown.strip() or not has_bars):
            printed.append(shown)
    files = sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if "__pycache__" not in path.parts
    )
    return Twin(exit_code, printed, report, files)


def differences(bare: Twin, watched: Twin, mode: Mode) -> list[str]:
    """What differs, a line each; of the report each part by itself.

    Where the imports are done before, those have been done that the script does not ask for, too:
    what they do to the filters of warnings and to the environment is there from the beginning.
    """
    found: list[str] = []
    if mode != "cold":
        bare, watched = _without_imports(bare), _without_imports(watched)
    if bare.exit_code != watched.exit_code:
        found.append(f"exit: bare {bare.exit_code}, watched {watched.exit_code}")
    if bare.printed != watched.printed:
        import difflib

        lines = difflib.unified_diff(bare.printed, watched.printed, "bare", "watched", "", "", n=0)
        found += list(lines)[:80]
    if bare.files != watched.files:
        found.append(f"files: bare {bare.files}, watched {watched.files}")
    if (bare.report is None) != (watched.report is None):
        found.append(f"report: bare {bare.report is not None}, else {watched.report is not None}")
    elif bare.report is not None and watched.report is not None:
        found += _unlike("", bare.report, watched.report)
    return found


def _without_imports(each: Twin) -> Twin:
    """What is told of a run, without what imports leave behind."""
    if each.report is None:
        return each
    report = {k: v for k, v in each.report.items() if k != "filters"}
    known = each.report["environment"]
    report["environment"] = {k: v for k, v in known.items() if k not in OF_IMPORTS}
    return replace(each, report=report)


def _unlike(name: str, one: Any, other: Any) -> list[str]:
    """What differs between two values of a report; of dictionaries each key by itself."""
    if one == other:
        return []
    if isinstance(one, dict) and isinstance(other, dict):
        keys = sorted(one.keys() | other.keys())
        return [line for k in keys for line in _unlike(f"{name}/{k}", one.get(k), other.get(k))]
    if isinstance(one, list) and isinstance(other, list):
        one, other = ([v for v in a if v not in b] for a, b in ((one, other), (other, one)))
    return [f"{name}: bare {one}, watched {other}"]
