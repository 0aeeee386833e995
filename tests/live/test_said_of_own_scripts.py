"""What is said of small scripts of one's own: nothing that is not so, and no tick unmeasured.

All of them run in one warm process; a few are diagnosed, too, each in processes of its own.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from course.judge.script_verdict import ScriptVerdict, judge_script
from course.render import script_blocks
from course.render.blocks import Paragraph
from course.runs.process import InPlace, Job
from course.runs.run_context import RunContext
from tests.command import course

LOOP = """
optimizer = torch.optim.Adam(net.parameters(), lr=0.002)
for epoch in range(8):
    for rows in torch.randperm(320).split(20):
        loss = objective(rows)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, float(loss))
"""
BEGIN = """import torch
from torch import nn

torch.manual_seed(1)
points = torch.rand(320, 5)
net = nn.Sequential(nn.Linear(5, 24), nn.Tanh(), nn.Linear(24, 4))
"""
LOG_OF_NEGATIVE = """
wanted = (points.sum(1) > 2.5).float()

def objective(rows):
    p = torch.sigmoid(net(points[rows]).mean(1))
    return -(wanted[rows] * (p - 1).log()).mean()
"""
ZERO_TIMES_LOG_OF_ZERO = """
shares = nn.functional.one_hot(torch.arange(320) % 4).float()

def objective(rows):
    p = net(points[rows]).softmax(1)
    return (shares[rows] * (shares[rows].log() - p.log())).sum(1).mean()
"""
SLOPE_OF_ROOT_AT_ZERO = """
other = torch.randperm(320)
other[::10] = torch.arange(320)[::10]

def objective(rows):
    apart = (net(points[rows]) - net(points[other[rows]])).pow(2).sum(1).sqrt()
    return (1 - apart).relu().mean()
"""
TOO_FEW_FRAMES = """
sounds = torch.rand(320, 4, 5)
letters = torch.randint(1, 4, (320, 7))
ctc = nn.CTCLoss()

def objective(rows):
    said = net(sounds[rows]).log_softmax(2).transpose(0, 1)
    return ctc(said, letters[rows], torch.full((20,), 4), torch.full((20,), 7))
"""
NOT_A_NUMBER = {
    "log_of_negative": BEGIN + LOG_OF_NEGATIVE + LOOP,
    "zero_times_log_of_zero": BEGIN + ZERO_TIMES_LOG_OF_ZERO + LOOP,
    "slope_of_root_at_zero": BEGIN + SLOPE_OF_ROOT_AT_ZERO + LOOP,
    "too_few_frames": BEGIN + TOO_FEW_FRAMES + LOOP,
}
INPUTS_ALONE_SHUFFLED = (
    BEGIN
    + """
kinds = (points[:, 0] * 4).long()

def objective(rows):
    begin = int(rows[0]) // 20 * 20
    return nn.functional.cross_entropy(net(points[rows]), kinds[begin : begin + 20])
"""
    + LOOP
)
TEXTS_AND_LABELS_APART = """import random
import torch
from torch import nn
from torch.utils.data import DataLoader

random.seed(2)
torch.manual_seed(2)
moods = [random.randrange(2) for _ in range(900)]
texts = [random.choices(range(2, 40), k=5) + [mood] for mood in moods]
random.shuffle(moods)
pairs = [(torch.tensor(text), mood) for text, mood in zip(texts, moods)]


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.EmbeddingBag(40, 8)
        self.answer = nn.Linear(8, 2)

    def forward(self, ids):
        return self.answer(self.words(ids))


net = Bag()
optimizer = torch.optim.Adam(net.parameters(), lr=0.001)
for epoch in range(4):
    for ids, mood in DataLoader(pairs[:600], batch_size=20, shuffle=True):
        loss = nn.functional.cross_entropy(net(ids), mood)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
