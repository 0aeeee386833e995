"""Lines whose result nothing uses, by the text of a script."""

import ast

import pytest

from course_probe.reading.unused import made_for_nothing, only_told


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def f(x):\n    x.clamp(0, 1)\n    return x", [(2, "clamp")]),
        ("def f(h):\n    F.normalize(h)\n    return h", [(2, "normalize")]),
        ("for frame in frames:\n    frame.dropna()\n    use(frame)", [(2, "dropna")]),
        ("for p in net.parameters():\n    p = 0.9 * p", [(2, "p")]),
        ("for x in images:\n    x = x / 255", [(2, "x")]),
        ("backup = {n: p.clone() for n, p in net.named_parameters()}", [(1, "backup")]),
        ("best = copy.deepcopy(net.state_dict())", [(1, "best")]),
        # In place, shown by a notebook, tried.
        ("def f(x):\n    x.clamp_(0, 1)\n    return x", []),
        ("def f(x):\n    x.dropna(inplace=True)\n    return x", []),
        ("frame.dropna()", []),
        ("try:\n    F.relu(one)\nexcept TypeError:\n    pass", []),
        # What a loop reads afterwards, and what it changes in place.
        ("for x in xs:\n    x = x / 255\n    use(x)", []),
        ("for x in xs:\n    x = x / 255\nuse(x)", []),
        ("for p in net.parameters():\n    p -= 0.1 * p.grad", []),
        ("for n in ns:\n    while n > 1:\n        n = n // 2", []),
        # A copy that comes back.
        ("best = net.state_dict()\nnet.load_state_dict(best)", []),
        ("first = copy.deepcopy(net.state_dict())", []),
    ],
)
def test_what_is_made_for_nothing(text: str, found: list[tuple[int, str]]) -> None:
    assert made_for_nothing(ast.parse(text)) == found


RATE = """
def rate(at):
    return first * 0.9**at
made = Adam(net.parameters(), lr=first)
for at in range(9):
    now = rate(at)
    print(f"step {{at}}, rate {{now}}")
    {then}
"""
SUM = """
def loss_of(one, other):
    total = one + other
    {then}
    return total
"""


@pytest.mark.parametrize(
    ("text", "then", "found"),
    [
        (RATE, "made.step()", [(6, "now")]),
        (RATE, "made.param_groups[0]['lr'] = now", []),
        (RATE, "move(net, now)", []),
        (RATE, "schedule = LambdaLR(made, rate)", []),
        (SUM, "told = total.item(); total = one", [(3, "total")]),
        (SUM, "told = total.item()", []),
        (SUM, "told = total.item(); total = total / 2", []),
        (SUM, "total.backward(); total = one", []),
        (SUM, "told = total.item(); total = one + other + more", []),
    ],
)
def test_what_is_only_told(text: str, then: str, found: list[tuple[int, str]]) -> None:
    assert only_told(ast.parse(text.format(then=then))) == found
