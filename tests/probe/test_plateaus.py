"""Schedules that are given a figure of which the other end is better, by a script's text."""

import ast

import pytest

from course_probe.reading.plateaus import upside_down

EVALUATE = """
def evaluate(net, loader):
    right, total, n = 0, 0.0, 0
    for x, y in loader:
        out = net(x)
        right += (out.argmax(1) == y).sum().item()
        total += criterion(out, y).item() * len(y)
        n += len(y)
    return {}
criterion = nn.CrossEntropyLoss().to(device)
"""
LOW, HIGH = "s = ReduceLROnPlateau(o{})\n", "s = lr_scheduler.ReduceLROnPlateau(o, {})\n"


@pytest.mark.parametrize(
    ("text", "is_low", "is_high"),
    [
        ("a = (p == y).float().mean().item()\ns.step(a)", True, False),
        ("s.step(accuracy_score(y, p))", True, False),
        ("s.step(1 - accuracy_score(y, p))", False, True),
        ("s.step(-F.cross_entropy(net(x), y))", True, False),
        ("s.step(F.cross_entropy(net(x), y))", False, True),
        (EVALUATE.format("total / n, right / n") + "l, a = evaluate(v)\ns.step(a)", True, False),
        (EVALUATE.format("total / n, right / n") + "l, a = evaluate(v)\ns.step(l)", False, True),
        (EVALUATE.format("right / n") + "s.step(100 * evaluate(v))", True, False),
        (EVALUATE.format("{'a': right / n}") + "m = evaluate(v)\ns.step(m['a'])", True, False),
        (
            "i = (p * y).sum()\ns.step(((2 * i + e) / (p.sum() + y.sum() + e)).mean())",
            True,
            False,
        ),
        ("s.step(1 - (p * y).sum() / (p.sum() + y.sum()))", False, True),
        ("s.step((p * y).sum() / (p.norm() * y.norm()))", False, False),
        ("def fit(a):\n    s.step(a)", False, False),
        (
            "class T:\n    def ask(self):\n        return f1_score(y, p)\ns.step(t.ask())",
            True,
            False,
        ),
        ("def fit(a):\n    s.step(a)\nfit(recall_score(y, p))", True, False),
        # What is not known, or no such schedule.
        ("s.step(measure(p))", False, False),
        ("s.step(accuracy_score(y, p) + measure(p))", False, False),
        ("t.step(accuracy_score(y, p))", False, False),
    ],
)
def test_figures_of_which_the_other_end_is_better(
    text: str, *, is_low: bool, is_high: bool
) -> None:
    for made in (LOW.format(""), LOW.format(", 'min'"), HIGH.format("mode='min'")):
        assert bool(upside_down(ast.parse(made + text))) is is_low
    assert bool(upside_down(ast.parse(HIGH.format("mode='max'") + text))) is is_high
    assert not upside_down(ast.parse(HIGH.format("mode=way") + text))


SETTINGS = """
CONFIG = {{"schedule": {{"mode": {mode}, "factor": 0.1}}}}
class Trainer:
    def __init__(self, schedule):
        self.schedule = schedule
    def fit(self):
        log = self.meter.result()
        self.schedule.step(log["val_accuracy"])
Trainer(ReduceLROnPlateau(optimizer, **CONFIG["schedule"])).fit()
"""


@pytest.mark.parametrize(("mode", "is_turned"), [("'min'", True), ("'max'", False), ("m", False)])
def test_settings_that_a_trainer_is_given(mode: str, *, is_turned: bool) -> None:
    assert bool(upside_down(ast.parse(SETTINGS.format(mode=mode)))) is is_turned