INPUTS_WITH_GRADIENTS = (
    BEGIN
    + """
kinds = (points[:, 0] > 0.5).long()

def objective(rows):
    seen = points[rows].clone().requires_grad_()
    return nn.functional.cross_entropy(net(seen), kinds[rows])
"""
    + LOOP
)
BY_HAND = (
    BEGIN
    + """
kinds = (points[:, 0] > 0.5).long()
for _step in range(150):
    rows = torch.randint(0, 320, (20,))
    loss = nn.functional.cross_entropy(net(points[rows]), kinds[rows])
    loss.backward()
    with torch.no_grad():
        for weight in net.parameters():
            weight.sub_(0.3 * weight.grad)
"""
)
SCHEDULES = {
    "step": ("StepLR(optimizer, step_size=1, gamma=0.85)", "schedule-out-of-step"),
    "milestones": (
        "MultiStepLR(optimizer, milestones=[3, 6, 9], gamma=0.005)",
        "schedule-out-of-step",
    ),
    "exponential": ("ExponentialLR(optimizer, gamma=0.85)", "schedule-out-of-step"),
    "to nothing": ("StepLR(optimizer, step_size=1, gamma=0.0)", "schedule-too-short"),
    "own": ("LambdaLR(optimizer, lambda step: max(0.0, 1 - step / 8))", "schedule-too-short"),
    "warm-up": (
        "LinearLR(optimizer, start_factor=0.001, total_iters=20000)",
        "learning-rate-too-low",
    ),
}
SCALED = """
scaler = torch.amp.GradScaler("cpu")
kinds = (points[:, 0] * 4).long()
optimizer = torch.optim.Adam(net.parameters(), lr=0.002)
for epoch in range(8):
    for rows in torch.randperm(320).split(20):
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.float16):
            loss = nn.functional.cross_entropy(net(points[rows]), kinds[rows])
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    print(epoch, float(loss))
"""
SLICES_AND_A_LOADER = """
kinds = (points[:, 0] * 4).long()
first, rest = points[:240], torch.utils.data.TensorDataset(points[240:], kinds[240:])
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(8):
    for at in range(0, 240, 20):
        loss = nn.functional.cross_entropy(net(first[at : at + 20]), kinds[at : at + 20])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        right = sum(
            int((net(rows).argmax(1) == labels).sum())
            for rows, labels in torch.utils.data.DataLoader(rest, batch_size=20)
        )
    print(epoch, right / 80)
"""
TEACHER_THAT_DROPS_OUT = """
import copy
net = nn.Sequential(nn.Linear(5, 24), nn.Tanh(), nn.Dropout(0.2), nn.Linear(24, 4))
kinds, rest = (points[:, 0] * 4).long(), torch.rand(400, 5)
mean = copy.deepcopy(net).requires_grad_(False)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for step in range(160):
    rows, more = torch.randperm(320)[:20], rest[torch.randperm(400)[:40]]
    loss = nn.functional.cross_entropy(net(points[rows]), kinds[rows])
    with torch.no_grad():
        wanted = mean(more + 0.05 * torch.randn_like(more)).softmax(1)
    loss = loss + nn.functional.mse_loss(net(more).softmax(1), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for ours, own in zip(mean.parameters(), net.parameters()):
        ours.lerp_(own.detach(), 0.05)
    if step % 40 == 39:
        net.eval()
        print(step, float((net(points).argmax(1) == kinds).float().mean()))
        net.train()
"""
KNOWN_AND_NEW_ROWS_ASKED = """
here, there, new = points, torch.rand(700, 5), torch.rand(150, 5)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for step in range(400):
    loss = 0.0
    for some in (here, there):
        rows = some[torch.randint(0, len(some), (20,))]
        loss = loss + nn.functional.cross_entropy(net(rows), (rows[:, 0] * 4).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    for some in (here, new):
        print(float((net(some).argmax(1) == (some[:, 0] * 4).long()).float().mean()))
"""
FROM_SCRATCH = """import torch
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(3)
net = GPT2LMHeadModel(GPT2Config(vocab_size=40, n_positions=16, n_embd=32, n_layer=2, n_head=2))
rows = torch.randint(0, 40, (512, 16)).sort(dim=1).values
optimizer = torch.optim.AdamW(net.parameters(), lr=3.0)
for epoch in range(4):
    for batch in rows[torch.randperm(512)].split(16):
        loss = net(input_ids=batch, labels=batch).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    print(epoch, loss.item())
"""
PARTS = """import torch
from torch import nn


class Scores(nn.Module):
    def __init__(self, width, kinds):
        super().__init__()
        self.table = nn.Parameter(torch.rand(width, kinds))

    def forward(self, rows):
        return (rows @ self.table).log_softmax(1)
"""
LEAK = """
from torch.utils.data import DataLoader, TensorDataset
kinds = (points[:, 0] * 4).long()
{first} = DataLoader(TensorDataset(points, kinds), batch_size=16, shuffle=True)
{second} = DataLoader(TensorDataset(points[80:200], kinds[80:200]), batch_size=20)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(4):
    for rows, labels in {first}:
        loss = nn.functional.cross_entropy(net(rows), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(sum(int((net(a).argmax(1) == b).sum()) for a, b in {second}) / 120)
"""
TOO_FEW_KINDS = """import torch
from torch import nn
from scores import Scores

rows, kinds = torch.rand(60, 5), torch.arange(60) % 4
net = Scores(5, 3)
measure = nn.NLLLoss()
optimizer = torch.optim.Adam(net.parameters())
for _pass in range(4):
    loss = measure(net(rows), kinds)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def judged(context: RunContext, folder: Path, text: str) -> ScriptVerdict:
    script = folder / "train.py"
    script.write_text(text, "utf-8")
    job = Job("", name=script.name, in_place=InPlace(folder, script.name, path=script))
    return judge_script(context.run(job).record)


def diagnosed(folder: Path, text: str, *arguments: str) -> dict[str, Any]:
    (folder / "train.py").write_text(text, "utf-8")
    command = ("diagnose", "train.py", "--json", "--seconds", "200", *arguments)
    done = course(*command, cwd=folder, timeout=400)
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def certain(verdict: ScriptVerdict) -> list[str]:
    return [each.fault.id for each in verdict.namings if each.certain]


def checked(document: dict[str, Any]) -> set[str]:
    return {each["check"] for each in document["checked"]}


@pytest.mark.parametrize("name", NOT_A_NUMBER)
def test_a_loss_that_is_no_number_is_told_whatever_its_cause(
    context: RunContext, tmp_path: Path, name: str
) -> None:
    verdict = judged(context, tmp_path, NOT_A_NUMBER[name])
    assert certain(verdict) == []
    assert [each.invariant for each in verdict.broken] == ["loss-is-a-number"]


def test_a_loss_that_is_no_number_has_no_tick(tmp_path: Path) -> None:
    found = diagnosed(tmp_path, NOT_A_NUMBER["log_of_negative"])
    assert [each["invariant"] for each in found["broken"]] == ["loss-is-a-number"]
    assert checked(found).isdisjoint({"loss-is-finite", "backward-and-step", "one-batch-by-heart"})


@pytest.mark.parametrize("text", [INPUTS_ALONE_SHUFFLED, TEXTS_AND_LABELS_APART])
def test_a_training_no_better_than_guessing_is_worth_a_look(
    context: RunContext, tmp_path: Path, text: str
) -> None:
    verdict = judged(context, tmp_path, text)
    assert certain(verdict) == []
    assert [each.invariant for each in verdict.broken] == ["better-than-guessing"]


def test_of_one_batch_nothing_is_said_where_none_was_repeated(tmp_path: Path) -> None:
    found = diagnosed(tmp_path, INPUTS_ALONE_SHUFFLED)
    assert [each["invariant"] for each in found["broken"]] == ["better-than-guessing"]
    why = {each["check"]: each["why"] for each in found["not_checked"]}
    assert "from a loader" in why["one-batch-by-heart"]


def test_inputs_with_gradients_are_no_parameters(context: RunContext, tmp_path: Path) -> None:
    verdict = judged(context, tmp_path, INPUTS_WITH_GRADIENTS)
    assert (certain(verdict), verdict.possible, verdict.broken) == ([], (), ())


@pytest.mark.parametrize(
    "text",
    [
        BEGIN + SCALED,
        BEGIN + SLICES_AND_A_LOADER,
        BEGIN + TEACHER_THAT_DROPS_OUT,
        BEGIN + KNOWN_AND_NEW_ROWS_ASKED,
    ],
    ids=["a scaled loss", "slices", "a teacher", "known and new rows"],
)
def test_of_what_is_sound_nothing_is_said(context: RunContext, tmp_path: Path, text: str) -> None:
    verdict = judged(context, tmp_path, text)
    assert (certain(verdict), verdict.possible, verdict.broken) == ([], (), ())


def test_of_what_was_not_loaded_no_loss_of_it_is_told(context: RunContext, tmp_path: Path) -> None:
    verdict = judged(context, tmp_path, FROM_SCRATCH)
    (naming,) = verdict.namings
    assert (naming.fault.id, naming.certain) == ("learning-rate-too-high", True)
    blocks = script_blocks.certain(naming, None)
    told = " ".join(each.text for each in blocks if isinstance(each, Paragraph)).replace("\n", " ")
    of_it = [each for each in re.split(r"(?<=[.:;,]) ", told) if "pre-train" in each]
    assert of_it
    assert all(
        each.startswith(("Where pre-trained weights", "for a pre-trained")) for each in of_it
    )


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_schedule_is_named_by_its_rates(context: RunContext, tmp_path: Path, name: str) -> None:
    call, fault = SCHEDULES[name]
    made = f"optimizer, schedule = optimizer, torch.optim.lr_scheduler.{call}\n"
    begun, loop = LOOP.split("for epoch", maxsplit=1)
    loop = loop.replace("optimizer.step()", "optimizer.step()\n        schedule.step()")
    wanted = "\nwanted = torch.tanh(points @ torch.rand(5, 4))\n\ndef objective(rows):\n"
    measured = "    return nn.functional.mse_loss(net(points[rows]), wanted[rows])\n"
    text = BEGIN + wanted + measured + begun + made + "for epoch" + loop
    assert certain(judged(context, tmp_path, text)) == [fault]


@pytest.mark.parametrize("names", [("train_loader", "test_loader"), ("first", "second")])
def test_names_of_variables_tell_nothing(
    context: RunContext, tmp_path: Path, names: tuple[str, str]
) -> None:
    text = BEGIN + LEAK.format(first=names[0], second=names[1])
    assert certain(judged(context, tmp_path, text)) == ["evaluation-on-training-data"]


def test_gradients_that_are_never_cleared_are_named_without_an_optimizer(
    context: RunContext, tmp_path: Path
) -> None:
    assert certain(judged(context, tmp_path, BY_HAND)) == ["gradients-not-cleared"]


def test_the_line_that_gave_the_number_of_classes_is_named_through_files(tmp_path: Path) -> None:
    (tmp_path / "scores.py").write_text(PARTS, "utf-8")
    found = diagnosed(tmp_path, TOO_FEW_KINDS)
    (fault,) = found["faults"]
    assert fault["fault"] == "target-out-of-bounds"
    assert fault["lines"][:2] == [10, 6]


def test_a_rate_of_the_command_line_is_blamed_and_not_its_default(tmp_path: Path) -> None:
    option = """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.002)
