"""The course's own notebooks on today's libraries: as published, and after `course fix`.

``python benchmarks/course_notebooks.py FOLDER [LANGUAGE/CHAPTER/SECTION …] [--again]``

FOLDER is a copy of https://github.com/huggingface/notebooks (its folder `course/` is enough); none
of it is kept here. The PyTorch sections of chapters 2, 3, 5, 7 and 8 in English, Chinese and
Russian are read, mended by `course fix --apply` and run, each cell in a kernel, on the embedded hub
and small data (`notebooks/supplies.py`), shortened (`notebooks/shortened.py`).

A cell may fail if the course shows its error below it, or if `course fix` has told of it and left
it to the reader; a run ends at any other that fails. Each row is written to
`results/notebooks.toml` when it is done; rows that are there are not measured again without
``--again``. The names that the installed libraries lack are looked up in the libraries themselves,
imported, not by what `course fix` knows.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from notebooks import supplies

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "notebooks.toml"
LANGUAGES = ("en", "zh-CN", "ru")
CHAPTERS = (2, 3, 5, 7, 8)
WANTED = (
    "a folder with a copy of https://github.com/huggingface/notebooks, such as "
    "`git clone --depth 1 https://github.com/huggingface/notebooks` makes"
)
LIBRARIES = ("transformers", "datasets", "evaluate", "accelerate", "huggingface_hub", "torch")
SHOWN_ERROR = re.compile(r"""\A[\s"'\-]*(?:\w+(?:Error|Exception|Invalid)\b|~/)""")
"""How the output begins of a cell that is published with its error."""
WITHOUT_GPU = (
    (r'torch\.device\("cuda"\)(?! if)', 'torch.device("cpu")'),
    (r'mixed_precision="fp16"', 'mixed_precision="no"'),
    (r"device=0\b", "device=-1"),
    (r"num_proc=8", "num_proc=2"),
    (r"""(["'])(burtenshaw|answerdotai|argilla|huggingface-course)/""", r"\1\2."),
)
"""What is written otherwise where there is no GPU, and no organisation on the hub."""
MEANT_TO_FAIL = {"chapter8/section4": frozenset({17})}
"""Cells that fail as the text of the course says, and are published without an output."""
TO_THE_END = "to the end"
SECONDS = 300
LONGEST = 60
"""Characters of an error that a row shows."""


class Told(NamedTuple):
    """What `course fix` did to a notebook: its text, and what it left to the reader."""

    text: str
    left: tuple[str, ...]
    cells: frozenset[int]


def sections(folder: Path) -> list[str]:
    """List the PyTorch sections, as `en/chapter3/section2`; quizzes, not in English, left out."""
    found = [
        path.relative_to(folder / "course").with_suffix("").as_posix()
        for language in LANGUAGES
        for chapter in CHAPTERS
        for path in sorted((folder / "course" / language / f"chapter{chapter}").glob("*.ipynb"))
        if not path.stem.endswith("_tf")
    ]
    english = {_number(each) for each in found if each.startswith("en/")}
    if not english:
        raise SystemExit(f"This needs {WANTED}; {folder} has no `course/en/chapter2`.")
    return [each for each in found if _number(each) in english]


def _number(section: str) -> str:
    """Return the part of a section's name that is the same in all languages."""
    return section.partition("/")[2].removesuffix("_pt")


