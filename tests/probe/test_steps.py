"""Steps that hand nothing on, bytes and ranked classes, by a script's text."""

import ast

import pytest

from course_probe.reading.goes_on import answers_dropped, states_dropped
from course_probe.reading.narrow_numbers import out_of_range
from course_probe.reading.rankings import ranked_by_classes

BYTES = """images = (forms * 255).astype(np.uint8)
marks = (images > 9).astype(np.uint8)
"""


@pytest.mark.parametrize(
    ("line", "is_out"),
    [
        ("images + 40", True),
        ("np.clip(images + images, 0, 255)", True),
        ("np.diff(images, axis=0)", True),
        ("torch.from_numpy(images)[1:] - torch.from_numpy(images)[:-1]", True),
        ("images.astype(np.int16) + 40", False),
        ("255 - images", False),
        ("images - images.min()", False),
        ("images * marks", False),
        ("marks + marks", False),
        ("images // 2 + images // 2", False),
        ("np.where(images > 9, images - 9, images)", False),
        ("images / 255 - 0.5", False),
    ],
)
def test_bytes_that_leave_their_range(line: str, *, is_out: bool) -> None:
    assert out_of_range(ast.parse(f"{BYTES}made = {line}")) == [3] * is_out


@pytest.mark.parametrize(
    ("scores", "are_classes"),
    [
        ("np.where(chances > 0.5, 1, 0)", True),
        ("net(points).max(1)[1].numpy()", True),
        ("[int(each > 0.5) for each in chances]", True),
        ("chances[:, 1]", False),
        ("np.mean([each > 0.5 for each in votes], 0)", False),
        ("net(points).max(1)[0]", False),
    ],
)
def test_what_a_metric_ranks(scores: str, *, are_classes: bool) -> None:
    text = f"scores = {scores}\nroc_auc_score(kinds, scores)"
    assert ranked_by_classes(ast.parse(text)) == [2] * are_classes


NET = """class Characters(nn.Module):
    def __init__(self):
        self.memory = nn.GRU(8, 8)
    def forward(self, x, state=None):
        read, state = self.memory(x, state)
        return read, state
net = Characters()
for turn in range(9):
"""


@pytest.mark.parametrize(
    ("body", "is_dropped"),
    [
        ("    out, _ = net(one)\n    one = out.argmax(-1)", True),
        ("    out, _ = net(all[:, -1:])\n    all = torch.cat([all, out.argmax(-1)], 1)", True),
        ("    out, state = net(one, state)\n    one = out.argmax(-1)", False),
        ("    out, _ = net(all)\n    all = torch.cat([all, out[:, -1:].argmax(-1)], 1)", False),
        (
            "    few = all[:, -20:]\n    out, _ = net(few)\n"
            "    all = torch.cat([all, out[:, -1:].argmax(-1)], 1)",
            False,
        ),
        ("    out, _ = net(batches[turn])\n    found.append(out)", False),
    ],
)
def test_states_that_are_dropped(body: str, *, is_dropped: bool) -> None:
    assert bool(states_dropped(ast.parse(NET + body))) is is_dropped


CELL = "cell = nn.GRUCell(4, 4)\n"


def test_a_cell_that_says_a_code_again_and_again_reads_it_on_purpose() -> None:
    turn = "for ahead in range(9):\n    state = cell(code, state)\n    said.append(state)\n"
    assert not answers_dropped(ast.parse(CELL + turn))
    read = "for code in rows.split(1):\n    state = cell(code, state)\n"
    assert answers_dropped(ast.parse(CELL + read + turn)) == [5]


@pytest.mark.parametrize(
    ("begin", "chosen", "is_dropped"),
    [
        ("torch.tensor([[first]])", "nxt = out[-1].argmax(-1)", True),
        ("torch.tensor([[first]])", "word = out[-1].argmax(-1)", False),
        # What is always read is no token, or nothing is chosen.
        ("encode(picture)", "nxt = out[-1].argmax(-1)", False),
        ("torch.tensor([[first]])", "nxt = out[-1]", False),
    ],
)
def test_a_text_that_goes_on_by_its_first(begin: str, chosen: str, *, is_dropped: bool) -> None:
    turn = f"    out, state = net(word, state)\n    {chosen}\n    said.append({chosen[:4].strip()})"
    made = NET.partition("for turn")[0]
    text = f"{made}word = {begin}\nfor turn in range(9):\n{turn}"
    assert bool(answers_dropped(ast.parse(text))) is is_dropped
