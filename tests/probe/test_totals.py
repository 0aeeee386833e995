"""Sums that no epoch begins anew, terms of two scales, and thresholds, by the text of a script."""

import ast

import pytest

from course_probe.reading.answers import unfit_thresholds
from course_probe.reading.folds import going_on
from course_probe.reading.rows import turned_apart
from course_probe.reading.totals import (
    carried_totals,
    interval_totals,
    never_reset,
    softened_away,
    uneven_terms,
)

EPOCHS = """
{before}
for epoch in range(9):
    {each}
    for x, y in loader:
        {inside}
    print(epoch, {told})
"""


@pytest.mark.parametrize(
    ("before", "each", "inside", "told", "lines"),
    [
        ("t = 0", "pass", "t += loss(x, y)", "t / len(loader)", [6]),
        ("t = 0", "t = 0", "t += loss(x, y)", "t / len(loader)", []),
        ("t = n = 0", "pass", "t += right(x, y); n += len(y)", "t / n", [6]),
        ("t = 0", "n = 0", "t += right(x, y); n += len(y)", "t / n", [6]),
        # Of a training it may be meant so, and of a sum that is told as one.
        ("t = n = 0", "pass", "loss.backward(); t += loss; n += 1", "t / n", []),
        ("t = 0", "pass", "t += loss(x, y)", "t / (epoch + 1)", []),
        ("t = 0", "pass", "t += len(y)", "t", []),
        ("t = 0", "pass", "t += len(y)", "t / 1e6", []),
        ("t = 0", "pass", "t += 1", "t / len(loader)", []),
        ("t = zeros(1)", "t.zero_()", "t += loss(x, y)", "t / len(loader)", []),
    ],
)
def test_sums_that_go_on(before: str, each: str, inside: str, told: str, lines: list[int]) -> None:
    text = EPOCHS.format(before=before, each=each, inside=inside, told=told)
    assert carried_totals(ast.parse(text)) == lines


EVERY = """
t = 0
for epoch in range(3):
    {begin}
    for i, (x, y) in enumerate(loader):
        t += step(x, y)
        if i % {every} == {every} - 1:
            print(t / {every})
            {after}
"""


@pytest.mark.parametrize(
    ("begin", "every", "after", "lines"),
    [
        ("pass", "100", "pass", [6]),
        ("t = 0", "100", "pass", [6]),
        ("pass", "often", "pass", [6]),
        ("pass", "100", "t = 0", []),
        ("pass", "100", "t -= old", []),
        # That may be once an epoch.
        ("t = 0", "len(loader)", "pass", []),
    ],
)
def test_sums_of_which_a_mean_is_taken_every_so_often(
    begin: str, every: str, after: str, lines: list[int]
) -> None:
    text = EVERY.format(begin=begin, every=every, after=after)
    assert interval_totals(ast.parse(text)) == lines


METER = """
class Meter:
    def __init__(self):
        self.reset()

    def reset(self):
        self.n = 0

    def update(self, n):
        self.n += n
{lasting}
def run(loader):
    {begin}
    for x, y in loader:
        meter.update(right(x, y))

for epoch in range(9):
    run(data)
"""


@pytest.mark.parametrize(
    ("lasting", "begin", "lines"),
    [
        ("meter = Meter()", "pass", [15]),
        ("meter = Meter()", "meter.reset()", []),
        ("", "meter = Meter()", []),
    ],
)
def test_meters_that_are_never_reset(lasting: str, begin: str, lines: list[int]) -> None:
    assert never_reset(ast.parse(METER.format(lasting=lasting, begin=begin))) == lines


MEAN = """
class Right:
    right = n = 0

    def update(self, told, kinds):
        self.right += (told == kinds).sum()
        self.n += len(kinds)

    def mean(self):
        return self.right / self.n

{lasting}

def run(phase, data):
    {begin}
    for x, kinds in data:
        meter.update(net(x), kinds)
    return {told}

for epoch in range(9):
    run("train", data)
"""


@pytest.mark.parametrize(
    ("lasting", "begin", "told", "lines"),
    [
        ("meter = Right()", "pass", "meter.mean()", [17]),
        ('meters = {"train": Right()}', "meter = meters[phase]", "meter.mean()", [17]),
        ('meters = {"train": Right()}', "meter = Right()", "meter.mean()", []),
        ("meter = Right()", "meter.right = meter.n = 0", "meter.mean()", []),
        ("meter = Right()", "meter = Right()", "meter.mean()", []),
        # Nobody asks for it in an epoch.
        ("meter = Right()", "pass", "None", []),
    ],
)
def test_means_that_nothing_resets(lasting: str, begin: str, told: str, lines: list[int]) -> None:
    text = MEAN.format(lasting=lasting, begin=begin, told=told)
    assert never_reset(ast.parse(text)) == lines
    of_any = text.replace("(told == kinds)", "told").replace("right", "total")
    assert not never_reset(ast.parse(of_any))


WITHIN = """
for epoch in range(3):
    for x, y in train:
        loss.backward()
        if step % 50 == 0:
            {begin}
            for x, y in dev:
                right += (net(x).argmax(1) == y).sum()
            print(100.0 * right / len(dev))
"""


