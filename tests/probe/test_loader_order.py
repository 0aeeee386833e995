"""Rows in the order of a shuffled loader beside stored ones, by the text of a script."""

import ast

import pytest

from course_probe.reading.loader_order import gathered, positional

LOADER = "loader = DataLoader(data, batch_size=8, shuffle={})\n"
LOOP = "for i, (x, y) in enumerate(loader):\n    "
GATHER = "found = []\nfor x, y in loader:\n    found.append(net(x))\nfound = torch.cat(found)\n"


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        (f"{LOOP}t = soft[i * 8 : (i + 1) * 8]", True),
        (f"{LOOP}begin = i * 8\n    t = soft[begin : begin + 8]", True),
        # A figure of each batch, parts of the batch, what is written.
        (f"{LOOP}rate = rates[i]", False),
        (f"{LOOP}t = x[i * 8 : (i + 1) * 8]", False),
        (f"{LOOP}out[i * 8 : (i + 1) * 8] = net(x)", False),
    ],
)
def test_rows_by_the_number_of_a_batch(text: str, is_found: bool) -> None:
    assert bool(positional(ast.parse(LOADER.format(True) + text))) is is_found
    assert not positional(ast.parse(LOADER.format(False) + text))


BOTH = """class Runner:
    def predict(self, rows):
        made, truth = [], []
        for x, y in rows:
            made.append(self.net(x))
            truth.append(y)
        made = torch.cat(made)
        return made.numpy(), torch.cat(truth).numpy()
runner = Runner()
"""


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        (f"{GATHER}print((found == data.labels).float().mean())", True),
        (f"{GATHER}accuracy_score(y_test, found)", True),
        (f"{GATHER}both = TensorDataset(inputs, found)", True),
        (
            "def predict(rows):\n    made = []\n    for x, y in rows:\n"
            "        made.append(net(x))\n    return torch.cat(made)\n"
            "found = predict(loader)\naccuracy_score(y_test, found)",
            True,
        ),
        # With the labels that it has met; they are in the same order.
        (f"{BOTH}found, _ = runner.predict(loader)\nprint(((found > 0.5) == y_test).mean())", True),
        (f"{BOTH}found, truth = runner.predict(loader)\naccuracy_score(truth, found)", False),
        # Labels that are gathered beside, and a number.
        (
            GATHER.replace("    found.append", "    truth.append(y)\n    found.append")
            + "truth = torch.cat(truth)\naccuracy_score(truth, found)",
            False,
        ),
        (f"{GATHER}print((found == 1).sum())", False),
    ],
)
def test_what_a_loop_gathers(text: str, is_found: bool) -> None:
    assert bool(gathered(ast.parse(LOADER.format(True) + text))) is is_found
    assert not gathered(ast.parse(LOADER.format(False) + text))
