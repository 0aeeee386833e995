"""Are the faulty programs of other people named? ``python benchmarks/third_party.py FOLDER``.

The folder is a checkout of one of two public repositories, of which nothing is kept here:

- ``RAK2315/ml-debug-env`` makes faulty PyTorch scripts from a seed, each with a label
  (`server/bug_generator.py`, which is run). Those that differ are run as `course run PATH` does,
  in a warm process, or with ``--tool diagnose`` as `course diagnose PATH` does.
- ``PELAB-LiU/JunoBench_construct`` has the errors of public notebooks in two tables
  (`data/*.xlsx`), labelled by people. Their tracebacks are given to what `course explain -` is.

`SCRIPTS` and `ERRORS` say which of our faults a label may rightly be called. Half of the cases, by
a hash of their names, serve the catalogue's development (``--half develop``); the others are
reported.

*Rightly*: a name that the label allows; of errors, the first that is named. *Otherwise*: one fault
of two, or what is true of the script too, but not what its label is about; of errors, the right
name behind another that is only possible. *Wrong*: any other name that is certain; of errors, any
other first name. *Unknown*: no name, or none that is certain. Scripts without a fault (on a machine
without a GPU) are not among all: nothing is right to say of them.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import course
from course.check import quoted
from course.diagnosis import user_script
from course.runs.run_context import RunContext
from course.runs.warm_pool import Warm
from course.tracebacks import read

GENERATOR = Path("server/bug_generator.py")
TABLES = (Path("data/benchmark_desc.xlsx"), Path("data/cluster_sampled_labeled_final.xlsx"))
LIMIT = 120.0
"""Seconds that a script may take on a machine that is busy."""
ANSWERS = ("rightly", "otherwise", "unknown", "wrong")

MODES = frozenset({"dropout-in-evaluation", "batch-statistics-in-evaluation"})
KEPT = frozenset({"gradients-kept-in-evaluation"})
LEAK = frozenset({"statistics-of-all-data"})
SIZES = frozenset({"layer-sizes-do-not-fit"})
Right = tuple[frozenset[str], ...]
"""The names that a fault may rightly have, for each fault of a script."""
SCRIPTS: dict[str, tuple[Right, frozenset[str]]] = {
    "shape_mismatch": ((SIZES,), frozenset()),
    "training_collapse: rate": (
        (frozenset({"learning-rate-too-high", "exploding-gradients"}),),
        frozenset({"dead-activations", "stalling-loss"}),
    ),
    "training_collapse: loss": (
        (frozenset({"loss-for-another-task"}),),
        frozenset({"too-few-steps", "learning-rate-too-low"}),
    ),
    "data_leakage": ((LEAK,), frozenset()),
    "wrong_device": ((), frozenset()),
    "gradient_not_zeroed": (
        (frozenset({"gradients-not-cleared"}),),
        frozenset({"exploding-gradients"}),
    ),
    "missing_eval_mode": ((MODES,), KEPT),
    "compound_shape_device": ((SIZES,), frozenset()),
    "compound_leakage_eval": ((MODES, LEAK), KEPT),
}
"""By a label, what a script may rightly be called, and what is true of it besides.

