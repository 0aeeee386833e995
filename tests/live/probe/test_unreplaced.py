"""A watched script finds the functions of PyTorch and numpy as they are, and does the same."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.command import course

TRAINING = """
import json, sys
from pathlib import Path
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

told = []
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
    for _epoch in range(epochs):
        net.train()
        for x, y in DataLoader(TensorDataset(rows[:64], sorts[:64]), 16, shuffle=True):
            loss = function(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        net.eval()
        with torch.no_grad():
            for x, y in DataLoader(TensorDataset(rows[64:], sorts[64:]), 8):
                told.append((net(x).argmax(1) == y).sum().item())
    return net
"""
END = """
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


def test_no_function_of_a_library_is_replaced(tmp_path: Path) -> None:
    bare, watched = (run(tmp_path, watched=each) for each in (False, True))
    *before, functions, weights, drawn = bare
    *before_watched, found, weights_watched, drawn_watched = watched
    assert {name for name in functions if functions[name] != found.get(name)} == set()
    assert (before, weights, drawn) == (before_watched, weights_watched, drawn_watched)
