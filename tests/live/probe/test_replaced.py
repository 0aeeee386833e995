"""What is replaced while a script is listened to: few attributes, and nothing that it finds.

It finds the functions of PyTorch and numpy as they are, and does the same.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.command import course

OF_A_SCRIPT = 15
OF_A_LESSON = 20
"""The ledger's six, two of them second names, and those of hooks/: both may only fall."""
COUNT = """
import sys
from types import FunctionType


def is_ours(value):
    # Others are not asked for anything: some are made by that.
    value = value.__func__ if type(value) in (classmethod, staticmethod) else value
    return type(value) is FunctionType and "course_probe" in value.__code__.co_filename


replaced = set()
for name, module in [*sys.modules.items()]:
    if module is None or name.startswith("course_probe"):
        continue
    for key, value in [*vars(module).items()]:
        if is_ours(value):
            replaced.add(f"{name}.{key}")
        if isinstance(value, type) and value.__module__ == name:
            replaced.update(f"{name}.{key}.{k}" for k, v in [*vars(value).items()] if is_ours(v))
"""
LESSON = """
import io
from pathlib import Path
from course_probe.event_log import EventLog
from course_probe.exception_report import OwnScript
from course_probe.ledger.instrument import LedgerInstrument

log = EventLog(io.StringIO(), "stop")
own = OwnScript(Path("script.py"))
LedgerInstrument(log, own, lambda *_a, **_n: None, of_lesson=True).install()
import accelerate, datasets, evaluate, torch, transformers, torch._dynamo
from transformers import BertForSequenceClassification, Trainer
"""
TRAINING = """
import json, sys
from pathlib import Path
import accelerate, datasets, evaluate, torch, transformers
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset
from transformers import Trainer

told, made = [], []
# By how many threads a sum is split is by the load of the machine.
torch.set_num_threads(1)
torch.manual_seed(0)
rows = torch.randn(96, 6)
sorts = (rows[:, 0] > 0).long()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(6, 8), nn.Linear(8, 2)

    def forward(self, x):
        return self.last(F.dropout(torch.relu(self.first(x)), 0.1, self.training))


def train(net, epochs=2, function=F.cross_entropy):
    optimizer = torch.optim.Adam(net.parameters(), 1e-2)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    made.extend([net, net.first, optimizer, schedule])
    for _epoch in range(epochs):
        net.train()
        for x, y in DataLoader(TensorDataset(rows[:64], sorts[:64]), 16, shuffle=True):
            loss = function(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        schedule.step()
        net.eval()
        with torch.no_grad():
            for x, y in DataLoader(TensorDataset(rows[64:], sorts[64:]), 8):
                told.append((net(x).argmax(1) == y).sum().item())
    return net
"""
END = f"""
{COUNT}
for each in made:
    replaced.update(f"{{type(each).__name__}}().{{k}}" for k, v in vars(each).items() if is_ours(v))
told.append(sorted(replaced))
told.append([float(p.detach().double().sum()) for n in list(globals().values())
             if isinstance(n, nn.Module) for p in n.parameters()])
told.append(torch.rand(1).item())
Path(__file__).with_suffix(".json").write_text(json.dumps(told))
"""

REPLACED = """
train(Net())
import builtins
import numpy
import sklearn.model_selection
import torch.jit


def look(value):
    code = getattr(value, "__code__", None)
    named = (getattr(value, each, None) for each in ("__module__", "__qualname__"))
    return [type(value).__name__, *map(str, named), str(getattr(code, "co_filename", None))]


owners = {"torch": torch, "F": F, "Tensor": torch.Tensor, "numpy": numpy, "builtins": builtins,
          "sklearn": sklearn.model_selection, "autograd": torch.autograd, "jit": torch.jit,
          "func": torch.func, "init": nn.init}
INNER = {"autograd._engine_run_backward"}
told.append({f"{o}.{name}": look(value) for o, owner in owners.items()
             for name, value in sorted(vars(owner).items())
             if callable(value) and f"{o}.{name}" not in INNER})
"""
"""All but the one inner entry of autograd, which is nobody's to call."""


def run(folder: Path, *, watched: bool) -> Any:
    """Return what the script has told of itself, run by plain Python or watched."""
    script = folder / "script.py"
    script.write_text(TRAINING + REPLACED + END, "utf-8")
    told = script.with_suffix(".json")
    told.unlink(missing_ok=True)
    if watched:
        done = course("run", str(script), cwd=folder)
        shown = done.stdout + done.stderr
    else:
        done = subprocess.run(
            [sys.executable, str(script)],
            cwd=folder,
            env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
            capture_output=True,
            text=True,
            timeout=300,
        )
        shown = done.stderr
    assert told.exists(), shown
    return json.loads(told.read_text("utf-8"))


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return run(tmp_path_factory.mktemp("watched"), watched=True)


def test_no_function_of_a_library_is_replaced(tmp_path: Path, watched: Any) -> None:
    *before, functions, _replaced, weights, drawn = run(tmp_path, watched=False)
    *before_watched, found, _replaced, weights_watched, drawn_watched = watched
    assert {name for name in functions if functions[name] != found.get(name)} == set()
    assert (before, weights, drawn) == (before_watched, weights_watched, drawn_watched)


def test_few_attributes_are_replaced_and_none_of_an_instance(watched: Any) -> None:
    *_told, replaced, _weights, _drawn = watched
    assert 3 <= len(replaced) <= OF_A_SCRIPT, replaced
    outside = [
        each for each in replaced if "()" in each or each.startswith(("builtins.", "numpy."))
    ]
    assert outside == []


def test_a_lesson_replaces_few_attributes() -> None:
    code = f"{LESSON}{COUNT}\nprint(*sorted(replaced), sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=300
    )
    found = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    # What the ledger needs is there: it was counted at all.
    assert "torch.nn.modules.module.Module.__call__" in found
    assert len(found) <= OF_A_LESSON, found