Where there is no GPU all tensors are on one device, and that they may not be is no fault yet.
"""

SAME = re.compile(r"must be (\d+) not \1\b")
"""Of a script whose sizes happen to be the same: it has no fault."""
NO_FAULT = "no fault here"

NAMES = frozenset({"name-not-defined", "misspelt-name", "missing-import"})
LIBRARIES = frozenset(
    {"library-missing", "optional-library-missing", "kernel-not-restarted", "removed-import"}
    | {"compiled-parts-do-not-fit", "library-versions-do-not-fit", "library-too-old"}
)
ARGUMENTS = frozenset(
    {"unexpected-argument", "missing-argument", "renamed-argument", "value-not-accepted"}
    | {"missing-argument-in-forward", "wrong-type", "value-is-none", "number-is-no-tensor"}
)
TYPES = frozenset(
    {"wrong-type", "value-is-none", "number-is-no-tensor", "tensor-to-numpy", "value-not-accepted"}
    | {"output-unpacked-as-tuple", "values-to-unpack", "text-in-batch", "text-is-none"}
)
VALUES = frozenset(
    {"value-not-accepted", "labels-are-strings", "text-in-batch", "text-is-none", "label-dtype"}
    | {"input-dtype", "one-hot-labels", "target-out-of-bounds", "metric-average-for-two-classes"}
    | {"size-1-array", "number-is-no-tensor", "tensor-to-numpy", "wrong-type", "length-mismatch"}
    | {"text-is-no-number", "nan-in-inputs", "empty-dataset", "class-too-rare"}
    | {"truth-value-ambiguous", "value-is-none"}
)
FITS = frozenset({"used-before-fit"})
SHAPES = frozenset(
    {"layer-sizes-do-not-fit", "input-shape", "outputs-and-target-differ-in-shape"}
    | {"length-mismatch", "batch-axis-swapped", "one-hot-labels", "head-of-other-size"}
    | {"arrays-do-not-fit", "image-sizes-differ", "view-of-scattered-memory", "batch-of-one"}
    | {"checkpoint-keys-do-not-fit"}
)
PLACES = frozenset(
    {"index-out-of-range", "token-id-out-of-range", "target-out-of-bounds", "input-shape"}
    | {"sequence-too-long", "embeddings-not-resized", "foreign-tokenizer", "wrong-type"}
)
ATTRIBUTES = frozenset(
    {"attribute-missing", "misspelt-name", "value-is-none", "removed-import", "two-keras-versions"}
    | {"removed-method"}
)
KEYS = frozenset({"key-not-found", "misspelt-name", "missing-label-column", "missing-input-ids"})
MEMORY = frozenset(
    {"cuda-out-of-memory", "gpu-memory-held", "shared-memory-too-small", "workers-need-main-guard"}
    | {"memory-full"}
)
HUB = frozenset({"hub-unreachable", "hub-name-unknown"})
FILES = frozenset(
    {"file-not-found", "tokenizer-not-saved", "unreadable-checkpoint", "file-damaged"}
    | {"file-not-writable"}
)
RUNTIME = frozenset(
    {"in-place-change", "backward-twice", "devices-differ", "loss-without-graph", "cublas"}
    | {"torch-built-for-other-gpu", "workers-need-main-guard", "shared-memory-too-small"}
    | {"length-mismatch", "image-sizes-differ", "value-not-accepted", "state-not-detached"}
    | {"saved-on-gpu", "gpu-not-available", "scaler-out-of-order", "process-group-missing"}
)
ERRORS: dict[str, frozenset[str]] = {
    "variable not found": NAMES,
    "function not found": NAMES,
    "class not found": NAMES,
    "nameerror": NAMES,
    "module not found": NAMES | LIBRARIES,
    "importerror": LIBRARIES | {"misspelt-name", "shadowed-module"},
    "attribute error": ATTRIBUTES,
    "attributeerror": ATTRIBUTES,
    "key error": KEYS,
    "keyerror": KEYS,
    "feature name mismatch": KEYS,
    "valueerror - feature name mismatch": KEYS | {"custom-object-unknown"},
    "filenotfounderror": FILES | {"hub-name-unknown"},
    "io error": FILES,
    "notfounderror": FILES,
    "unsupported file type (read file)": FILES | {"weights-only-load", "value-not-accepted"},
    "requesterror": HUB,
    "invalid argument": ARGUMENTS | {"empty-dataset"},
    "wrong arguments to API": ARGUMENTS
    | {"checkpoint-keys-do-not-fit", "no-padding-token", "text-is-none", "input-dtype"}
    | {"layer-sizes-do-not-fit", "attribute-missing", "file-not-writable"},
    "model initialization error": FITS,
    "initialization error (call mul-times, wrong order)": FITS | {"cuda-before-launch"},
    "tensor shape mismatch": SHAPES,
    "unsupported broadcast": SHAPES,
    "data value violation": VALUES,
    "valueerror - data value violation": VALUES,
    "value error": VALUES | {"checkpoint-keys-do-not-fit", "unexpected-argument"},
    "valueerror": VALUES,
    "valueerror - data range mismatch": VALUES | PLACES | {"values-to-unpack", "arrays-do-not-fit"},
    "cast exception": VALUES,
    "type error": TYPES,
    "typeerror": TYPES | ARGUMENTS,
    "typeerror-op": TYPES,
    "typeerror-notcallable": TYPES,
    "typeerror-notiterable": TYPES,
    "typeerror-notsubscriptable": TYPES,
    "typeerror-unhashable": TYPES,
    "index error": PLACES,
    "indexerror-1d": PLACES,
    "indexerror-nd": PLACES,
    "runtime error": RUNTIME,
    "runtimeerror": RUNTIME,
    "out of memory (OOM)": MEMORY,
    "out of space (disk)": frozenset({"no-space-left"}),
    "syntaxerror": frozenset({"syntax-error"}),
    "indentationerror": frozenset({"syntax-error"}),
    "zerodivisionerror": frozenset({"division-by-zero"}),
    "file permission": FILES,
    "fileexistserror": FILES,
    "jsondecodeerror": FILES,
    "environment setup": LIBRARIES | {"torch-built-for-other-gpu"},
}
"""By the label of an error, what it may rightly be called; a label that is not here, by nothing."""
TRAINING = re.compile(r"torch|keras|tensorflow|transformer")
"""Libraries of trainings, in the tables' words; of the others the catalogue has general faults."""


