"""Seeds by which random numbers come again, by the text of a script."""

import ast

import pytest

from course_probe.reading.seeds import set_each_time, workers_alike

BEGIN = (
    "def begin(worker_id):\n    {}\nloader = DataLoader(data, num_workers=2, worker_init_fn=begin)"
)
KEEPS = """
class Data:
    def __init__(self):
        self.rng = {}
    def __getitem__(self, i):
        return self.x[i] + self.rng.normal()
{}
"""


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (BEGIN.format("np.random.seed(0)"), [2]),
        (BEGIN.format("random.seed(SEED)"), [2]),
        (BEGIN.format("np.random.seed(worker_id)"), []),
        (BEGIN.format("np.random.seed(torch.initial_seed() % 2**32)"), []),
        (BEGIN.format("data.open()"), []),
        (KEEPS.format("np.random.default_rng(0)", ""), [4]),
        (KEEPS.format("np.random.default_rng(0)", "data.rng = np.random.default_rng()"), []),
        (KEEPS.format("None", ""), []),
        (KEEPS.format("np.random.default_rng(0)", "DataLoader(d, worker_init_fn=own)"), []),
    ],
)
def test_workers_that_draw_alike(text: str, lines: list[int]) -> None:
    assert workers_alike(ast.parse(text)) == lines


TRAINS = "    for x in loader:\n        loss(x).backward()"
TURN = (
    "def begin(seed):\n    np.random.seed(seed)\ndef turn():\n    {}\n    loss().backward()\n"
    "for epoch in range(9):\n    {}"
)
ITEM = "class Data:\n    def __getitem__(self, i):\n        {}\n        return self.x[i]"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"for epoch in range(9):\n    torch.manual_seed(0)\n{TRAINS}", [2]),
        ("for x in loader:\n    seed_everything(SEED)\n    loss(x).backward()", [2]),
        (f"for epoch in range(9):\n    torch.manual_seed(args.seed)\n{TRAINS}", [2]),
        (f"for args.seed in range(9):\n  for epoch in few:\n    set_seed(args.seed)\n{TRAINS}", []),
        (ITEM.format("rng = np.random.default_rng(0)"), [3]),
        (ITEM.format("torch.manual_seed(42)"), [3]),
        (ITEM.format("rng = np.random.default_rng(self.seed)"), [3]),
        (TURN.format("begin(args.seed)", "turn()"), [4]),
        (TURN.format("begin(args.seed)", "net = Net()"), []),
        (TURN.format("begin(args.seed + epoch)", "turn()"), []),
        (f"while epoch < 9:\n    torch.manual_seed(seed)\n{TRAINS}", [2]),
        (f"for epoch in few:\n    own = torch.Generator()\n{TRAINS}", [2]),
        (f"for epoch in few:\n    own = torch.Generator().manual_seed(epoch)\n{TRAINS}", []),
        (f"for epoch in few:\n    if epoch == 0:\n        set_seed(0)\n{TRAINS}", []),
        # By its row or epoch, once, for each of several runs, after the training, aside.
        (ITEM.format("torch.manual_seed(i)"), []),
        (f"for epoch in range(9):\n    torch.manual_seed(epoch)\n{TRAINS}", []),
        (f"torch.manual_seed(0)\nfor epoch in range(9):\n{TRAINS}", []),
        (f"for kind in kinds:\n    torch.manual_seed(0)\n    net = kind()\n{TRAINS}", []),
        (f"for epoch in range(9):\n{TRAINS}\n    torch.manual_seed(0)\n    sample()", []),
        (
            "for epoch in range(9):\n    with torch.random.fork_rng():\n"
            f"        torch.manual_seed(0)\n        sample()\n{TRAINS}",
            [],
        ),
    ],
)
def test_seeds_that_are_set_each_time(text: str, lines: list[int]) -> None:
    assert set_each_time(ast.parse(text)) == lines
