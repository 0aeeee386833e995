"""Averages of weights, by the text of a script."""

import ast

import pytest

from course_probe.reading.averages import replaced_averages

MOVED = "for p, ema in zip(net.parameters(), kept.parameters()):\n    {}\n"


@pytest.mark.parametrize(
    ("text", "is_replaced"),
    [
        (MOVED.format("ema.lerp_(p, decay)"), True),
        (MOVED.format("ema.lerp_(p, 1 - decay)"), False),
        (MOVED.format("ema.lerp_(p, 0.99)"), True),
        (MOVED.format("ema.lerp_(p, 0.01)"), False),
        (f"tau = 0.005\n{MOVED.format('ema.mul_(tau).add_(p, alpha=1 - tau)')}", True),
        (f"tau = 0.005\n{MOVED.format('ema.mul_(1 - tau).add_(p, alpha=tau)')}", False),
        (f"tau = 0.995\n{MOVED.format('ema.mul_(tau).add_(p, alpha=1 - tau)')}", False),
        (MOVED.format("ema.data.copy_(0.01 * ema.data + 0.99 * p.data)"), True),
        (MOVED.format("ema.data.copy_(0.99 * ema.data + 0.01 * p.data)"), False),
        (MOVED.format("ema.data = beta * p.data + (1 - beta) * ema.data"), True),
        (
            "ap.add_argument('--tau', default=0.01)\n"
            + MOVED.format("ema.copy_(args.tau * ema + (1 - args.tau) * p)"),
            True,
        ),
        # All of it at once is a copy, and a picture is no average.
        (MOVED.format("ema.lerp_(p, 1.0)"), False),
        ("img = 0.1 * img + 0.95 * noise", False),
        ("average = 0.05 * average + 0.95 * loss.item()", False),
    ],
)
def test_averages_that_are_replaced(text: str, is_replaced: bool) -> None:
    assert bool(replaced_averages(ast.parse(text))) is is_replaced
