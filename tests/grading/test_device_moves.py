"""Batches that are moved to a device, in whatever words."""

import pytest

from course.grading.engine.device_moves import FAULT, each_loop_moves
from course.lesson import lesson

PART = lesson.load("ch3-4").parts["pt"]
BUG = next(bug for bug in PART.bugs if bug.fault == FAULT)
LOOP = "for b in data:\n    {}\n    net(**b)\nnet.train()\nnet.to(device)\n"


def test_our_own_script_does_once_its_bug_is_out() -> None:
    assert not each_loop_moves(PART.text((BUG,)))
    assert each_loop_moves(PART.text(()))


@pytest.mark.parametrize(
    ("training", "evaluation", "moves"),
    [
        ("b = b.to(device)", "b = b.to(device)", True),
        ("b = {k: v.cuda() for k, v in b.items()}", "x, y = b[0].to(d), b[1].to(d)", True),
        ("b = accelerator.prepare(b)", "pass", True),
        ("pass", "x, y = b[0].to(d), b[1].to(d)", False),
        ("net.to(device)", "b = b.to(device)", False),
        ("net = load('x').to(device)", "b = b.to(device)", False),
        ("pass", "pass", False),
    ],
)
def test_it_takes_one_in_each_loop(training: str, evaluation: str, moves: bool) -> None:
    assert each_loop_moves(LOOP.format(training) + LOOP.format(evaluation)) is moves


@pytest.mark.parametrize("text", ["for b in", "\0", ""])
def test_what_is_no_python_moves_nothing(text: str) -> None:
    assert not each_loop_moves(text)
