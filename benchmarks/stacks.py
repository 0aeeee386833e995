"""Which faults bite with which libraries?  ``python benchmarks/stacks.py [STACK …] [--store]``

A stack is an environment that uv makes outside of the project, with libraries of one time. In each,
the lessons are walked (`course run LESSON --yes --json`) and the scripts of `tests/provoked` run;
each result is kept at once, so that the same command goes on where it was stopped. ``--store`` puts
the results into `benchmarks/results/stacks.json`, of which `page.py` makes `docs/stacks.md`. The
exit status is 1 where a fault no longer bites, or is no longer recognised, in a stack in which it
was by the stored results; each is named.

PyTorch is installed for the CPU: from its own index, or from the folder that `UV_FIND_LINKS` names.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import platformdirs
from uv import find_uv_bin

from course.base import files
from course.lesson import catalogue, lesson
from course.lesson.lesson import Part
from course.lesson.signature import Signature, compiled
from course.runs.environment import interpreter, runtime, user_environment
from course.runs.environment.runtime import Environment
from course.runs.record import RunRecord, parse
from tests import provoking

ROOT = Path(__file__).resolve().parents[1]
STORED = ROOT / "benchmarks" / "results" / "stacks.json"
PYTHON = "3.11"
WITH_TORCH = ("accelerate", "evaluate", "scikit-learn")
OLD_ARRAYS = ("numpy==1.26.4", "pandas==2.2.3", "pyarrow==17.0.0", "datasets==3.6.0")
STACKS = {
    "pt-4.46": (
        *("transformers==4.46.3", *OLD_ARRAYS),
        *("accelerate==1.0.1", "evaluate==0.4.0", "scikit-learn"),
    ),
    "pt-4.50": ("transformers==4.50.3", *OLD_ARRAYS, *WITH_TORCH),
    "pt-4.57": ("transformers==4.57.6", "datasets==4.*", "numpy==2.3.*", *WITH_TORCH),
    "pt-5.0": ("transformers==5.0.0", "datasets==4.*", "numpy==2.3.*", *WITH_TORCH),
    "pt-newest": ("transformers", "datasets", "numpy", *WITH_TORCH),
    "pt-newest-old-data": ("transformers", *OLD_ARRAYS, *WITH_TORCH),
    "tf-keras-2": (
        *("tensorflow==2.15.1", "tf_keras==2.15.1", "transformers==4.46.3", *OLD_ARRAYS),
        *("evaluate", "scikit-learn"),
    ),
    "tf-keras-3": (
        *("tensorflow==2.21.0", "tf_keras==2.21.0", "transformers==4.57.6", "datasets==5.0.1"),
        *("numpy==2.4.6", "evaluate==0.4.6", "scikit-learn"),
    ),
}
"""What is installed, by the stack's name, which begins with the framework's. PyTorch is added."""
TOLD = ("torch", "tensorflow", "keras", "transformers", "datasets", "numpy", "accelerate", "pandas")
"""Libraries whose versions a stack's results are of."""
PATIENCE = 3600
"""Seconds after which the walk of a lesson counts as one that does not end."""
CHARACTERS = 160
"""Of a message, kept as its words."""
PLACE = re.compile(
    r"(?:/[^\s/'\"(),]+)*/(?:tmp\w{8}\b/?|(?:site-packages|provoked|python3\.\d+|bin)/)"
)
BITING = ("recognised", "taken for another", "not recognised")
PARTS = ["lessons", "scripts"]
UNMEASURED = ("no result", "not supported", "needs a GPU")


@dataclass(frozen=True)
class Result:
    """What came of one case: a script of `tests/provoked`, or a step of a lesson's walk.

    `signature` is the one that recognised it, by `signature_key`, `named` the fault of it; `fits`
    are others whose conditions hold too, or may.
    """

    outcome: str
    words: str = ""
    named: str | None = None
    signature: str | None = None
    fits: tuple[str, ...] = ()


