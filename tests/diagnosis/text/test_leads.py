"""What a crash leads to beyond the line that raises it: the mistake lies elsewhere."""

import pytest

from course.diagnosis.text.leads import Clue
from course.diagnosis.text.lines import find
from course.diagnosis.text.script_text import ScriptText

OF_A_ROW = """def encode(row):
    return {"labels": [row[name] for name in names]}
rows = rows.map(encode)
trainer = Trainer(model=model, args=args, train_dataset=rows)
trainer.train()
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
        (OF_A_ROW, "label-dtype", Clue((5,), "result type Float can't be cast to Long"), 2),
        (NOTHING, "value-is-none", Clue((6, 9), "'NoneType' object has no attribute"), 3),
        (MASKED, "input-shape", Clue((5,), "The shape of the 2D attn_mask is [9, 9]"), 3),
    ],
)
def test_a_line_that_is_not_on_the_way_is_among_those_named(
    text: str, fault: str, clue: Clue, line: int
) -> None:
    assert line in find(ScriptText.read("train.py", text), fault, clue).lines
