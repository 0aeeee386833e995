"""Sums that are divided by the number of something else."""

import ast

import pytest

from course_probe.reading.counts import divided_by_others, divided_by_places

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


@pytest.mark.parametrize(
    ("given", "found"),
    [("-torch.mean(x - y)", [(7, True)]), ("(x - y).mean()", [(7, True)]), ("x.mean(0)", [])],
)
def test_a_loss_of_its_own_may_be_a_mean(given: str, found: list[tuple[int, bool]]) -> None:
    head = f"class OwnLoss(Module):\n    def forward(self, x, y):\n        return {given}\n"
    loop = "cost = OwnLoss()\nfor x, y in batches:\n    total += cost(x, y).item()\n"
    assert divided_by_others(ast.parse(f"{head}{loop}told = total / len(loader.dataset)")) == found


def test_tensors_of_a_dataset_have_as_many_rows() -> None:
    text = EPOCH.format(size=9, add=MEAN, told="total / len(x_train)")
    made = text.replace("DataLoader(rows", "DataLoader(TensorDataset(x_train, y_train)")
    assert divided_by_others(ast.parse(text)) == []
    assert divided_by_others(ast.parse(made)) == [(6, True)]


@pytest.mark.parametrize("data", ["loader.dataset", "rows"])
def test_rows_one_by_one_are_as_many_as_the_losses(data: str) -> None:
    loop = f"for x, y in {data}:\n    total += F.mse_loss(net(x), y).item()\n"
    made = "loader = DataLoader(rows, 9)\n"
    assert divided_by_others(ast.parse(f"{made}{loop}told = total / len({data})")) == []


def test_batches_of_one_are_as_many_as_the_rows() -> None:
    text = EPOCH.format(size=1, add=RIGHT, told="total / len(loader)")
    assert divided_by_others(ast.parse(text)) == []


PLACES = """for x, y in loader:
    total += F.cross_entropy(net(x), y, {}).item()
    count += {}
print(total / count)
"""
SUMMED = 'ignore_index=0, reduction="sum"'


@pytest.mark.parametrize(
    ("given", "count", "lines"),
    [
        (SUMMED, "y.numel()", [4]),
        (SUMMED, "(y != 0).sum().item()", []),
        ('reduction="sum"', "y.numel()", []),
        ("ignore_index=0", "y.numel()", []),
    ],
)
def test_places_that_a_loss_leaves_out_are_counted(
    given: str, count: str, lines: list[int]
) -> None:
    assert divided_by_places(ast.parse(PLACES.format(given, count))) == lines
