"""Iterators that are gone through before gradients are clipped, and answers that are chosen."""

import ast

import pytest

from course_probe.reading.chosen_answers import answers_chosen
from course_probe.reading.used_up import clips_nothing

STEP = "\nloss.backward()\nclip_grad_norm_(some, 1.0)\n"


@pytest.mark.parametrize(
    ("made", "is_told"),
    [
        ("some = net.parameters()\noptimizer = torch.optim.SGD(some, lr=0.1)", True),
        ("some = (p for p in net.parameters())\noptimizer = optim.Adam(some)", True),
        ("some = map(own, rows)\ncount = sum(some)", True),
        ("some = list(net.parameters())\noptimizer = torch.optim.SGD(some, lr=0.1)", False),
        ("some = net.parameters()\nprint(some)", False),
        (
            "some = net.parameters()\noptimizer = optim.SGD(some)\nsome = net.parameters()",
            False,
        ),
        ("def own(some):\n    pass\nsome = net.parameters()\noptimizer = optim.SGD(some)", False),
    ],
)
def test_what_an_optimizer_has_gone_through(made: str, *, is_told: bool) -> None:
    found = clips_nothing(ast.parse(made + STEP))
    assert [name for _line, name in found] == ["some"] * is_told


SCORED = "\ntrainer = Trainer(net, compute_metrics=score)\n"


@pytest.mark.parametrize(
    ("lines", "is_told"),
    [
        ("made, kinds = given\nright = made.argmax(-1) == kinds", True),
        ("right = given.predictions.argmax(axis=1) == given.label_ids", True),
        ("made = given.predictions\nright = np.argmax(made, -1)", True),
        ("made, kinds = given\nmade = np.hstack([1 - made, made])\nright = made.argmax(-1)", False),
        ("made, kinds = given\nright = made[:, 0] > 0 if one else made.argmax(-1)", False),
        ("made, kinds = given\nfirst = made.argmax(0)", False),
        ("made, kinds = given\nkind = kinds.argmax(-1)", False),
    ],
)
def test_what_is_taken_of_all_answers(lines: str, *, is_told: bool) -> None:
    body = "\n".join(f"    {line}" for line in lines.split("\n"))
    text = f"def score(given):\n{body}\n"
    assert bool(answers_chosen(ast.parse(text + SCORED))) is is_told
    # Nobody calls it with all answers.
    assert not answers_chosen(ast.parse(text))
