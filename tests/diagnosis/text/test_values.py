"""The way back from a line to what its values are made of."""

import ast

import pytest

from course.diagnosis.text.script_text import ScriptText
from course.diagnosis.text.values import follow

SCRIPT = """import torch
class Rows(Dataset):
    def __init__(self, table, kind="x"):
        self.inputs = torch.from_numpy(table)
        self.kinds = torch.tensor([0, 1])
    def __getitem__(self, at):
        return {"x": self.inputs[at], "y": self.turned(self.kinds)}
    @staticmethod
    def turned(kinds):
        return kinds + 1
class Net(torch.nn.Module):
    def __init__(self):
        self.encoder = Encoder()
        self.head = torch.nn.Linear(8, 2)
    def forward(self, x):
        hidden = self.encoder(x)
        return self.head(hidden)
class Encoder(torch.nn.Module):
    def forward(self, x):
        x = x * 2
table = make()
net = Net()
for number, batch in enumerate(tqdm(DataLoader(Rows(table), shuffle=True))):
    out = net(batch["x"])
    loss = lost(out, batch["y"])
first = torch.rand(3)
second = torch.rand(4)
pairs = TensorDataset(first, second)
for one, two in DataLoader(pairs):
    total = two
for a, b in zip(first, second):
    total = a
def pad(rows):
    return torch.stack(rows)
for row in DataLoader(first, collate_fn=pad):
    total = row
def tokenize(row):
    return {"ids": [1], "labels": row["label"]}
data = load("x")
data = data.map(tokenize)
total = data["labels"]
mask = torch.zeros(3)
mask[1:2] = 255
total = mask
marks = {}
marks["low"] = 1
total = marks["low"]
total = (lambda z: z + 1)(first)
total += 2
print(total)
"""


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        (17, [16]),
        (41, [39]),
        (44, [42]),
    ],
)
def test_a_value_is_followed_to_where_it_is_made(line: int, lines: list[int]) -> None:
    script = ScriptText.read("train.py", SCRIPT)
    statement = script.statement_at(line)
    assert statement is not None
    found = list(dict.fromkeys(follow(script, statement, line)))
    assert set(lines) <= set(found[:4]), found


def test_a_script_that_goes_round_in_circles_comes_to_an_end() -> None:
    text = "def f(x):\n    return f(g(x))\ndef g(x):\n    return g(f(x))\nx = f(x)\nprint(x)\n"
    script = ScriptText.read("train.py", text)
    assert set(follow(script, script.tree.body[-1], 6)) <= {2, 4, 5}
    assert list(follow(script, ast.parse("1"), 1)) == []
