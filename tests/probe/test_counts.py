"""Sums that are divided by the number of something else."""

import ast

import pytest

from course_probe.reading.counts import divided_by_others

EPOCH = """
criterion = nn.CrossEntropyLoss()
loader = DataLoader(rows, batch_size={size})
for x, y in loader:
    {add}
print({told})
"""
MEAN = "total += criterion(net(x), y).item()"
RIGHT = "total += (net(x).argmax(1) == y).sum().item()"


@pytest.mark.parametrize(
    ("add", "told", "found"),
    [
        (MEAN, "total / len(loader.dataset)", [(6, True)]),
        (MEAN, "total / len(rows)", [(6, True)]),
        (MEAN, "total / len(loader)", []),
        (RIGHT, "100.0 * total / len(loader)", [(6, False)]),
        (RIGHT, "total / len(rows)", []),
        # What scales the quotient may make it right, and so may what is added.
        (RIGHT, "total / len(loader) / 32", []),
        (MEAN.replace(".item()", ".item() * len(x)"), "total / len(rows)", []),
        (MEAN + "; total += penalty", "total / len(rows)", []),
    ],
)
def test_what_is_divided_by_the_number_of_something_else(
    add: str, told: str, found: list[tuple[int, bool]]
) -> None:
    assert divided_by_others(ast.parse(EPOCH.format(size=32, add=add, told=told))) == found


def test_batches_of_one_are_as_many_as_the_rows() -> None:
    text = EPOCH.format(size=1, add=RIGHT, told="total / len(loader)")
    assert divided_by_others(ast.parse(text)) == []
