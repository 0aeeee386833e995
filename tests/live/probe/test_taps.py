"""The ledger replaces few attributes of other libraries, with the whole PyTorch stack imported."""

import json
from pathlib import Path

from tests.command import course

MOST = 15
SCRIPT = """
import json
import sys
from pathlib import Path
from types import FunctionType

import accelerate
import datasets
import evaluate
import torch
import torch.utils.data
import transformers
from torch import nn
from transformers import Trainer

net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(net.parameters())
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
for _step in range(4):
    optimizer.zero_grad()
    net(torch.randn(8, 4)).sum().backward()
    optimizer.step()
    schedule.step()


def is_ours(value):
    if type(value) in (classmethod, staticmethod):
        value = value.__func__
    return type(value) is FunctionType and "course_probe" in value.__code__.co_filename


found = set()
for name, module in [*sys.modules.items()]:
    if module is None or name.startswith("course_probe"):
        continue
    for key, value in [*vars(module).items()]:
        if is_ours(value):
            found.add(f"{name}.{key}")
        if isinstance(value, type) and value.__module__ == name:
            found.update(f"{name}.{key}.{k}" for k, v in [*vars(value).items()] if is_ours(v))
for each in (net, *net, optimizer, schedule):
    found.update(f"{type(each).__name__}().{k}" for k, v in vars(each).items() if is_ours(v))
Path("found.json").write_text(json.dumps(sorted(found)))
"""


def test_few_attributes_are_replaced_and_none_of_an_instance(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    done = course("run", "script.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "found.json").read_text())
    assert 3 <= len(found) <= MOST, found
    assert not [each for each in found if "()" in each or each.startswith(("builtins.", "numpy."))]
