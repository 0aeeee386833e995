"""Scripts of no lesson: honest ones are not accused, faulty ones are named, none is changed."""

import contextlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from course.diagnosis.user_script import EarlyWord, UserScript
from course.judge.script_verdict import judge_script
from course.runs.process import InPlace, Job
from course.runs.record import RunRecord
from course.runs.run_context import RunContext
from tests.command import CLEAN, course
from tests.tiers import exhaustive, sample

FOLDER = Path(__file__).parent.parent / "scripts"
HONEST = sorted(path.stem for path in (FOLDER / "honest").glob("*.py"))
FAULTY = sorted(path.stem for path in (FOLDER / "faulty").glob("*.py"))
EVERYDAY = {
    *("frozen", "gan", "odd_tensors", "soft_labels", "try_again"),
    *("broadcast-in-loss", "dropout-in-evaluation.always", "evaluation-on-training-data"),
    *("gradients-cleared-before-step", "loss-kept-with-graph", "no-dropout-in-training.loop"),
    *("optimizer-step-missing", "other-model-evaluated", "parameters-not-in-optimizer"),
    *("submodules-not-registered.function", "target-out-of-bounds"),
}


EARLY = {
    "batch-statistics-in-evaluation": 10,
    "dropout-in-evaluation.always": 10,
    "examples-left-out.first": 15,
    "gradients-kept-in-evaluation": 10,
    "gradients-not-cleared": 20,
    "gradients-not-cleared.other": 20,
    "inputs-truncated.words": 20,
    "loss-kept-with-graph": 25,
    "loss-negated": 20,
    "no-dropout-in-training.loop": 60,
    "padding-attended.inverted": 20,
    "parameters-not-in-optimizer.tables": 60,
}
"""Steps after which a fault is told while its script still trains; those of an evaluation by the
first one."""

MISSED = {
    "trained-on-evaluation-data": "all rows in one pass, and which of them count, is not compared",
    "vanishing-gradients.zeros": "factors that meet outside of any network are not looked at",
}
"""What hooks of their own knew, and no rule knows."""


def recorded(context: RunContext, kind: str, name: str, told: dict[str, int]) -> RunRecord:
    """Record a script; what was `told` while it trained, and after how many steps."""
    script = FOLDER / kind / f"{name}.py"
    place = InPlace(FOLDER, script.name, path=script)
    done, is_over = 0, False
    written = UserScript(script)
    early = EarlyWord(lambda naming: told.setdefault(naming.fault.id, done), written)

    def hear(event: dict[str, Any]) -> None:
        nonlocal done, is_over
        is_over = is_over or event["event"] == "trained"
        done = event["step"] if event["event"] == "loss" else done
        if not is_over:
            early.hear(event)

    return context.run(Job("", name=script.name, in_place=place), hear).record


@pytest.mark.parametrize("name", sample(HONEST, lambda _number, name: name in EVERYDAY))
def test_an_honest_script_is_not_accused(context: RunContext, name: str) -> None:
    told: dict[str, int] = {}
    record = recorded(context, "honest", name, told)
    verdict = judge_script(record, (FOLDER / "honest" / f"{name}.py").read_text("utf-8"))
    certain = [each.fault.id for each in verdict.namings if each.certain]
    assert (verdict.problem, certain, told) == (None, [], {})
    assert "notes_failed" not in record.figures


@pytest.mark.parametrize("name", sample(FAULTY, lambda _number, name: name in EVERYDAY))
def test_a_faulty_script_is_named(
    context: RunContext, name: str, request: pytest.FixtureRequest
) -> None:
    if name in MISSED:
        request.applymarker(pytest.mark.xfail(strict=True, reason=MISSED[name]))
    fault, told = name.partition(".")[0], dict[str, int]()
    record = recorded(context, "faulty", name, told)
    verdict = judge_script(record, (FOLDER / "faulty" / f"{name}.py").read_text("utf-8"))
    assert verdict.biting is not None
    assert verdict.biting.fault.id == fault
    assert not verdict.well
    assert told.keys() <= {fault}, "told while it ran, and something else"
    if name in EARLY:
        assert told[fault] <= EARLY[name]


def test_a_silent_fault_is_told_on_lines_of_its_own_above_the_live_line(tmp_path: Path) -> None:
    script = FOLDER / "faulty" / "gradients-not-cleared.py"
    master, slave = os.openpty()
    command = [sys.executable, "-m", "course", "run", str(script)]
    shell = {**CLEAN, "TERM": "xterm", "PYTHONUTF8": "1", "COLUMNS": "80"}
    with subprocess.Popen(command, cwd=tmp_path, env=shell, stdout=slave, stderr=slave) as run:
        os.close(slave)
        shown = b""
        # A terminal whose other end is gone is an error to read from, on Linux.
        with contextlib.suppress(OSError):
            while part := os.read(master, 65536):
                shown += part
    os.close(master)
    assert run.returncode == 1
    text = re.sub(r"\x1b\[[0-9;?]*[a-ln-zA-Z]", "\r", shown.decode("utf-8"))
    lines = [line.strip() for line in re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;]*m", "", text))]
    title = "✗ The gradients are never reset to zero (gradients-not-cleared)"
    assert title in lines
    said = [line for line in lines if line.startswith("│")]
    assert lines.index(title) < lines.index(said[-1])


