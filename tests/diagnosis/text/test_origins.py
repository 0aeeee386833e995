"""Lines to mend that are far from the line that fails: above a loop, in a function, in its caller.

In each text `# !` marks the lines of the traceback, the innermost first by its number; `# <-` marks
the line that is to be among those that are named.
"""

import re

import pytest

from course.diagnosis.text.leads import Clue
from course.diagnosis.text.lines import find
from course.diagnosis.text.script_text import ScriptText

A_LOADER_HANDED_ON = """
from torch.utils.data import DataLoader
def epoch(net, batches, optimizer):
    for texts, labels in batches:  # !1
        optimizer.zero_grad()
def main():
    net, optimizer = make()
    batches = 3
    spoken = DataLoader(Clips(300), batch_size=8)  # <-
    quiet = DataLoader(Clips(20), batch_size=8)
    for number in range(3):
        epoch(net, spoken, optimizer)  # !2
main()  # !3
"""
A_LOADER_OF_AN_OBJECT = """
class Fit:
    def __init__(self):
        self.train_batches = torch.utils.data.DataLoader(Clips(300), batch_size=8)  # <-
        self.other = torch.utils.data.DataLoader(Clips(10), batch_size=8)
    def run(self):
        for at, (texts, labels) in enumerate(self.train_batches):  # !1
            pass
Fit().run()  # !2
"""
A_LOADER_UNDER_A_KEY = """
class Net(nn.Module):
    def forward(self, x):
        return self.norm(self.pool(x))  # !1
parts = {
    "learn": DataLoader(images, batch_size=16),  # <-
    "check": DataLoader(others, batch_size=16),
}
for epoch in range(2):
    for part in ("learn",):
        for x, y in tqdm(parts["learn"]):
            out = net(x)  # !2
"""
LABELS_MADE_IN_A_LOOP = """
import torch
judge = nn.BCELoss()
ONE = 1
for real in batches:
    wanted = torch.full((len(real),), ONE)  # <-
    scores = critic(real).view(-1)
    loss = judge(scores, wanted)  # !1
"""
LABELS_OF_A_FUNCTION = """
def read(path):
    table = numpy.loadtxt(path)
    kinds = table[:, -1].astype(int)  # <-
    return torch.from_numpy(table[:, :-1]), torch.from_numpy(kinds)
def main():
    points, kinds = read("rows.txt")
    for rows in torch.randperm(100).split(10):
        loss = F.cross_entropy(net(points[rows]), kinds[rows].to(device))  # !1
main()  # !2
"""
LABELS_OF_A_CALLER = """
def step(net, points, wanted):
    return F.mse_loss(net(points), wanted.unsqueeze(1))  # !1
prices = torch.tensor([3, 4, 5])  # <-
step(net, torch.rand(3, 2), prices)  # !2
"""
LABELS_BY_NAME = """
from torch import ones
def step(net, points, *, wanted):
    out = net(points)
    return criterion(out, target=wanted)  # !1
kinds = ones(3)
wrong = ones(4)  # <-
step(net, rows, wanted=wrong)  # !2
"""
A_STATE_CARRIED = """
state = None
for step in range(40):
    x, y = series(step)
    guess, state = net(x, state)  # <-
    loss = judge(guess, y)
    optimizer.zero_grad()
    loss.backward()  # !1
"""
A_STATE_KEPT_IN_AN_OBJECT = """
class Fit:
    def run(self):
        for x, y in self.batches:
            out, self.memory = self.net(x, memory=self.memory)  # <-
            x = x.flatten()
            loss = F.mse_loss(out, y)
            loss.backward()  # !1
Fit().run()  # !2
"""
A_TABLE_OF_POSITIONS = """
class Encoder(nn.Module):
    def __init__(self, words, size, longest=64):
        self.words = nn.Embedding(words, size)
        self.places = nn.Embedding(longest, size)  # <-
    def forward(self, ids):
        at = torch.arange(ids.size(1))
        return self.drop(self.words(ids) * self.scale + self.places(at))  # !1
class Decoder(nn.Module):
    def __init__(self, words, size, longest=64):
        self.places = nn.Embedding(longest, size)
encoder = Encoder(900, 16)
encoder(ids)  # !2
"""
WHAT_THE_MESSAGE_NAMES = """
class Net(nn.Module):
    def __init__(self):
        self.rnn = nn.GRU(8, 16, batch_first=True)
    def forward(self, x, hidden):
        x = self.table(x)
        out, hidden = self.rnn(x, hidden)  # !1
        return out, hidden
begin = net.begin(64)  # <-
for x, y in held_out:
    begin = begin.detach()
    out, begin = net(x, begin)  # !2
"""
LABELS_OF_A_ROW = """
def encode(row):
    return {"labels": [row[name] for name in names]}  # <-
rows = rows.map(encode)
trainer = Trainer(model=model, args=args, train_dataset=rows)
trainer.train()  # !1
"""
STATE = {"embedding.rows": 64, "embedding.largest_id": 80}


