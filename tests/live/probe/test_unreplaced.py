"""A watched script finds the functions of PyTorch and numpy as they are, and does the same."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

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

SAME = {
    "compiled": """
net = train(Net())
whole = torch.compile(lambda x, y: F.cross_entropy(net(x), y), backend="eager", fullgraph=True)
told.append(whole(rows, sorts).item())
told.append(torch.compile(net, backend="eager", fullgraph=True)(rows).argmax(1).tolist())
import torch._dynamo
told.append(sorted(torch._dynamo.utils.counters["graph_break"].items()))
""",
    "looked through": """
import torch.fx
from torch.func import functional_call, grad, vmap
net = train(Net())
told.append([str(torch.fx.symbolic_trace(net).graph), str(torch.jit.trace(net, rows[:2]).code)])
told.append(torch.jit.script(net)(rows[:2]).tolist())
told.append(str(torch.export.export(net, (rows[:2],)).graph))
of_each = vmap(grad(lambda w, x, y: F.cross_entropy(functional_call(net, w, (x[None],)), y[None])),
               in_dims=(None, 0, 0))
told.append(float(of_each(dict(net.named_parameters()), rows, sorts)["last.weight"].sum()))
""",
    "pickled": """
import copy, io, pickle
net = train(Net())
net.step, net.ways = torch.relu, {F.softmax: "softmax", torch.argmax: "argmax", F.cross_entropy: 0}
told.append(len(pickle.dumps(net)))
again = copy.deepcopy(net)
kept = io.BytesIO()
torch.save(net, kept)
kept.seek(0)
told.append([each.step is torch.relu for each in (again, torch.load(kept, weights_only=False))])
""",
    "dispatched": """
HANDLED = {}


class Scalar:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return HANDLED[func]


class Logged(torch.Tensor):
    calls = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        Logged.calls.append(getattr(func, "__name__", str(func)))
        return super().__torch_function__(func, types, args, kwargs or {})


train(Net())
for each in (torch.softmax, torch.argmax, F.cross_entropy, torch.relu):
    HANDLED[each] = each.__name__
told.append([torch.softmax(Scalar(), 0), torch.argmax(Scalar()), torch.relu(Scalar())])
net = Net()
loss = F.mse_loss(net(rows.as_subclass(Logged)), torch.zeros(96, 2))
told.append([type(loss).__name__, Logged.calls])
""",
    "modes": """
from torch.utils._python_dispatch import TorchDispatchMode


class Counting(TorchDispatchMode):
    count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        Counting.count += 1
        return func(*args, **(kwargs or {}))


net = train(Net())
with torch.no_grad():
    net(rows)
    with torch.device("meta"):
        inner = net.training, torch.empty(2).device.type, nn.Linear(2, 2).weight.device.type
    told.append([*inner, torch.empty(2).device.type])
with torch.device("meta"):
    other = Net()
told.append([other.first.weight.device.type, torch.empty(1).device.type])
train(net, 1)
with torch.device("cpu"):
    train(net, 1)
told.append(torch.empty(1).device.type)
with Counting():
    F.cross_entropy(net(rows), sorts).backward()
told.append(Counting.count)
torch.set_default_device("meta")
told.append(torch.empty(1).device.type)
torch.set_default_device(None)
told.append([torch.empty(1).device.type, torch._C._len_torch_function_stack()])
train(net, 1)
del other
""",
    "warned": """
import warnings
warnings.showwarning = lambda m, c, f, n, *more: told.append([str(m)[:60], f[-20:], n])


class Odd(Net):
    def forward(self, x):
        self.drawn = F.softmax(x) + nn.Softmax()(x)
        return super().forward(x)


def broadcast(outputs, y):
    outputs.grad
    return F.mse_loss(outputs[:, :1], y.float())


train(Odd(), 1, broadcast)
""",
    "sent": """
net = train(Net())
if __name__ == "__main__":
    import multiprocessing
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        told.append([each.tolist() for each in pool.starmap(F.softmax, [(rows[:2], 1)])])
        told.append(pool.apply(torch.argmax, (rows[:2], 1)).tolist())
        told.append(pool.apply(F.cross_entropy, (net(rows).detach(), sorts)).item())
        told.append(pool.apply(torch.Tensor.softmax, (rows[:2], 1)).tolist())
""",
    "lower precision": """
class Half(Net):
    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = super().forward(x)
        told.append(str(out.dtype))
        return out.float()


train(Half())
net = Net()
optimizer = torch.optim.SGD(net.parameters(), 0.1)
scaler = torch.amp.GradScaler("cpu", enabled=False)
for x, y in zip(rows.split(16), sorts.split(16)):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = net(x)
        loss = F.cross_entropy(out, y)
        told.append([str(out.dtype), str(loss.dtype), torch.is_autocast_enabled("cpu")])
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
told.append([torch.is_autocast_enabled("cpu"), loss.item()])
""",
    "fast": """
layer = nn.TransformerEncoderLayer(6, 2, 8, batch_first=True)
net = nn.Sequential(layer, nn.Linear(6, 2))
x = rows.reshape(16, 6, 6)
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for _step in range(4):
    loss = F.cross_entropy(net(x).mean(1), sorts[:16])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
net.eval()
with torch.no_grad():
    for _time in range(4):
        told.append(net(x).tolist())
        told.append(layer(x).argmax(-1).tolist())
""",
}


def run(folder: Path, text: str, *, watched: bool) -> Any:
    """Return what a script has told of itself, run by plain Python or watched."""
    script = folder / "script.py"
    script.write_text(TRAINING + text + END, "utf-8")
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
    bare, watched = (run(tmp_path, REPLACED, watched=each) for each in (False, True))
    *before, functions, weights, drawn = bare
    *before_watched, found, weights_watched, drawn_watched = watched
    assert {name for name in functions if functions[name] != found.get(name)} == set()
    assert (before, weights, drawn) == (before_watched, weights_watched, drawn_watched)


@pytest.mark.parametrize("name", SAME)
def test_a_script_that_looks_closely_does_the_same(tmp_path: Path, name: str) -> None:
    bare, watched = (run(tmp_path, SAME[name], watched=each) for each in (False, True))
    assert bare == watched