@dataclass
class Measured:
    """The results in one stack, and the versions of the libraries that they are of."""

    versions: dict[str, str]
    date: str
    cases: dict[str, Result] = field(default_factory=dict)


def read(path: Path) -> dict[str, Measured]:
    """Return the results that a file holds, by stack; none where there is no file."""
    if not path.exists():
        return {}
    document = json.loads(path.read_text("utf-8"))
    found = {name: Measured(**about) for name, about in document["stacks"].items()}
    for case, results in document["cases"].items():
        for each in results:
            for stack in each.pop("stacks"):
                found[stack].cases[case] = Result(**each | {"fits": tuple(each.get("fits", ()))})
    return found


def write(path: Path, found: dict[str, Measured]) -> None:
    """Write results, those that are the same in several stacks once."""
    cases: dict[str, dict[Result, list[str]]] = defaultdict(lambda: defaultdict(list))
    for stack, measured in sorted(found.items()):
        for case, result in measured.cases.items():
            cases[case][result].append(stack)
    document = {
        "stacks": {n: {"versions": m.versions, "date": m.date} for n, m in sorted(found.items())},
        "cases": {
            case: [
                {k: v for k, v in asdict(result).items() if v} | {"stacks": stacks}
                for result, stacks in results.items()
            ]
            for case, results in sorted(cases.items())
        },
    }
    files.write(path, (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode())


def signature_key(fault: str, signature: Signature) -> str:
    """Return a name for a signature that stays when others are added to its fault."""
    said = f"{signature.exception} {signature.message} {signature.state}".encode()
    return f"{fault}/{hashlib.sha256(said).hexdigest()[:8]}"


def alarms(before: dict[str, Measured], now: dict[str, Measured]) -> list[str]:
    """Return the cases that no longer bite, or are no longer recognised, with their stacks."""
    found = []
    for stack, measured in now.items():
        for case, result in measured.cases.items():
            was = before[stack].cases.get(case) if stack in before else None
            if was is None or was.outcome in UNMEASURED or result.outcome in UNMEASURED[1:]:
                continue
            silenced = was.outcome in BITING and result.outcome not in BITING
            if silenced or (was.outcome == "recognised" and result.outcome != "recognised"):
                found.append(f"{stack}: {case}: {result.outcome} (was: {was.outcome})")
    return found


def make(stack: str, place: Path, torch: str, *, upgrade: bool) -> Environment:
    """Make a stack's environment, or complete it, and return it."""
    home = place / stack
    uv = find_uv_bin()
    if not (home / "pyvenv.cfg").exists():
        subprocess.run([uv, "venv", "--quiet", "--python", PYTHON, str(home)], check=True)
    wanted = [*STACKS[stack], *([torch] if stack.startswith("pt") else [])]
    variables = dict(os.environ)
    if "UV_FIND_LINKS" not in variables:
        variables.setdefault("UV_TORCH_BACKEND", "cpu")
    # Lessons' processes write no bytecode: each would compile libraries that come without it anew.
    words = [uv, "pip", "install", "--compile-bytecode", "--python", str(home), *wanted]
    subprocess.run([*words, "--upgrade"] if upgrade else words, env=variables, check=True)
    python = home / "bin" / "python"
    found = interpreter.ask(str(python))
    if found is None:
        raise SystemExit(f"{python} does not start")
    return Environment("named", str(python), found.release, found.site)


def walk(
    lesson_id: str, framework: str, environment: Environment, home: Path
) -> Iterator[tuple[str, Result]]:
    """Walk through a lesson in a stack, and yield each step's result."""
    part: Part = lesson.load(lesson_id).parts[framework]
    case = f"{lesson_id}:{framework}"
    lacking = runtime.libraries(environment, part.requires)
    if unfit := [*lacking.missing, *lacking.unfit]:
        yield case, Result("not supported", ", ".join(unfit))
        return
    variables = os.environ | {
        "COURSE_STATE": tempfile.mkdtemp(dir=home),
        "PYTHONPATH": str(ROOT),
    }
    program = [sys.executable, "-m", "course"]
    words = [*program, "run", lesson_id, "--fw", framework, "--yes", "--json"]
    with subprocess.Popen(
        words, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    ) as process:  # fmt: skip
        try:
            out, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            yield case, Result("timed out", f"no end in {PATIENCE} seconds")
            return
        finally:
            # With the processes that a lesson started, of which one may wait for another.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            subprocess.run([*program, "runtime", "stop"], env=variables, capture_output=True)
    try:
        document = json.loads(out)
    except ValueError:
        yield case, Result("no result", shorten((err or out)[-CHARACTERS:]))
        return
    for step in document.get("steps", []):
        yield f"{case} {step['step']}", of_step(step)
    whole = "recognised" if document.get("completed") else "no result"
    yield case, Result(whole, shorten(document.get("error", {}).get("message", "")))


def of_step(step: dict[str, Any]) -> Result:
    """Return the result of one step of a walk's document."""
    if step["evidence"] != "live":
        return Result("needs a GPU")
    observed = step["observed"]
    words, key = "", None
    if observed["exception"]:
        words = f"{observed['exception']}: {observed['message']}"
        key = next(keys_by_words(observed), None)
    outcome = "recognised" if step["matched"] else "not recognised" if words else "silent"
    return Result(outcome, shorten(words), observed["fault"], key)


def keys_by_words(observed: dict[str, Any]) -> Iterator[str]:
    """Yield those signatures of an observed fault that have its words."""
    fault, last = observed["fault"], observed["exception"].rpartition(".")[2]
    for each in catalogue.catalogue()[fault].signatures if fault else ():
        if not isinstance(each, Signature) or each.exception.rpartition(".")[2] != last:
            continue
        if compiled(each.message).search(observed["message"]):
            yield signature_key(fault, each)


def provoke(names: list[str], python: str, home: Path) -> Iterator[tuple[str, Result]]:
    """Run scripts of `tests/provoked` in a stack, and yield the result of each as it ends.

    None of them has one where the stack's libraries can't be imported together.
    """
    left = dict.fromkeys(names)
    with tempfile.TemporaryDirectory(dir=home) as folder:
        words = [python, "-m", "tests.provoking", "--to", folder, *names]
        variables = os.environ | {"PYTHONPATH": str(ROOT)}
        with subprocess.Popen(
            words, cwd=ROOT, env=variables, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            try:
                for name in map(str.strip, process.stdout):
                    if name not in left:
                        continue
                    del left[name]
                    journal = Path(folder) / f"{name}.jsonl"
                    lines = journal.read_text("utf-8").splitlines() if journal.exists() else []
                    yield name, of_record(name.partition(".")[0], parse(lines))
                for name in left:
                    yield name, Result("no result", f"the process ended with {process.wait()}")
            finally:
                process.terminate()


def of_record(fault: str, record: RunRecord) -> Result:
    """Return the result of a provoked script, which should end in `fault`."""
    if record.raised is None:
        return Result("silent" if record.status == "finished" else "no result", record.status)
    words = shorten(f"{record.raised.name}: {record.raised.message}")
    matches = catalogue.naming(record)
    if not matches:
        return Result("not recognised", words)
    first = matches[0]
    key = None
    if isinstance(first.signature, Signature):
        key = signature_key(first.fault.id, first.signature)
    outcome = "recognised" if first.fault.id == fault else "taken for another"
    fitting = {
        signature_key(each.id, signature)
        for each in catalogue.catalogue().values()
        for signature in each.signatures
        if isinstance(signature, Signature) and signature.fit(record)
    }
    return Result(outcome, words, first.fault.id, key, tuple(sorted(fitting - {key})))


def shorten(text: str) -> str:
    """Return a message on one line, without places of one run, cut to its beginning."""
    line = re.sub(r"\b0x[0-9a-f]{6,}", "0x…", PLACE.sub("…/", " ".join(text.split())))
    return line if len(line) <= CHARACTERS else f"{line[:CHARACTERS]}…"


def measure(
    stack: str, environment: Environment, home: Path, known: dict[str, Result], parts: Sequence[str]
) -> Iterator[tuple[str, Result]]:
    """Yield the result of each case that is not among those known, of some of the `PARTS`.

    What a script gave no result of is asked once more: the machine may have been too busy.
    """

    def is_left(case: str) -> bool:
        return case not in known or known[case].outcome in ("no result", "timed out")

    framework = stack.partition("-")[0]
    for lesson_id in lesson.ids() if "lessons" in parts else ():
        if framework in lesson.load(lesson_id).parts and is_left(f"{lesson_id}:{framework}"):
            yield from walk(lesson_id, framework, environment, home)
    of_keras = framework == "tf"
    names = [*provoking.names(), *provoking.old_names()]
    names = [n for n in names if n.endswith(provoking.KERAS) == of_keras]
    for _attempt in range(2 if "scripts" in parts else 0):
        if left := list(filter(is_left, names)):
            yield from provoke(left, environment.python, home)


def run(stack: str, place: Path, kept: Path, arguments: argparse.Namespace) -> None:
    """Measure one stack, and keep each result as it comes."""
    environment = make(stack, place, arguments.torch, upgrade=arguments.upgrade)
    versions = runtime.libraries(environment, TOLD).versions
    home = place / f"{stack}.work"
    home.mkdir(exist_ok=True)
    os.environ["COURSE_RUNTIMES"] = str(home / "runtimes")
    user_environment.use(stack.partition("-")[0], environment.python, ())
    known = read(kept).get(stack)
    if known is None or known.versions != versions:
        known = Measured(versions, datetime.date.today().isoformat())
    scripts = {*provoking.names(), *provoking.old_names()}
    known.cases = {case: r for case, r in known.cases.items() if ":" in case or case in scripts}
    for case, result in measure(stack, environment, home, known.cases, arguments.only):
        known.cases[case] = result
        # Another stack may be measured beside this one.
        write(kept, read(kept) | {stack: known})
        print(f"{stack}  {len(known.cases):3}  {case}: {result.outcome}", flush=True)


def asked() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("stacks", nargs="*", metavar="STACK", help=f"of {', '.join(STACKS)} (all)")
    usual = Path(platformdirs.user_cache_path("course", appauthor=False)) / "stacks"
    parser.add_argument("--place", type=Path, default=usual, help=f"for environments ({usual})")
    parser.add_argument("--torch", default="torch", help="which PyTorch (torch)")
    parser.add_argument("--upgrade", action="store_true", help="to the newest that fit a stack")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=PARTS, help="or nothing")
    parser.add_argument("--store", action="store_true", help=f"put the results into {STORED.name}")
    arguments = parser.parse_args()
    if unknown := sorted(set(arguments.stacks) - set(STACKS)):
        parser.error(f"no such stack: {', '.join(unknown)}")
    return arguments


def main() -> int:
    """Measure, compare with what is stored, and tell."""
    arguments = asked()
    place = arguments.place.expanduser().absolute()
    place.mkdir(parents=True, exist_ok=True)
    kept = place / "results.json"
    try:
        for stack in arguments.stacks or STACKS:
            run(stack, place, kept, arguments)
    except KeyboardInterrupt:
        print(f"Stopped. What is measured is in {kept}; the same command goes on from there.")
        return 130
    measured = read(kept)
    before, now = read(STORED), {s: measured[s] for s in arguments.stacks or STACKS}
    for stack, found in now.items():
        # What was not asked now is as it was, with the same libraries.
        if stack in before and before[stack].versions == found.versions:
            found.cases = {**before[stack].cases, **found.cases}
    if arguments.store:
        write(STORED, before | now)
    told = alarms(before, now)
    print("\n".join(told) or "No fault has stopped biting.")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
