"""A long training by hand is not looked at in each step, and what is told of it stays the same."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import ROOT
from tests.tiers import sample

TRAINING = """
import sys
import torch, torch.optim.lr_scheduler, torch.utils.data.dataloader
from course_probe.event_log import EventLog
from course_probe.hooks.torch import passes
from course_probe.instrument import Instrument

passes.EVERY, kind, journal = int(sys.argv[1]), sys.argv[2], open(sys.argv[3], "w")
log = EventLog(journal, sys.argv[3] + ".stop")
watching = Instrument(log, lambda *error, **named: None, own=True)
watching.install()
torch.manual_seed(0)
rows, held = torch.randn(2048, 8), torch.randn(300, 8)
labels = (rows[:, 0] > 0).long()
layers = torch.nn.Linear(8, 16), torch.nn.Dropout(0.1), torch.nn.ReLU(), torch.nn.Linear(16, 2)
network, teacher = torch.nn.Sequential(*layers), torch.nn.Linear(8, 2)
optimizer, criterion = torch.optim.Adam(network.parameters()), torch.nn.CrossEntropyLoss()
for epoch in range(30):
    for at in range(0, 2048, 32):
        inputs = rows[at : at + 32]
        with torch.no_grad():
            if kind == "teacher":
                teacher(inputs)
            if kind == "rollouts" and at % 256 == 0:
                network(rows[at : at + 256])
        optimizer.zero_grad()
        loss = criterion(network(inputs), labels[at : at + 32])
        loss.backward()
        optimizer.step()
    if kind == "with graphs":
        [network(held[at : at + 20]).argmax(1) for at in range(0, 300, 20)]
    with torch.no_grad():
        if kind == "in training mode":
            [network(held[at : at + 20]).argmax(1) for at in range(0, 300, 20)]
        if kind == "at once":
            network.eval()
            network(held).argmax(1)
            network.train()
if kind == "at the end":
    network(held).argmax(1)
watching.finish()
log.flush()
"""
KINDS = ("plain", "teacher", "rollouts", "with graphs", "in training mode", "at once", "at the end")


@pytest.mark.parametrize("kind", sample(KINDS, lambda number, _kind: number in (1, 3)))
def test_the_figures_are_those_of_looking_at_each_step(kind: str, tmp_path: Path) -> None:
    every, seldom = (figures(each, kind, tmp_path / f"{each}.jsonl") for each in (1, 8))
    assert every == seldom
    assert every["zero_grad_calls"] > 1900


def figures(every: int, kind: str, journal: Path) -> dict[str, float]:
    words = [sys.executable, "-c", TRAINING, str(every), kind, str(journal)]
    subprocess.run(words, cwd=ROOT, check=True, timeout=300)
    events = map(json.loads, journal.read_text("utf-8").splitlines())
    found: dict[str, float] = {}
    for event in events:
        found |= event["values"] if event["event"] == "figures" else {}
    return found
