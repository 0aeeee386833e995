"""Items that differ at each visit, by the text of a script."""

import ast

import pytest

from course_probe.reading.items import augmented_halves, augmented_items

DATASET = """
class Data:
    def __getitem__(self, i):
        {body}

def jitter(row):
    return row + torch.randn(3)
"""


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("return jitter(self.x[i]), self.y[i]", [4]),
        ("x, y = self.rows[i]; x = x * torch.rand(1); return x, y", [4]),
        ("r = self.rows[i]; return {'v': jitter(r['v']), 'labels': r['l']}", [4]),
        ("return {'v': jitter(self.x[i]), 'labels': self.y[i]}", [4]),
        # The clean row is what is learned.
        ("return jitter(self.x[i]), self.x[i]", []),
        ("x = self.x[i]; return jitter(x), x", []),
        # Which part is read, and pairs that are drawn.
        ("j = random.randrange(9); return self.x[i][j : j + 5], self.y[i]", []),
        ("y = random.choice([0, 1]); return self.x[i] + y, y", []),
        ("return self.x[i] + 1, self.y[i]", []),
        ("return jitter(self.x[i])", []),
    ],
)
def test_augmented_items(body: str, lines: list[int]) -> None:
    assert augmented_items(ast.parse(DATASET.format(body=body))) == lines


PARTS = """
class Shift:
    def __call__(self, x):
        return torch.roll(x, random.randint(0, 3))

class Data:
    def __init__(self, transform=None):
        self.transform = transform
    def __getitem__(self, i):
        x = self.x[i]
        if self.transform is not None:
            x = self.transform(x)
        return x, self.y[i]

class Gather:
    def __call__(self, items):
        x = torch.stack([x for x, _ in items])
        y = torch.stack([y for _, y in items])
        {line}
        return {{"x": x, "y": y}}
gather, shift = Gather(), Compose([Shift()])
"""


@pytest.mark.parametrize(
    ("line", "made", "lines"),
    [
        ("", "a, b = random_split(Data(transform=shift), [9, 1])", [12]),
        ("", "a, b = random_split(Data(shift), [9, 1])", [12]),
        ("", "a, b = Data(shift), Data()", []),
        ("", "a, b = Data(shift), Data(None)", []),
        ("", "a = Data(shift if train else None)", []),
        ("x = x + torch.randn_like(x)", "DataLoader(a, collate_fn=gather)", [19]),
        ("x[torch.rand(9) < 0.5] = 0.0", "DataLoader(a, collate_fn=gather)", [19]),
        ("y[torch.rand(9) < 0.5] = -100", "DataLoader(a, collate_fn=gather)", []),
        ("y = x; x = x * torch.rand(9)", "DataLoader(a, collate_fn=gather)", []),
        ("x = x * torch.rand(9)", "DataLoader(a, collate_fn=gather); DataLoader(b)", []),
    ],
)
def test_what_all_parts_are_given(line: str, made: str, lines: list[int]) -> None:
    assert augmented_items(ast.parse(PARTS.format(line=line) + made)) == lines


def test_a_test_of_robustness_is_meant_to_draw() -> None:
    text = DATASET.format(body="return jitter(self.x[i]), self.y[i]")
    assert augmented_items(ast.parse(text.replace("Data", "RobustnessCheck"))) == []


FLAGGED = """class Pictures:
    def __init__(self, rows, augment=False):
        self.rows, self.n = rows, 3
        self.augment = augment
    def __getitem__(self, i):
        row, mask = self.rows[i]
        if self.augment and self.n:
            row = row + torch.randn(3)
        if self.augment:
            row, mask = row + torch.randn(3), mask
        return row, mask
"""


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("train, val = random_split(Pictures(rows, augment=True), [8, 2])", [9]),
        ("both = Pictures(rows, True)\ntrain, val = random_split(both, [8, 2])", [9]),
        # It is off, or set for a part; each part has its own; no part is held out.
        ("train, val = random_split(Pictures(rows), [8, 2])", []),
        ("t, val = random_split(Pictures(rows, True), [8, 2])\nval.dataset.augment = False", []),
        ("train, val = Pictures(a, True), Pictures(b)", []),
        ("one, other = random_split(Pictures(rows, True), [8, 2])", []),
    ],
)
def test_a_flag_that_both_halves_share(text: str, lines: list[int]) -> None:
    assert augmented_halves(ast.parse(FLAGGED + text)) == lines
