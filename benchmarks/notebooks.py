"""What a notebook keeps and loses: `python benchmarks/notebooks.py [--otter PYTHON]`.

One rich notebook goes through what each tool does with notebooks: ours and jupytext's way into a
script and back, ours and jupytext's change of one cell from outside, and the student's version
that nbgrader and otter-grader make of a teacher's notebook. A table tells what of it is still there
afterwards, and as it was: all, none, or so many of how many cells. The cell that is changed on
purpose does not count.

nbgrader is taken from this environment. otter-grader is left out unless the Python of an
environment that has it is named (`pip install otter-grader`).
"""

import argparse
import copy
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from course.ipynb import notebook
from course.notebook import convert
from course.notebook.library import jupytext, nbformat

Plain = dict[str, Any]
NAME = "rich"
PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
CHANGED = "changed"
"""The cell that is changed from outside."""


def cell(kind: str, name: str, source: str, **more: Any) -> Plain:
    """A cell, which its text tells from all others."""
    made = {"cell_type": kind, "id": name, "metadata": {}, "source": source, **more}
    if kind == "code":
        ran = [{"output_type": "stream", "name": "stdout", "text": f"from {name}\n"}]
        made = {"outputs": ran, "execution_count": 3, **made}
    return made


CELLS = [
    cell("markdown", "title", "# A notebook that has been worked with\n\nIn two paragraphs."),
    cell(
        "markdown",
        "drawing",
        "![loss](attachment:loss.png)",
        attachments={"loss.png": {"image/png": PICTURE}},
    ),
    cell(
        "code", "magics", "%matplotlib inline\n%config InlineBackend.figure_format = 'svg'\nn = 1"
    ),
    cell("code", "timed", "%%time\nsum(range(10**6))"),
    cell("code", "script", "%%bash\necho 'here'\n# not Python's comment"),
    cell("code", "shell", "!nvidia-smi\nfiles = !ls\nprint(files)"),
    cell("code", "asked", "len?"),
    cell("code", "commented", "# %load_ext autoreload\n# !pip install rich\nm = 2"),
    cell("code", "tagged", "rate = 2e-5", metadata={"tags": ["parameters", "keep me"]}),
    cell(
        "code", "hidden", "seed = 42", metadata={"jupyter": {"source_hidden": True}, "vscode": {}}
    ),
    cell("markdown", "slide", "A slide", metadata={"slideshow": {"slide_type": "slide"}}),
    cell("raw", "front", "---\ntitle: raw\n---", metadata={"raw_mimetype": "text/x-rst"}),
    cell("raw", "plain", "# %% raw text"),
    cell("code", "marked", "a = 1\n# %% still the same cell\nb = 2"),
    cell("code", "quoted", "text = '''\n# %% in a string\n'''"),
    cell("code", "ends", "def f():\n    return 1\n\n\n"),
    cell("code", "windows", "x = 1\r\ny = 2"),
    cell("code", "empty", ""),
    cell("code", CHANGED, "answer = 41  # to be changed"),
    cell(
        "code",
        "plot",
        "plot()",
        outputs=[
            {"output_type": "display_data", "data": {"image/png": PICTURE}, "metadata": {}},
            {"output_type": "error", "ename": "E", "evalue": "e", "traceback": ["\x1b[31mE"]},
        ],
    ),
    cell("code", "open", "text = '''unfinished"),
    cell("code", "next", "after = 'the half-written one'"),
]
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python", "version": "3.11.7", "file_extension": ".py"},
    "authors": [{"name": "A. Teacher"}],
    "rise": {"theme": "sky"},
}
RICH = {"cells": CELLS, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}