@pytest.mark.parametrize(
    ("text", "fault", "message"),
    [
        (A_LOADER_HANDED_ON, "length-mismatch", "stack expects each tensor to be equal size"),
        (A_LOADER_OF_AN_OBJECT, "length-mismatch", "stack expects each tensor to be equal size"),
        (A_LOADER_UNDER_A_KEY, "batch-of-one", "Expected more than 1 value per channel"),
        (LABELS_MADE_IN_A_LOOP, "label-dtype", "Found dtype Long but expected Float"),
        (LABELS_OF_A_FUNCTION, "target-out-of-bounds", "Target 4 is out of bounds."),
        (LABELS_OF_A_CALLER, "label-dtype", "Found dtype Long but expected Float"),
        (LABELS_BY_NAME, "label-dtype", "expected scalar type Long but found Float"),
        (A_STATE_CARRIED, "state-not-detached", "Trying to backward through the graph a second"),
        (A_STATE_KEPT_IN_AN_OBJECT, "state-not-detached", "Trying to backward through the graph"),
        (A_TABLE_OF_POSITIONS, "sequence-too-long", "index out of range in self"),
        (WHAT_THE_MESSAGE_NAMES, "batch-axis-swapped", "Expected hidden size (1, 9, 16), got [1]"),
        (LABELS_OF_A_ROW, "label-dtype", "result type Float can't be cast to Long"),
    ],
)
def test_the_line_to_mend_is_named_wherever_it_is(text: str, fault: str, message: str) -> None:
    numbered = list(enumerate(text.splitlines(), 1))
    marked = {int(m[1]): n for n, line in numbered if (m := re.search(r"# !(\d)", line))}
    (wanted,) = [n for n, line in numbered if line.endswith("# <-")]
    frames = tuple(marked[at] for at in sorted(marked))
    clue = Clue(frames, message, STATE)
    assert wanted in find(ScriptText.read("train.py", text), fault, clue).lines


@pytest.mark.parametrize(
    "text",
    [
        "x = f(x)  # !1",
        "def f(*given):\n    return loss(given, y)  # !1\nf(*rows)  # !2",
        "for x in x:\n    loss(x, x)  # !1",
        "def f(y):\n    return loss(y, y)  # !1\n    f(y)\nf(y=f)  # !2",
        "y, (a, b) = rows\nloss(out, b)  # !1",
    ],
)
def test_what_cannot_be_followed_ends(text: str) -> None:
    lines = [n for n, line in enumerate(text.splitlines(), 1) if "# !" in line]
    for fault in ("label-dtype", "length-mismatch", "state-not-detached"):
        clue = Clue(tuple(lines), "y")
        assert set(find(ScriptText.read("train.py", text), fault, clue).lines) <= {1, 2, 3, 4}
