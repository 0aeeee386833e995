"""Run the scripts of `tests/provoked`, each of which ends in the fault that its name begins with.

    python -m tests.provoking --to FOLDER [NAME…]   writes the run record of each into a folder
    python -m tests.provoking --store [NAME…]       puts them into `tests/records/provoked.jsonl`
    PYTHON -m tests.provoking --stack STACK NAME…   puts those of other libraries, which the Python
                                                    has, into `tests/records/wordings.jsonl`

They need no hub and no weights, and share the imports of one process, which forks for each: about
a tenth of a second a script. Those whose names end in `.keras` run in TensorFlow's runtime, which
`course runtime install tf` makes.
"""

import argparse
import importlib
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from course_probe.serve import script
from course_probe.serve.script import ScriptJob

SCRIPTS = Path(__file__).parent / "provoked" / "scripts.toml"
RECORDS = Path(__file__).parent / "records" / "provoked.jsonl"
WORDINGS = Path(__file__).parent / "records" / "wordings.jsonl"
"""Records of the same scripts with other libraries, where these have words of their own."""
KERAS = ".keras"
"""The end of the names of scripts that TensorFlow's runtime runs."""
IMPORTS = (
    *("torch", "torch.optim", "transformers", "transformers.trainer", "transformers.training_args"),
    *("datasets", "evaluate", "accelerate", "numpy", "pandas", "sklearn.metrics"),
    *("transformers.models.bert.modeling_bert", "transformers.models.gpt2.modeling_gpt2"),
    *("sklearn.model_selection", "tokenizers", "safetensors.torch"),
)
KERAS_IMPORTS = ("tensorflow", "keras", "numpy", "pandas", "sklearn.preprocessing")
KEPT = ("start", "exception", "end")
"""What of a record is stored: enough to name the fault by."""
LIMIT = 120
"""Seconds that a script may take: far more than any does."""


def names() -> list[str]:
    """The names of all scripts: a fault, or a fault and a variant (`label-dtype.bce`)."""
    return sorted(_read()["scripts"])


def old_names() -> list[str]:
    """The names of those scripts that end in their fault only with libraries of earlier times."""
    return sorted(_read()["old"])


@cache
def _read() -> dict[str, dict[str, str]]:
    """The scripts, and what stands before each of a framework."""
    return tomllib.loads(SCRIPTS.read_text("utf-8"))


def _write_script(name: str, folder: Path) -> Path:
    """Write a script into the folder, and return where it is."""
    path = folder / "scripts" / f"{name}.py"
    path.parent.mkdir(exist_ok=True)
    found = _read()
    before = found["before"]["tf" if name.endswith(KERAS) else "pt"]
    path.write_text(f"{before}\n{(found['scripts'] | found['old'])[name]}\n", "utf-8")
    return path


