"""Items whose parts come from several places, and loops that end with their first turn."""

import ast

import pytest

from course_probe.reading.item_places import items_apart
from course_probe.reading.left_early import left_early
from course_probe.reading.lowest_output import takes_lowest

DATA = """
class Data(Dataset):
    def __init__(self, rows, labels):
        self.rows, self.labels = rows, labels

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return {item}
"""


@pytest.mark.parametrize(
    ("item", "lines"),
    [
        ("self.rows[i], self.labels[i - 1]", [10]),
        ("self.rows[i], self.labels[random.randrange(len(self.labels))]", [10]),
        ("self.rows[0], self.labels[i]", [10]),
        ("self.rows[i], self.labels[i]", []),
        ("self.rows[i], self.ids[self.labels[i]]", []),
        ("(self.rows[i] - self.stats[0]) / self.stats[1], self.labels[i]", []),
        ("self.rows[i], self.rows[i + 1]", []),
        ("self.rows[i : i + 8], self.rows[i + 8]", []),
    ],
)
def test_parts_of_an_item_from_another_place(item: str, lines: list[int]) -> None:
    assert items_apart(ast.parse(DATA.replace("{item}", item))) == lines


LOOP = """
def score(loader):
    total = 0
    for batch in loader:
        {inside}
"""


@pytest.mark.parametrize(
    ("inside", "lines"),
    [
        ("total += right(batch)\n        return total", [6]),
        ("total += right(batch)\n    return total", []),
        ("return right(batch)", []),
        ("total += 1\n        if total > 3:\n            return total", []),
    ],
)
def test_a_loop_that_adds_up_and_is_left_at_once(inside: str, lines: list[int]) -> None:
    tree = ast.parse(LOOP.replace("{inside}", inside))
    assert left_early(tree, [4]) == lines
    assert left_early(tree, [9]) == []


@pytest.mark.parametrize(
    ("answers", "is_lowest"),
    [
        ("np.argsort(logits, axis=-1)[:, 0]", True),
        ("logits.argsort(-1)[:, 0]", True),
        ("np.argsort(-logits, axis=-1)[:, 0]", False),
        ("logits.argsort(-1, descending=True)[:, 0]", False),
        ("np.argsort(logits, axis=-1)[:, -1]", False),
        ("np.argmin(logits, axis=-1)", True),
    ],
)
def test_the_first_of_a_rising_order_is_the_lowest(answers: str, is_lowest: bool) -> None:
    text = f"def compute_metrics(pair):\n    logits, labels = pair\n    answers = {answers}\n"
    assert takes_lowest(ast.parse(text)) == is_lowest
