"""Steps that hand nothing on, bytes and ranked classes, by a script's text."""

import ast

import pytest

from course_probe.reading.goes_on import states_dropped
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


DECODER = """class Encoder(nn.Module):
    def forward(self, x):
        return self.words(x)
class Decoder(nn.Module):
    def __init__(self):
        self.memory = nn.GRU(8, 8)
    def forward(self, x, state):
        read, state = self.memory(x, state.unsqueeze(0))
        return self.head(read), state.squeeze(0)
class Both(nn.Module):
    def __init__(self, encoder, decoder):
        self.encoder, self.decoder = encoder, decoder
    def forward(self, x, wanted):
        state, one = self.encoder(x), wanted[0]
        for t in range(1, len(wanted)):
            out, {given} = self.decoder(one, state)
            outputs[t] = out
            one = wanted[t] if random.random() < 0.5 else out.argmax(1)
        return outputs
both = Both(Encoder(), Decoder())
"""


@pytest.mark.parametrize(("given", "is_dropped"), [("_", True), ("state", False)])
def test_states_that_a_network_of_two_drops(given: str, *, is_dropped: bool) -> None:
    assert bool(states_dropped(ast.parse(DECODER.format(given=given)))) is is_dropped