@dataclass(frozen=True)
class Case:
    """A script or an error of another's.

    `kind` is its row of the table; `right` and `besides` are the faults that it may be called.
    """

    name: str
    kind: str
    right: Right
    besides: frozenset[str]
    text: str

    @property
    def half(self) -> str:
        """`develop` or `report`, by the name's hash."""
        return ("develop", "report")[hashlib.sha256(self.name.encode()).digest()[0] % 2]


@dataclass(frozen=True)
class Told:
    """Names, each with whether it is certain, the likeliest first; how a run broke off, if so."""

    names: tuple[tuple[str, bool], ...] = ()
    broken: str = ""

    @property
    def words(self) -> str:
        """All names as a line tells them."""
        said = [f"`{name}`" + ("" if certain else " (possible)") for name, certain in self.names]
        return self.broken or ", ".join(said) or "nothing"


def generated(folder: Path, seeds: int) -> list[Case]:
    """The scripts that the generator makes from some seeds, each of them once."""
    spec = importlib.util.spec_from_file_location("bug_generator", folder / GENERATOR)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    found: dict[str, Case] = {}
    for task in module.ALL_TASKS:
        for seed in range(seeds):
            made = module.get_scenario(task, seed)
            label = made.correct_bug_type
            if label == "training_collapse":
                label += ": loss" if "MSELoss" in made.solution_hint else ": rate"
            right, besides = SCRIPTS[label]
            if SAME.search(made.solution_hint) or not right:
                label, right = f"{NO_FAULT}: {label}", ()
            case = Case(f"{task}, seed {seed}", label, right, besides, made.buggy_code)
            found.setdefault(made.buggy_code, case)
    return list(found.values())


def quotations(folder: Path) -> list[Case]:
    """The errors of both tables, each of them once."""
    found: dict[str, Case] = {}
    for table in TABLES:
        for row in _rows(folder / table):
            label = row.get("label_refined_exp_type", "").strip()
            library = row.get("Libs-cause") or row["nb_name"].partition("_")[0]
            kind = "other libraries"
            if TRAINING.search(library):
                kind = "training libraries"
            elif library in ("None", "NBspecific"):
                kind = "Python itself"
            right = ERRORS.get(label, frozenset())
            case = Case(row["eid"], f"{kind}: {label}", (right,), frozenset(), _traceback(row))
            found.setdefault(case.name, case)
    return list(found.values())


def _rows(table: Path) -> list[dict[str, str]]:
    """The rows of the first sheet of a workbook, by the names in its first row."""
    space = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"

    def text(node: ElementTree.Element) -> str:
        return "".join(part.text or "" for part in node.iter(f"{space}t"))

    with zipfile.ZipFile(table) as workbook:
        shared = ElementTree.fromstring(workbook.read("xl/sharedStrings.xml"))
        strings = [text(each) for each in shared.iter(f"{space}si")]
        sheet = ElementTree.fromstring(workbook.read("xl/worksheets/sheet1.xml"))
    rows = []
    for row in sheet.iter(f"{space}row"):
        cells = {}
        for cell in row.iter(f"{space}c"):
            value = cell.findtext(f"{space}v") or text(cell)
            if cell.get("t") == "s":
                value = strings[int(value)]
            cells[str(cell.get("r")).rstrip("0123456789")] = value
        rows.append(cells)
    names = rows[0]
    return [{names[place]: value for place, value in row.items()} for row in rows[1:]]


def _traceback(row: dict[str, str]) -> str:
    """What the notebook showed: a list of lines, as its table has it."""
    with contextlib.suppress(SyntaxError, ValueError):
        return "\n".join(ast.literal_eval(row["traceback"]))
    return row["traceback"] or f"{row['ename']}: {row['evalue']}"


def run(context: RunContext, path: Path) -> Told:
    """What `course run PATH` says."""
    done = user_script.run(user_script.read(path), context, lambda _event: None)
    status = done.run.record.status
    broken = "" if status in ("finished", "exception", "stopped") else status
    return Told(tuple((each.fault.id, each.certain) for each in done.verdict.namings), broken)