def fixed(path: Path) -> Told:
    """Mend a copy of a notebook by the command."""
    with tempfile.TemporaryDirectory() as place:
        mended = Path(shutil.copy(path, place))
        mended.chmod(0o644)
        words = [sys.executable, "-m", "course", "fix", str(mended), "--apply", "--yes", "--json"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        document = json.loads(done.stdout)
        left = [fault for fault in document["faults"] if fault["fix"] is None]
        told = tuple(f"cell {each['cell']}: {each['evidence']}" for each in left)
        cells = frozenset(cell for each in left for cell in each["cells"] if cell)
        return Told(mended.read_text("utf-8"), told, cells)


def code_cells(text: str) -> Iterator[tuple[int, str]]:
    """Yield the code cells of a notebook by their numbers, from 1, those of text counted too."""
    for number, cell in enumerate(json.loads(text)["cells"], 1):
        if cell["cell_type"] == "code":
            yield number, "".join(cell["source"])


def missing(text: str) -> list[str]:
    """List the imports, attributes and arguments in a notebook that the installed libraries lack.

    Libraries that are not installed lack nothing.
    """
    found: dict[str, None] = {}
    names: dict[str, Any] = {}
    for _number, source in code_cells(text):
        plain = "\n".join(
            "pass" if line.startswith(("!", "%")) else line for line in source.split("\n")
        )
        for node in ast.walk(ast.parse(plain)):
            if isinstance(node, ast.ImportFrom | ast.Import):
                found.update(dict.fromkeys(_bind(node, names)))
            elif isinstance(node, ast.Attribute):
                found.update(dict.fromkeys(_absent(node, names)))
            elif isinstance(node, ast.Call):
                found.update(dict.fromkeys(_not_taken(node, names)))
    return list(found)


def _bind(node: ast.ImportFrom | ast.Import, names: dict[str, Any]) -> Iterator[str]:
    for alias in node.names:
        whole = node.module or "" if isinstance(node, ast.ImportFrom) else alias.name
        if whole.partition(".")[0] not in LIBRARIES:
            continue
        try:
            module = importlib.import_module(whole)
        except ImportError:
            yield whole
            continue
        if isinstance(node, ast.Import):
            top = sys.modules[whole.partition(".")[0]]
            names[alias.asname or top.__name__] = module if alias.asname else top
        elif hasattr(module, alias.name):
            names[alias.asname or alias.name] = getattr(module, alias.name)
        else:
            yield f"{whole}.{alias.name}"


def _value(node: ast.expr, names: dict[str, Any]) -> Any:
    """Find what a dotted name stands for; None where that is not known."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    inner = _value(node.value, names) if isinstance(node, ast.Attribute) else None
    return getattr(inner, node.attr, None) if isinstance(node, ast.Attribute) else None


def _absent(node: ast.Attribute, names: dict[str, Any]) -> Iterator[str]:
    inner = _value(node.value, names)
    if inner is not None and not hasattr(inner, node.attr):
        yield ast.unparse(node)
    if node.attr == "as_target_tokenizer":
        tokenizer = importlib.import_module("transformers").PreTrainedTokenizerBase
        if not hasattr(tokenizer, node.attr):
            yield node.attr


def _not_taken(node: ast.Call, names: dict[str, Any]) -> Iterator[str]:
    called = _value(node.func, names)
    try:
        taken = inspect.signature(called).parameters if callable(called) else None
    except (TypeError, ValueError):
        return
    if taken is None or any(each.kind is each.VAR_KEYWORD for each in taken.values()):
        return
    for given in node.keywords:
        if given.arg and given.arg not in taken:
            yield f"{ast.unparse(node.func)}({given.arg}=)"


class Kernel:
    """Where notebooks run: the environment of the embedded hub, with the small data."""

    def __init__(self, cache: Path) -> None:
        """Lay out the hub, which takes some minutes the first time."""
        cache.mkdir(parents=True, exist_ok=True)
        supplies.write_shelf(cache / "shelf")
        os.environ["COURSE_LESSONS"] = str(cache / "shelf")
        from course.runs import hub
        from course.runs.child import inherited
        from course.runs.environment import runtime

        found = runtime.find(
            "pt", ("torch>=2.4", "transformers>=4.51", "datasets>=3.6", "evaluate>=0.4")
        )
        variables = hub.embedded(found).environment
        quiet = {"TOKENIZERS_PARALLELISM": "false", "CUDA_VISIBLE_DEVICES": ""}
        self.environment = {**inherited(), **variables, **quiet, "OMP_NUM_THREADS": "1"}

    def run(self, text: str, may_fail: frozenset[int]) -> str:
        """Run a notebook: to the end, or up to a cell that must not fail, with its error."""
        import nbformat
        from nbclient import NotebookClient
        from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

        notebook: Any = nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]
        first = nbformat.v4.new_code_cell(  # type: ignore[no-untyped-call]
            (HERE / "notebooks" / "shortened.py").read_text("utf-8")
        )
        many = len(notebook.cells)
        notebook.cells.append(first)
        with tempfile.TemporaryDirectory() as folder:
            supplies.write_files(Path(folder))
            client = NotebookClient(notebook, timeout=SECONDS, kernel_name="python3")
            with client.setup_kernel(cwd=folder, env=self.environment):
                client.execute_cell(first, many)
                for number, cell in enumerate(notebook.cells[:many], 1):
                    if cell.cell_type != "code":
                        continue
                    shows_error = _shows_error(cell)
                    cell.source = without_gpu(cell.source)
                    try:
                        client.execute_cell(cell, number - 1)
                    except CellExecutionError as error:
                        if not shows_error and number not in may_fail:
                            told = f"{error.ename}: {error.evalue}".split("\n")[0][:LONGEST]
                            return f"cell {number} of {many}: {told}"
                    except (CellTimeoutError, DeadKernelError) as error:
                        return f"cell {number} of {many}: {type(error).__name__}"
        return TO_THE_END


def without_gpu(source: str) -> str:
    """Write code as it runs without a GPU, and without organisations on the hub."""
    for pattern, new in WITHOUT_GPU:
        source = re.sub(pattern, new, source)
    return source


def _shows_error(cell: Any) -> bool:
    """Whether a cell is published with an error below it."""
    for output in cell.get("outputs", []):
        shown = output.get("data", {}).get("text/plain", output.get("text", ""))
        if output["output_type"] == "error" or SHOWN_ERROR.match("".join(shown)):
            return True
    return False


def measure(folder: Path, section: str, kernel: Kernel) -> dict[str, str]:
    """One row of the table."""
    path = folder / "course" / f"{section}.ipynb"
    text = path.read_text("utf-8")
    told = fixed(path)
    meant = MEANT_TO_FAIL.get(_number(section), frozenset())
    published = kernel.run(text, meant)
    is_same = told.text == text and not told.cells
    after = published if is_same else kernel.run(told.text, told.cells | meant)
    return {
        "missing": str(len(missing(text))),
        "missing after fix": str(len(missing(told.text))),
        "left to the reader": "; ".join(told.left) or "–",
        "as published": published,
        "after fix": after,
    }


def read_results() -> dict[str, dict[str, Any]]:
    """Read the stored results, by section."""
    if not RESULTS.is_file():
        return {}
    return {row["what"]: row for row in tomllib.loads(RESULTS.read_text("utf-8"))["result"]}


def write_results(rows: dict[str, dict[str, Any]]) -> None:
    """Write all rows, in the order of their sections."""
    parts = []
    order = {language: number for number, language in enumerate(LANGUAGES)}
    for what in sorted(rows, key=lambda each: (order[each.split("/")[0]], each)):
        row = copy.deepcopy(rows[what])
        values = ", ".join(f'"{k}" = {json.dumps(v)}' for k, v in row.pop("values").items())
        lines = [
            f"{name} = {value}" if name == "date" else f"{name} = {json.dumps(value)}"
            for name, value in row.items()
        ]
        parts.append("\n".join(["[[result]]", *lines, f"values = {{ {values} }}"]))
    RESULTS.write_text("\n\n".join(parts) + "\n", "utf-8")


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=False)
    return done.stdout.decode().strip()


def main() -> None:
    """Measure the rows that are not there."""
    asked = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    asked.add_argument("folder", type=Path, help=WANTED)
    asked.add_argument("sections", nargs="*")
    asked.add_argument("--again", action="store_true")
    asked.add_argument("--commit", help="of FOLDER, where it is no repository")
    arguments = asked.parse_args()
    chosen = arguments.sections or sections(arguments.folder)
    commit = arguments.commit or _git(arguments.folder, "rev-parse", "HEAD")
    if not commit:
        raise SystemExit("Say with --commit which commit of huggingface/notebooks this is.")
    from course.base import paths

    kernel = Kernel(paths.cache() / "course-notebooks")
    rows = read_results()
    for section in chosen:
        if section in rows and not arguments.again:
            continue
        values = measure(arguments.folder, section, kernel)
        rows[section] = {
            "what": section,
            "command": f"python benchmarks/course_notebooks.py FOLDER ({commit[:8]})",
            "at": _git(HERE, "rev-parse", "--short=8", "HEAD"),
            "date": datetime.now(UTC).date(),
            "machine": "2 cores; no GPU",
            "values": values,
        }
        write_results(rows)
        print(section, values, flush=True)


if __name__ == "__main__":
    main()
