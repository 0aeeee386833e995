"""Items that differ at each visit, by the text of a script."""

import ast

import pytest

from course_probe.reading.items import augmented_items, getters

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


def test_lines_of_how_a_row_is_read() -> None:
    assert getters(ast.parse(DATASET.format(body="return self.x[i]"))) == {"Data": 3}


def test_a_test_of_robustness_is_meant_to_draw() -> None:
    text = DATASET.format(body="return jitter(self.x[i]), self.y[i]")
    assert augmented_items(ast.parse(text.replace("Data", "RobustnessCheck"))) == []