@pytest.mark.parametrize(("begin", "lines"), [("net.eval()", [8]), ("right = 0", [])])
def test_a_total_within_the_loop_of_the_training(begin: str, lines: list[int]) -> None:
    assert carried_totals(ast.parse(WITHIN.format(begin=begin))) == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a = F.mse_loss(x, y)\nb = -0.5 * torch.sum(z)\nloss = a + b", [3]),
        ("made = nn.BCELoss()\nloss = z.sum() + made(x, y)", [2]),
        ("loss = F.mse_loss(x, y, reduction='sum') + z.sum()", []),
        ("loss = F.mse_loss(x, y, reduction='mean') + z.sum()", [1]),
        ("loss = F.mse_loss(x, y) + z.sum(1).mean()", []),
        ("loss = F.mse_loss(x, y) + weight * z.sum() / len(z)", []),
    ],
)
def test_a_mean_beside_a_sum(text: str, lines: list[int]) -> None:
    assert uneven_terms(ast.parse(text)) == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("out = net(x)\nyes = out > 0.5", [3]),
        ("yes = (net(x).squeeze(1) >= LIMIT).float()", [2]),
        ("yes = torch.round(net(x))", [2]),
        ("p = torch.sigmoid(net(x))\nyes = p > 0", [3]),
        ("yes = net(x) > 0", []),
        ("p = net(x).sigmoid()\nyes = p > 0.5", []),
        ("out = net(x)\nout = torch.sigmoid(out)\nyes = out > 0.5", []),
        ("yes = score(x) > 0.5", []),
        # Classes above 0, what a logarithm is taken of, and what is changed in between.
        ("yes = torch.softmax(net(x), 1).argmax(1) > 0", []),
        ("p = net(x).sigmoid()\nh = p[p > 0].log()", []),
        ("p = net(x).sigmoid()\nassert (p >= 0).all()", []),
        ("out, p = net(x)\nyes = p > 0.5", []),
        ("def score(out, y):\n    return out > 0.5\nout = net(x)", []),
        ("print(round(loss(net(x), y), 4))", []),
    ],
)
def test_thresholds_of_another_scale(text: str, lines: list[int]) -> None:
    begin = "LIMIT = 0.5; make = nn.BCEWithLogitsLoss(); net.eval()\n"
    assert unfit_thresholds(ast.parse(begin + text)) == lines
    without = begin.replace("BCEWithLogitsLoss", "BCELoss") + text
    assert unfit_thresholds(ast.parse(without)) == lines * ("p > 0" in text)


@pytest.mark.parametrize("ends", ["", "break", "net.load_state_dict(first)"])
def test_folds_that_go_on(ends: str) -> None:
    text = f"for a, b in KFold(5).split(X):\n    train(net, X[a])\n    {ends}"
    assert going_on(ast.parse(text), []) == []
    train = "def train(net, x):\n    return net(x).sum().backward()\n"
    assert going_on(ast.parse(train + text), [2]) == [3] * (not ends)


CHANCE = """
class Turn:
    def __call__(self, x):
        return np.rot90(x, random.randrange(4))

def item(self, i):
    image, mask = self.items[i]
    {given}
    return image, mask
"""


@pytest.mark.parametrize(
    ("given", "lines"),
    [
        ("image, mask = self.transform(image), self.transform(mask)", [8]),
        ("image, mask = self.transform(image, mask)", []),
        ("image = self.transform(image)", []),
    ],
)
def test_chance_is_drawn_for_each_of_two(given: str, lines: list[int]) -> None:
    found = turned_apart(ast.parse(CHANCE.format(given=given)))
    assert [(each.line, each.both) for each in found] == [(line, False) for line in lines]
    seeded = CHANCE.format(given=f"torch.manual_seed(0)\n    {given}")
    assert turned_apart(ast.parse(seeded)) == []
    still = CHANCE.format(given=given).replace("random.randrange(4)", "1")
    assert turned_apart(ast.parse(still)) == []


def test_how_a_picture_is_turned_is_no_row() -> None:
    text = "def flip(img, p):\n    if rand() < p:\n        img = img.flip(-1)\n    return {}\n"
    assert turned_apart(ast.parse(text.format("img"))) == []
    assert [each.line for each in turned_apart(ast.parse(text.format("img, p")))] == [3]


@pytest.mark.parametrize(
    ("score", "more", "lines"),
    [
        ("out, y = told\n    return out > 0.5", "", [2]),
        ("return told.predictions > 0.5", "", [1]),
        ("out, y = told\n    out = sigmoid(out)\n    return out > 0.5", "", []),
        ("out, y = told\n    return out > 0", "", []),
        ("out, y = told\n    return out > 0.5", ", preprocess_logits_for_metrics=chances", []),
    ],
)
def test_thresholds_in_what_a_trainer_asks(score: str, more: str, lines: list[int]) -> None:
    task = 'BertConfig(problem_type="{}")\nTrainer(net, compute_metrics=score' + more + ")"
    text = f"def score(told):\n    {score}\n{task}"
    several, one = (text.format(f"{kind}_label_classification") for kind in ("multi", "single"))
    assert unfit_thresholds(ast.parse(several)) == [line + 1 for line in lines]
    assert unfit_thresholds(ast.parse(one)) == []


@pytest.mark.parametrize(
    ("scale", "lines"),
    [("/ (T ** 2)", [2]), ("/ (T * T)", [2]), ("* T ** 2", []), ("/ 2", [])],
)
def test_losses_of_softened_answers(scale: str, lines: list[int]) -> None:
    text = f"soft = F.softmax(taught / T, -1)\nloss = -(soft * own).sum() {scale}"
    assert softened_away(ast.parse(text)) == lines
