"""The ledger beside a script's own run: in notebooks, kernels and diagnoses, and where one catches.

Keras has its part in `tests/live/test_keras.py`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.command import CLEAN, course
from tests.tiers import exhaustive

MADE = """import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
points = torch.randn(400, 6)
sums = points[:, 0] - points[:, 3]
batches = DataLoader(TensorDataset(points, sums), batch_size=20, shuffle=True)
net = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 1))
adam = torch.optim.Adam(net.parameters(), lr=3e-3)
"""
LEARNS = """for _round in range(3):
    for some, wanted in batches:
        adam.zero_grad()
        loss = nn.functional.mse_loss(net(some){way}, wanted)
        loss.backward()
        adam.step()
"""
PAIRS, MENDED = LEARNS.format(way=""), LEARNS.format(way=".squeeze(1)")
SHELL = """
import json
import sys
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
shown = []
shell.display_pub.publish = lambda data, **_more: shown.append(data["text/plain"])
told = []
for cell in ["%load_ext course", *json.loads(sys.stdin.read())]:
    shown.clear()
    shell.run_cell(cell, store_history=True)
    told.append(" ".join(shown))
print(json.dumps(told))
"""
CAUGHT = """import torch
from torch import nn
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments


class Rows(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, at):
        return {"rows": torch.ones(4), "labels": torch.tensor(7)}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 3)

    def forward(self, rows, labels):
        return {"loss": nn.functional.cross_entropy(self.head(rows), labels)}


trainer = Trainer(Net(), TrainingArguments("out", report_to=[], use_cpu=True), train_dataset=Rows())
try:
    trainer.train()
except IndexError:
    print("never mind")
"""


def notebook_of(*cells: str) -> str:
    made = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


def test_a_notebook_is_judged_by_its_ledger_in_the_words_of_its_cells(tmp_path: Path) -> None:
    (tmp_path / "mine.ipynb").write_text(notebook_of(MADE, PAIRS), "utf-8")
    done = course("run", "mine.ipynb", "--lang", "en", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "broadcast-in-loss" in done.stdout
    assert "in line [2]:5" in " ".join(done.stdout.split())


def test_a_kernel_tells_of_a_cell_that_trains_and_of_none_that_is_mended() -> None:
    cells = [MADE, PAIRS, "1 + 1", MENDED, "with torch.no_grad():\n    net(torch.randn(40, 6))"]
    command = [sys.executable, "-c", SHELL]
    shell = {**CLEAN, "PATH": os.environ["PATH"]}
    done = subprocess.run(
        command, input=json.dumps(cells), env=shell, text=True, capture_output=True, check=True
    )
    told = json.loads(done.stdout.splitlines()[-1])
    assert "(`broadcast-in-loss`)" in told[2]
    assert "Line [3]:5" in told[2]
    assert [*told[:2], *told[3:]] == [""] * 5


@pytest.mark.parametrize("form", [exhaustive("script"), "notebook"])
def test_a_diagnosis_finds_by_the_ledger_what_its_text_hides(tmp_path: Path, form: str) -> None:
    path = tmp_path / ("mine.py" if form == "script" else "mine.ipynb")
    unmade = "print(nothing_of_this_name)\n"
    whole = notebook_of(MADE, unmade, PAIRS) if form == "notebook" else MADE + unmade + PAIRS
    path.write_text(whole, "utf-8")
    given = (path.name, "--json", "--seconds", "240", "--lang", "en")
    done = course("diagnose", *given, cwd=tmp_path, timeout=400)
    document = json.loads(done.stdout)
    found: dict[str, Any] = {each["fault"]: each for each in document["faults"]}
    assert found.keys() == {"name-not-defined", "broadcast-in-loss"}
    fault = found["broadcast-in-loss"]
    place = "Line [3]:5:" if form == "notebook" else f"Line {(MADE + unmade).count(chr(10)) + 5}:"
    assert fault["certain"]
    assert place in fault["evidence"]
    why = {each["check"]: each["why"] for each in document["not_checked"]}
    assert "the loss of one batch went from" in why["one-batch-by-heart"]


def test_what_a_trainer_raises_and_a_script_catches_is_told(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(CAUGHT, "utf-8")
    done = course("run", "mine.py", "--lang", "en", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "The script itself has caught `IndexError: Target 7 is out of bounds.`" in done.stdout