given = parser.parse_args()
"""
    text = INPUTS_WITH_GRADIENTS.replace("lr=0.002", "lr=given.lr")
    (tmp_path / "train.py").write_text(option + text, "utf-8")
    done = course("run", "train.py", "--json", "--", "--lr", "400", cwd=tmp_path, timeout=400)
    faults = {each["fault"]: each for each in json.loads(done.stdout)["faults"]}
    fault = faults["learning-rate-too-high"]
    assert fault["given"] == "--lr 400"
    default = (
        (option + text).splitlines().index('parser.add_argument("--lr", type=float, default=0.002)')
    )
    assert default + 1 not in fault["lines"]


def test_paths_above_the_folder_of_the_script_work_in_a_copy(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "some.txt").write_text("1 2")
    home.mkdir()
    text = """import os

for _time in range(2):
    os.makedirs("../made/here", exist_ok=True)
with open("../made/here/sum.txt", "w") as file:
    file.write(str(sum(map(int, open("../rows/some.txt").read().split()))))
print(open("../made/here/sum.txt").read())
"""
    found = diagnosed(home, text)
    assert found["faults"] == []
    assert "script-runs" in checked(found)
    assert not (tmp_path / "made").exists()


def test_what_follows_from_a_failure_stands_behind_it(tmp_path: Path) -> None:
    text = """import torch
from torch import nn

layer = nn.GRU(3, 6)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
kept = None
try:
    for _step in range(4):
        seen, kept = layer(torch.rand(4, 2, 3), kept)
        optimizer.zero_grad()
        seen.pow(2).mean().backward()
        optimizer.step()
    torch.save(layer.state_dict(), "layer.pt")
except KeyboardInterrupt:
    print("enough")
layer.load_state_dict(torch.load("layer.pt"))
"""
    found = diagnosed(tmp_path, text)
    names = [each["fault"] for each in found["faults"]]
    assert names[0] in ("state-not-detached", "backward-twice")
    assert not any(f["certain"] for f in found["faults"] if f["fault"] == "file-not-found")
    assert "script-runs" not in checked(found)
