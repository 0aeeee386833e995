"""Lines whose result nothing uses, by the text of a script."""

import ast

import pytest

from course_probe.reading.unused import made_for_nothing, unread_states

LAYER = """class Net(nn.Module):
    def __init__(self):
        self.embed = nn.Embedding(9, 9)
    def forward(self, x, y):
        {}
        return {}
"""
STATES = "h, c = torch.zeros(9), torch.zeros(9)\nfor x in xs:\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def f(x):\n    x.clamp(0, 1)\n    return x", [(2, "clamp")]),
        ("def f(h):\n    F.normalize(h)\n    return h", [(2, "normalize")]),
        ("for frame in frames:\n    frame.dropna()\n    use(frame)", [(2, "dropna")]),
        ("frame.drop(frame[frame.a > 9].index)\nuse(frame)", [(1, "drop")]),
        ("# %%\nframe.drop('a', axis=1)\n# %%\nuse(frame)", []),
        ("for p in net.parameters():\n    p = 0.9 * p", [(2, "p")]),
        ("for x in images:\n    x = x / 255", [(2, "x")]),
        ("backup = {n: p.clone() for n, p in net.named_parameters()}", [(1, "backup")]),
        ("best = copy.deepcopy(net.state_dict())", [(1, "best")]),
        # A layer of its own that is asked for nothing.
        (LAYER.format("h = self.embed(y)", "x"), [(5, "h")]),
        (LAYER.format("h = self.embed(y)", "x + h"), []),
        (LAYER.format("n = len(y)", "x"), []),
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
        # A state that no turn reads; one that is no state, and one that is read.
        (STATES + "    h, c = cell(x, (h, d))", [(3, "c")]),
        (STATES + "    y, (h, c) = cell(x, h, d)", [(3, "c")]),
        (STATES + "    h, d = cell(x, (h, c))", []),
        (STATES + "    h, c = cell(x, (h, c))", []),
        (STATES + "    y = cell(*(w for w in x))", []),
        # A copy that comes back.
        ("best = net.state_dict()\nnet.load_state_dict(best)", []),
        ("first = copy.deepcopy(net.state_dict())", []),
    ],
)
def test_what_is_made_for_nothing(text: str, found: list[tuple[int, str]]) -> None:
    tree = ast.parse(text)
    assert made_for_nothing(tree, text) + unread_states(tree) == found
