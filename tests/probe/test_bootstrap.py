"""Targets of agents, by the text of a script."""

import ast

import pytest

from course_probe.reading.bootstrap import (
    never_followed,
    past_the_end,
    same_network,
    summed_past_the_end,
)

LOOP = """
memory.append((s, a, r, s2, done))
target.load_state_dict(net.state_dict())
for step in range(9):
    {}
    {}
"""
SYNC = "target.load_state_dict(net.state_dict())"
BARE = "y = r + gamma * target(s2).max(1).values"


@pytest.mark.parametrize(
    ("target", "is_past"),
    [
        (BARE, True),
        ("y = r + self.gamma * target(s2).max(1)[0]", True),
        ("y = r + gamma * target(s2).max(1).values * (1 - d)", False),
        ("y = r + (1 - done) * gamma * target(s2).max(1).values", False),
        ("v = target(s2).max(1).values; v[done] = 0; y = r + gamma * v", False),
        (
            "v = torch.zeros(9); v[non_final_mask] = target(s2).max(1).values; y = r + gamma * v",
            False,
        ),
        ("v = target(s2).max(1).values.masked_fill(batch['done'], 0); y = r + gamma * v", False),
        ("y = r + gamma * later", False),
    ],
)
def test_targets_past_the_end(target: str, is_past: bool) -> None:
    assert bool(past_the_end(ast.parse(LOOP.format(target, SYNC)))) is is_past


def test_an_end_that_is_not_kept_is_not_asked_for() -> None:
    text = LOOP.format(BARE, SYNC).replace(", done", "")
    assert past_the_end(ast.parse(text)) == []


@pytest.mark.parametrize("kept", ["mask", "float(not fell)", "not_over"])
def test_an_end_that_is_kept_by_another_name(kept: str) -> None:
    assert past_the_end(ast.parse(LOOP.format(BARE, SYNC).replace(", done", f", {kept}")))


@pytest.mark.parametrize(
    ("update", "is_stale"),
    [
        ("pass", True),
        (SYNC, False),
        ("soft_update(net, target)", False),
        ("for t, p in zip(target.parameters(), net.parameters()): t.data.copy_(p)", False),
        ("for t, p in zip(target.parameters(), net.parameters()): t.mul_(0.9).add_(p)", False),
        ("target = copy.deepcopy(net)", False),
        (
            "for a, b in ((net, target), (actor, other)):\n"
            "        for p, q in zip(a.parameters(), b.parameters()): q.data.copy_(p)",
            False,
        ),
        ("kept = target.state_dict(); kept['w'].mul_(0.9)", False),
    ],
)
def test_networks_that_nothing_follows(update: str, is_stale: bool) -> None:
    assert bool(never_followed(ast.parse(LOOP.format(BARE, update)))) is is_stale


def test_an_end_that_is_called_over() -> None:
    text = LOOP.format(BARE, SYNC).replace("done", "over")
    assert past_the_end(ast.parse(text))


@pytest.mark.parametrize(
    ("made", "is_same"),
    [
        ("target = net", True),
        ("net = target = DQN()", True),
        ("target = copy.deepcopy(net)", False),
        (
            "for a, b in ((net, target), (actor, other)):\n"
            "        for p, q in zip(a.parameters(), b.parameters()): q.data.copy_(p)",
            False,
        ),
        ("target = DQN()", False),
        ("target = net\ntarget = copy.deepcopy(net)", False),
    ],
)
def test_a_second_name_for_the_trained_network(made: str, *, is_same: bool) -> None:
    text = f"{made}\noptimizer = Adam(net.parameters())\n" + LOOP.format(BARE, SYNC)
    assert bool(same_network(ast.parse(text))) is is_same


BACK = """def returns(rewards, {given}):
    total, out = 0.0, []
    for {turn} in zip(reversed(rewards), reversed({given})):
        {line}
        out.append(total)
    return out
"""


@pytest.mark.parametrize(
    ("given", "turn", "line", "lines"),
    [
        ("dones", "r, d", "total = r + gamma * total", [4]),
        ("dones", "r, d", "total = r + gamma * total * (1 - d)", []),
        ("dones", "r, d", "total = 0.0 if d else total; total = r + gamma * total", []),
        ("values", "r, v", "total = r + gamma * total", []),
        ("dones", "r, d", "total = r + total", []),
    ],
)
def test_sums_of_rewards_past_the_end(given: str, turn: str, line: str, lines: list[int]) -> None:
    text = BACK.format(given=given, turn=turn, line=line)
    assert summed_past_the_end(ast.parse(text)) == lines
