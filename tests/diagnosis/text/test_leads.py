"""What a crash leads to beyond the line that raises it: the mistake lies elsewhere."""

import pytest

from course.diagnosis.text.leads import Clue
from course.diagnosis.text.lines import find
from course.diagnosis.text.script_text import ScriptText

STATEFUL = """class Net(nn.Module):
    def forward(self, x):
        y, self.state = self.rnn(x, self.state)
        return self.head(y)

for x, y in loader:
    loss = criterion(net(x), y)
    loss.backward()
"""
SENT = """def augment():
    steps = [flip]
    steps.append(lambda x: x + 1)
    return steps

data = Pictures(augment())
loader = DataLoader(data, num_workers=2)
for x in loader:
    pass
"""
SIZED = """class Encoder(nn.Module):
    def __init__(self, size, width):
        self.table = nn.Embedding(size, width)

    def forward(self, x):
        return self.table(x)

words = read("words.txt")
encoder = Encoder(len(words), 32)
encoder(ids)
"""
PLANNED = """def plan(optimizer, rows, epochs):
    updates = rows // 32 * epochs
    return OneCycleLR(optimizer, max_lr=0.1, total_steps=updates)

schedule = plan(optimizer, 640, 3)
schedule.step()
"""
NOTHING = """def fit(model):
    best = copy(model)
    model.load_state_dict(best)

def show(model):
    return model.training

net = fit(net)
show(net)
"""
MASKED = """def forward(self, x):
    if self.mask is None:
        self.mask = causal(len(x))
    x = self.positions(x)
    return self.encoder(x, mask=self.mask)
"""


@pytest.mark.parametrize(
    ("text", "fault", "clue", "line"),
    [
        (STATEFUL, "backward-twice", Clue((8,), "Trying to backward"), 3),
        (
            SENT,
            "workers-need-main-guard",
            Clue((8,), "Can't pickle local object 'augment.<locals>.<lambda>'"),
            3,
        ),
        (
            SIZED,
            "token-id-out-of-range",
            Clue((6, 10), "index out of range in self", {"embedding.rows": 50}),
            9,
        ),
        (PLANNED, "schedule-too-short", Clue((6,), "Tried to step 61 times"), 2),
        (NOTHING, "value-is-none", Clue((6, 9), "'NoneType' object has no attribute"), 3),
        (MASKED, "input-shape", Clue((5,), "The shape of the 2D attn_mask is [9, 9]"), 3),
    ],
)
def test_a_line_that_is_not_on_the_way_is_among_those_named(
    text: str, fault: str, clue: Clue, line: int
) -> None:
    assert line in find(ScriptText.read("train.py", text), fault, clue).lines