ROWS: dict[str, tuple[tuple[str, ...], str]] = {
    "text": (("title", "drawing", "slide"), "source"),
    "code": (("tagged", "hidden", "plot", CHANGED), "source"),
    "code to the byte: line ends, blank lines, none at all": (
        ("ends", "windows", "empty"),
        "source",
    ),
    "magics": (("magics", "timed", "script", "asked", "commented"), "source"),
    "shell lines": (("shell",), "source"),
    "`# %%` in a cell": (("marked", "quoted"), "source"),
    "a half-written cell, and the next one": (("open", "next"), "source"),
    "raw cells": (("front", "plain"), "source"),
    "tags": (("tagged",), "metadata"),
    "other metadata of cells": (("hidden", "slide", "front"), "metadata"),
    "attachments": (("drawing",), "attachments"),
    "ids": (tuple(c["id"] for c in CELLS), "id"),
    "outputs": (tuple(c["id"] for c in CELLS if c["cell_type"] == "code"), "outputs"),
    "execution counts": (
        tuple(c["id"] for c in CELLS if c["cell_type"] == "code"),
        "execution_count",
    ),
}
"""What is looked at: in which cells, and what of them."""


def main() -> None:
    """Send the notebook through each tool and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--otter", metavar="PYTHON", help="with otter-grader installed")
    otter = parser.parse_args().otter
    columns: dict[str, Callable[[Plain], Plain]] = {
        "course: to a script and back": ours,
        "jupytext: to a script and back": theirs,
        "course: one cell changed": ours_changed,
        "jupytext: one cell changed": theirs_changed,
        "nbgrader: student's version": nbgrader,
    }
    if otter:
        columns["otter: student's version"] = lambda plain: with_otter(plain, otter)
    done = {name: result(way) for name, way in columns.items()}
    print(f"| | {' | '.join(done)} |")
    print("| --- |" + " --- |" * len(done))
    for row in ROWS:
        print(f"| {row} | {' | '.join(kept(row, after) for after in done.values())} |")
    print(f"| metadata of the notebook | {' | '.join(map(about, done.values()))} |")
    print(f"| cells added | {' | '.join(str(added(after)) for after in done.values())} |")
    print(f"\n{', '.join(versions(otter))}.")
    if not otter:
        print("otter-grader was not asked: name a Python that has it with `--otter`.")


def result(way: Callable[[Plain], Plain]) -> Plain:
    """What a tool makes of a copy of the notebook, each source in one piece."""
    with tempfile.TemporaryDirectory() as name:
        before = Path.cwd()
        os.chdir(name)
        try:
            after = way(copy.deepcopy(RICH))
        finally:
            os.chdir(before)
    for each in after["cells"]:
        each["source"] = "".join(each["source"])
        for output in each.get("outputs", []):
            if "text" in output:
                output["text"] = "".join(output["text"])
    return after


def ours(plain: Plain) -> Plain:
    """A script and a notebook by `course.notebook.convert`."""
    found: Plain = json.loads(convert.to_notebook(convert.to_script(json.dumps(plain))))
    return found


def theirs(plain: Plain) -> Plain:
    """A script and a notebook by jupytext as it comes."""
    script = jupytext.writes(nbformat.from_dict(plain), fmt="py:percent")
    found: Plain = json.loads(nbformat.writes(jupytext.reads(script, fmt="py:percent")))
    return found


def ours_changed(plain: Plain) -> Plain:
    """One cell's code replaced within the file, as `course fix --apply` does."""
    read = notebook.read(json.dumps(plain), NAME)
    number = next(c.number for c in read.cells if c.id == CHANGED)
    found: Plain = json.loads(read.replaced({number: "answer = 42  # to be changed"}))
    return found


def theirs_changed(plain: Plain) -> Plain:
    """One line of the script changed, then `jupytext --update`, which keeps what still fits."""
    Path(f"{NAME}.ipynb").write_text(json.dumps(plain))
    run("jupytext", "--to", "py:percent", f"{NAME}.ipynb")
    script = Path(f"{NAME}.py")
    script.write_text(script.read_text().replace("answer = 41", "answer = 42"))
    run("jupytext", "--to", "notebook", "--update", f"{NAME}.py")
    found: Plain = json.loads(Path(f"{NAME}.ipynb").read_text())
    return found