def provoke(wanted: Iterable[str], folder: Path) -> None:
    """Write the record of each script to `NAME.jsonl` in a folder.

    Raises:
        UserError: one is for TensorFlow's runtime, which is not installed.

    """
    os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(folder)}
    os.environ |= {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    listed = list(wanted)
    with_keras = [name for name in listed if name.endswith(KERAS)]
    others = [name for name in listed if not name.endswith(KERAS)]
    if others:
        _provoke(others, folder, IMPORTS)
    if with_keras and importlib.util.find_spec("keras"):
        _provoke(with_keras, folder, KERAS_IMPORTS)
    elif with_keras:
        from course.runs.environment import runtime

        command = [str(runtime.locate("tf").python), "-m", "tests.provoking", "--to", str(folder)]
        subprocess.run([*command, *with_keras], cwd=SCRIPTS.parents[2], check=True)


def _provoke(wanted: list[str], folder: Path, imports: tuple[str, ...]) -> None:
    for module in imports:
        importlib.import_module(module)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    for name in wanted:
        child = os.fork()
        if child == 0:
            signal.alarm(LIMIT)
            _run(name, folder)
        os.waitpid(child, 0)
        # For who waits for each: its record is whole.
        print(name, flush=True)


def _run(name: str, folder: Path) -> None:
    """Run one script as `course run` does, in an empty folder of its own, and end the process."""
    place = tempfile.mkdtemp(dir=folder)
    os.chdir(place)
    output = os.open(folder / f"{name}.txt", os.O_WRONLY | os.O_CREAT)
    os.dup2(output, 1)
    os.dup2(output, 2)
    job: ScriptJob = {
        "script": str(_write_script(name, folder)),
        "journal": str(folder / f"{name}.jsonl"),
        "stop": str(folder / "stop"),
        "looks": [],
        "beside": None,
    }
    if name.endswith(KERAS):
        # Layers are listened to only in scripts of no lesson.
        job["own"] = {"named": f"{name}.py", "arguments": [], "home": place, "module": None}
    script.main(job)


def stored(records: Path = RECORDS) -> dict[str, list[str]]:
    """Return the events of each stored record, as lines, by the name of its script."""
    lines = records.read_text("utf-8").splitlines() if records.exists() else []
    found = map(json.loads, lines)
    return {each["script"]: list(map(json.dumps, each["events"])) for each in found}


def store(wanted: list[str]) -> None:
    """Make the stored records of some scripts anew, and drop those whose script is gone."""
    made = stored() | _recorded(wanted)
    _write(RECORDS, {name: made[name] for name in names()})


def store_wordings(wanted: list[str], stack: str) -> None:
    """Store the records of some scripts with the libraries of a stack, by `NAME@STACK`."""
    made = {f"{name}@{stack}": events for name, events in _recorded(wanted).items()}
    _write(WORDINGS, dict(sorted((stored(WORDINGS) | made).items())))


def _recorded(wanted: list[str]) -> dict[str, list[str]]:
    """Run some scripts, and return what of their records is stored."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        provoke(wanted, Path(folder))
        for name in wanted:
            text = _without_places((Path(folder) / f"{name}.jsonl").read_text("utf-8"), folder)
            found[name] = [e for e in text.splitlines() if json.loads(e)["event"] in KEPT]
    return found


def _write(records: Path, found: dict[str, list[str]]) -> None:
    """Write records, a line each."""
    lines = [
        json.dumps({"script": name, "events": list(map(json.loads, events))}, ensure_ascii=False)
        for name, events in found.items()
    ]
    records.write_text("\n".join(lines) + "\n", "utf-8")


def _without_places(text: str, folder: str) -> str:
    """A record without the folders of the machine that it was made on."""
    text = re.sub(r"[^\s\"'(]+(?=/lib/python3[.\d]*/)", "/usr", text)
    text = text.replace(sys.prefix, "/usr").replace(sys.base_prefix, "/usr")
    text = re.sub(rf"{re.escape(folder)}/\w+", "/home/ada", text)
    text = re.sub(rf"{re.escape(tempfile.gettempdir())}/tmp\w+", "/home/ada", text)
    return text.replace(str(SCRIPTS.parents[2]), "/home/ada")


def asked() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.provoking", description=__doc__.splitlines()[0]
    )
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument(
        "--to", metavar="FOLDER", type=Path, help="write the run record of each here"
    )
    where.add_argument("--store", action="store_true", help=f"put them into {RECORDS.name}")
    where.add_argument("--stack", help=f"put those with its libraries into {WORDINGS.name}")
    parser.add_argument("names", nargs="*", metavar="NAME", help="some of the scripts (all)")
    arguments = parser.parse_args()
    if unknown := sorted(set(arguments.names) - {*names(), *old_names()}):
        parser.error(f"no such script: {', '.join(unknown)}")
    return arguments


if __name__ == "__main__":
    arguments = asked()
    if arguments.store:
        store(arguments.names or names())
    elif arguments.stack:
        store_wordings(arguments.names, arguments.stack)
    else:
        provoke(arguments.names or names(), arguments.to)