def diagnose(_context: RunContext, path: Path) -> Told:
    """What `course diagnose PATH` says."""
    found = course.diagnose(path, hub="embedded").findings
    return Told(tuple((each.fault, each.certain) for each in found))


def explain(text: str) -> Told:
    """What `course explain -` says."""
    explained = quoted.judge(read.read(text))
    found = explained.found if explained is not None else ()
    return Told(tuple((each.fault.id, each.certain) for each in found))


def of_script(case: Case, told: Told) -> str:
    """How a script was answered: one of `ANSWERS`."""
    certain = {name for name, sure in told.names if sure}
    if certain - case.besides.union(*case.right):
        return "wrong"
    if all(certain & names for names in case.right):
        return "rightly"
    return "otherwise" if certain else "unknown"


def of_error(case: Case, told: Told) -> str:
    """How an error was answered: one of `ANSWERS`."""
    if not told.names:
        return "unknown"
    (right,) = case.right
    (first, sure), *others = told.names
    if first in right:
        return "rightly"
    return "otherwise" if not sure and {name for name, _ in others} & right else "wrong"


def examine(cases: list[Case], tool: str, jobs: int) -> list[Told]:
    """Run each script in a folder of its own."""
    os.environ.update(TQDM_DISABLE="1", CUDA_VISIBLE_DEVICES="")
    context = user_script.find_context(None, "embedded", LIMIT)
    context = replace(context, warm=Warm(context.runtime, ("torch", "numpy")))
    ask = {"run": run, "diagnose": diagnose}[tool]

    def one(number: int) -> Told:
        folder = Path.cwd() / str(number)
        folder.mkdir()
        (folder / "train.py").write_text(cases[number].text, "utf-8")
        return ask(context, folder / "train.py")

    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        ThreadPoolExecutor(jobs) as pool,
    ):
        return list(pool.map(one, range(len(cases))))


def show(results: Iterable[tuple[Case, Told]], judge: Callable[[Case, Told], str]) -> None:
    """The table by kinds, with a row for each group of them, and the misses in words."""
    rows: dict[str, Counter[str]] = {}
    said = []
    for case, told in results:
        answer = judge(case, told)
        group, _, part = case.kind.partition(": ")
        groups = [f"**{group}**"] if part else []
        if group != NO_FAULT:
            groups.append("**all**")
        for kind in (case.kind, *groups):
            rows.setdefault(kind, Counter())[answer] += 1
        if answer != "rightly":
            said.append(f"{answer}: {case.kind} ({case.name}): {told.words}")
    print("| kind | count | " + " | ".join(ANSWERS) + " |")
    print("| --- |" + " ---: |" * (1 + len(ANSWERS)))
    for kind in sorted(rows, key=lambda kind: (kind.startswith("**"), kind == "**all**", kind)):
        counts = rows[kind]
        cells = [counts.total(), *(counts[answer] for answer in ANSWERS)]
        print(f"| {kind} | " + " | ".join(map(str, cells)) + " |")
    print("\n" + "\n".join(f"- {words}" for words in sorted(said)))


def commit_of(folder: Path) -> str:
    """The commit that a folder is a checkout of, or that it is not known."""
    asked = ["git", "-C", str(folder), "rev-parse", "HEAD"]
    if (folder / ".git").exists():
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    return "not said"


def main() -> None:
    """Recognise the repository, run what it has, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--commit", help="of the folder, where it is not a checkout of git's")
    parser.add_argument("--half", choices=("develop", "report", "all"), default="report")
    parser.add_argument("--seeds", type=int, default=20, help="of the generator, for each label")
    parser.add_argument("--tool", choices=("run", "diagnose"), default="run")
    parser.add_argument("--jobs", type=int, default=1, help="scripts at once")
    options = parser.parse_args()
    commit = options.commit or commit_of(options.folder)
    scripts = (options.folder / GENERATOR).exists()
    if not scripts and not all((options.folder / table).exists() for table in TABLES):
        parser.error(f"{options.folder} is neither ml-debug-env nor JunoBench_construct")
    cases = generated(options.folder, options.seeds) if scripts else quotations(options.folder)
    cases = [case for case in cases if options.half in ("all", case.half)]
    what = "ml-debug-env" if scripts else "JunoBench_construct"
    tool = options.tool if scripts else "explain"
    print(f"{what}, commit {commit}, half {options.half}: `{tool}`, {len(cases)} cases\n")
    if scripts:
        told = examine(cases, options.tool, options.jobs)
    else:
        told = [explain(case.text) for case in cases]
    show(zip(cases, told, strict=True), of_script if scripts else of_error)


if __name__ == "__main__":
    main()