def nbgrader(plain: Plain) -> Plain:
    """`nbgrader generate_assignment`: the teacher's notebook as students get it."""
    source = Path("source", "lesson", f"{NAME}.ipynb")
    source.parent.mkdir(parents=True)
    source.write_text(json.dumps(plain))
    run("nbgrader", "generate_assignment", "lesson")
    found: Plain = json.loads(Path("release", "lesson", f"{NAME}.ipynb").read_text())
    return found


def with_otter(plain: Plain, python: str) -> Plain:
    """`otter assign`: the teacher's notebook, begun as otter wants it, as students get it."""
    settings = "# ASSIGNMENT CONFIG\nrun_tests: false\ngenerate: false\nexport_cell: false"
    plain["cells"].insert(0, cell("raw", "settings", settings))
    Path(f"{NAME}.ipynb").write_text(json.dumps(plain))
    command = [python, "-m", "otter", "assign", f"{NAME}.ipynb", "dist", "--no-run-tests"]
    finish(command)
    found: Plain = json.loads(Path("dist", "student", f"{NAME}.ipynb").read_text())
    return found


def run(tool: str, *words: str) -> None:
    """Run a tool of this environment."""
    finish([str(Path(sys.executable).parent / tool), *words])


def finish(command: list[str]) -> None:
    """Run a command to its end.

    Raises:
        SystemExit: it has failed.

    """
    # nbgrader looks for alembic, which came with it, on the path.
    beside = {"PATH": os.pathsep.join([str(Path(command[0]).parent), os.environ["PATH"]])}
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **beside})
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def matched(after: Plain) -> dict[str, Plain]:
    """The cell of the result that each cell of the notebook has become, as far as there is one.

    By its id, else by its text, else by where it stands between others that were found.
    """
    left = list(after["cells"])
    found: dict[str, Plain] = {}
    tests: list[Callable[[Plain, Plain], bool]] = [
        lambda a, b: a["id"] == b.get("id"),
        lambda a, b: (a["cell_type"], a["source"]) == (b["cell_type"], b["source"]),
        lambda a, b: bool(a["source"].strip()) and a["source"].split() == b["source"].split(),
        lambda a, b: bool(a["source"]) and a["source"].split()[:2] == b["source"].split()[:2],
    ]
    for fits in tests:
        for wanted in CELLS:
            at = next((i for i, c in enumerate(left) if fits(wanted, c)), None)
            if wanted["id"] not in found and at is not None:
                found[wanted["id"]] = left.pop(at)
    return found


def kept(row: str, after: Plain) -> str:
    """What of a row is as it was."""
    names, key = ROWS[row]
    found = matched(after)
    by_name = {c["id"]: c for c in CELLS}
    if not any(CHANGED in c["source"] and "41" in c["source"] for c in found.values()):
        names = tuple(name for name in names if name != CHANGED or key == "id")
    same = [name for name in names if found.get(name, {}).get(key) == by_name[name].get(key)]
    if len(same) == len(names):
        return "all"
    return f"{len(same)} of {len(names)}" if same else "none"


def about(after: Plain) -> str:
    """What of the notebook's metadata is as it was."""
    same = [key for key in METADATA if after["metadata"].get(key) == METADATA[key]]
    if len(same) == len(METADATA):
        return "all"
    return f"{len(same)} of {len(METADATA)}" if same else "none"


def added(after: Plain) -> int:
    """Cells that the notebook did not have."""
    return len(after["cells"]) - len(matched(after))


def versions(otter: str | None) -> list[str]:
    """Who took part."""
    found = [f"{name} {version(name)}" for name in ("jupytext", "nbgrader", "nbformat")]
    if otter:
        code = "from importlib.metadata import version; print(version('otter-grader'))"
        done = subprocess.run([otter, "-c", code], capture_output=True, text=True, check=True)
        found.append(f"otter-grader {done.stdout.strip()}")
    return found


if __name__ == "__main__":
    main()