CRASH = '''"""A script with a module of its own, arguments, and something to leave behind."""
import argparse, sys, os
import torch
from layers import Net
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--rows", type=int)
rows = parser.parse_args().rows
print(sys.argv[0], os.path.basename(sys.path[0]), os.getcwd() == sys.path[0], __file__[0] == "/")
left = open("left.txt", "w")
left.write("behind")
net = Net(rows)
net(torch.arange(12)[None])
'''
LAYERS = """from torch import nn


class Net(nn.Module):
    def __init__(self, rows):
        super().__init__()
        self.position_embeddings = nn.Embedding(rows, 4)

    def forward(self, ids):
        return self.position_embeddings(ids)
"""


def test_a_script_runs_as_it_is_and_the_state_at_its_crash_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "train.py").write_text(CRASH, "utf-8")
    (folder / "layers.py").write_text(LAYERS, "utf-8")
    done = course("run", "mine/train.py", "--json", "--", "--rows", "8", cwd=tmp_path)
    document = json.loads(done.stdout)
    (step,) = document["steps"]
    assert (done.returncode, document["script"]["exit"], document["lesson"]) == (1, 1, None)
    assert [line["text"] for line in step["output"]["lines"]] == ["mine/train.py mine False True"]
    assert step["observed"]["exception"] == "IndexError"
    assert (step["frames"][0]["file"], step["frames"][0]["line"]) == ("layers.py", 10)
    state = step["state"]
    assert (state["embedding.rows"], state["embedding.largest_id"]) == (8, 11)
    assert state["embedding.positions"] == 1
    assert state["line.ids"] == "Tensor [1, 12] int64 cpu, 0 … 11"
    assert (tmp_path / "left.txt").read_text("utf-8") == "behind"
    assert set(os.listdir(folder)) - {"__pycache__"} == {"layers.py", "train.py"}


CHAIN = """import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(200, 8)
y = (x[:, 0] > 0).long() + (x[:, 1] > 0).long()
loader = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(16, 2), nn.Softmax(dim=-1))
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD([], lr=0.1)


def train():
    for epoch in range(3):
        for rows, labels in loader:
            loss = loss_fn(model(rows), labels)
            loss.backwards()
            optimizer.step()


train()
torch.save(model.state_dict(), "weights.pt")
open({outside!r}, "w").write("behind")
print(lines)
"""


def test_one_diagnosis_names_the_whole_chain_and_leaves_nothing_behind(tmp_path: Path) -> None:
    home, outside = tmp_path / "home", tmp_path / "outside.txt"
    home.mkdir()
    text = CHAIN.replace("{outside!r}", repr(str(outside)))
    (home / "train.py").write_text(text)
    done = course("diagnose", "train.py", "--json", "--seconds", "300", cwd=home)
    assert done.returncode == 1, done.stderr
    document = json.loads(done.stdout)
    lines = text.splitlines()
    found = {each["fault"]: lines[each["line"] - 1].strip() for each in document["faults"]}
    assert found == {
        "name-not-defined": "print(lines)",
        "softmax-before-loss": lines[8],
        "layer-sizes-do-not-fit": "loss = loss_fn(model(rows), labels)",
        "target-out-of-bounds": "loss = loss_fn(model(rows), labels)",
        "empty-parameter-list": lines[10],
        "misspelt-name": "loss.backwards()",
        "gradients-not-cleared": "optimizer.step()",
    }
    assert all(each["certain"] for each in document["faults"])
    assert {each["fault"] for each in document["faults"] if each["fix"]} == {"softmax-before-loss"}
    where = {each["fault"]: each["lines"] for each in document["faults"]}
    assert where["layer-sizes-do-not-fit"][1] == 9
    assert all(each["lines"][0] == each["line"] for each in document["faults"])
    checks = {each["check"] for each in document["checked"]}
    assert {"data-are-read", "batches-are-made", "one-batch-by-heart"} <= checks
    assert {"evaluation"} <= {each["check"] for each in document["not_checked"]}
    assert sorted(path.name for path in home.iterdir()) == ["train.py"]
    assert (home / "train.py").read_text() == text
    assert not outside.exists()


OF_THE_HUB = """import os
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer

pairs = load_dataset("glue", "mrpc")
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModelForSequenceClassification.from_pretrained({name!r}, num_labels=2)
print(lines)
"""


@pytest.mark.parametrize("name", [exhaustive("bert-base-uncased"), "somebody/else"])
def test_where_the_cache_has_nothing_the_embedded_hub_stands_in(tmp_path: Path, name: str) -> None:
    (tmp_path / "train.py").write_text(OF_THE_HUB.format(name=name))
    given = ("train.py", "--json", "--seconds", "120", "--lang", "en")
    done = course("diagnose", *given, cwd=tmp_path, HF_HOME=str(tmp_path / "nothing"))
    document = json.loads(done.stdout)
    assert [each["fault"] for each in document["faults"]] == ["name-not-defined"]
    assert document["stood_in"]
    why = {each["check"]: each["why"] for each in document["not_checked"]}
    is_known = name == "bert-base-uncased"
    assert ("--hub online" in why.get("script-runs", "")) is not is_known
    assert ("line 7" in why) is not is_known


def test_what_fails_in_our_own_code_is_ours(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\n"
        "print(sys.argv[1:], flush=True)\n"
        "if 'course_probe.serve.script' in sys.modules:\n"
        "    from course_probe.vital_signs import steps\n"
        "    steps.rate_of(None)\n"
        "print('to its end')\n",
        encoding="utf-8",
    )
    done = course("run", str(script), "given")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "to its end" in done.stdout
    assert "['given']" in done.stdout
    assert "AttributeError" not in done.stdout + done.stderr
    assert "bug in our program" in done.stdout + done.stderr
