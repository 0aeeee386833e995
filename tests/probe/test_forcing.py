"""Networks that are told the right values while they are evaluated, by the text of a script."""

import ast

import pytest

from course_probe.reading.forcing import forced_evaluations

NET = """class Net(nn.Module):
    def forward(self, x, y, teacher_forcing={}):
        return self.decode(x, y, {})
net = Net()
"""
ASKED = "with torch.no_grad():\n    said = {}\n{}"


@pytest.mark.parametrize(
    ("default", "call", "then", "lines"),
    [
        ("0.5", "net(x, y)", "", [6]),
        ("0.5", "net(x, y, 0.3)", "", [6]),
        ("1.0", "net(x, y)", "right = said.argmax(-1) == y", [6]),
        ("True", "net(x, y)", "right = said.argmax(-1) == y", [6]),
        # Told nothing, or asked for its loss as in the training.
        ("0.5", "net(x, y, 0)", "", []),
        ("0.5", "net(x, y, teacher_forcing=0.0)", "", []),
        ("0.0", "net(x, y)", "", []),
        ("1.0", "net(x, y)", "loss = cross_entropy(said, y)", []),
        ("0.5", "net(x, y, share)", "", []),
        ("0.5", "other(x, y)", "", []),
    ],
)
def test_who_is_told_in_an_evaluation(default: str, call: str, then: str, lines: list[int]) -> None:
    text = NET.format(default, "teacher_forcing") + ASKED.format(call, then)
    assert forced_evaluations(ast.parse(text)) == lines
    # In a training it may be told, and who asks for its own mode is not in an evaluation.
    assert forced_evaluations(ast.parse(f"{text}\nsaid.backward()")) == []
    own = NET.format(default, "teacher_forcing * self.training") + ASKED.format(call, then)
    assert forced_evaluations(ast.parse(own)) == []
