"""Held-out rows of another draw, and tests that ask for the places of the training."""

import ast

import pytest

from course_probe.reading.parts_again import drawn_again, trained_places_asked

BOTH = "use(train_rows, test_rows)\n"
FIRST = "train_rows, _ = random_split(rows, [80, 20])\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"{FIRST}_, test_rows = random_split(rows, [80, 20])", [2]),
        (f"{FIRST}_, test_rows = random_split(other_view, [80, 20])", [2]),
        # One draw, two parts of the same draw, another split of what is left.
        ("train_rows, test_rows = random_split(rows, [80, 20])", []),
        (f"{FIRST}test_rows, _ = random_split(rows, [80, 20])", []),
        (f"{FIRST}_, test_rows = random_split(rows, [10, 10])", []),
        # After a seed, or by one.
        (f"torch.manual_seed(1)\n{FIRST}_, test_rows = random_split(rows, [80, 20])", []),
        (
            f"{FIRST}_, test_rows = random_split(rows, [80, 20])".replace(
                "20])", "20], generator=g)"
            ),
            [],
        ),
    ],
)
def test_held_out_rows_of_another_draw(text: str, lines: list[int]) -> None:
    assert drawn_again(ast.parse(f"{text}\n{BOTH}")) == lines


GRAPH = """idx_train, idx_test = load()
def train():
    out = net(x)
    loss = nll_loss(out[idx_train], y[idx_train])
    loss.backward()
def {name}():
    out = net(x)
    return accuracy(out[{place}], y[{place}])
"""


@pytest.mark.parametrize(
    ("name", "place", "lines"),
    [
        ("test", "idx_train", [8]),
        ("test", "idx_test", []),
        # What is told of the training.
        ("fitted", "idx_train", []),
    ],
)
def test_a_test_of_the_training_places(name: str, place: str, lines: list[int]) -> None:
    assert trained_places_asked(ast.parse(GRAPH.format(name=name, place=place))) == lines


def test_who_asks_for_the_held_out_places_elsewhere_has_a_test() -> None:
    text = GRAPH.format(name="test", place="idx_train")
    assert trained_places_asked(ast.parse(f"{text}print(accuracy(net(x)[idx_test], y))")) == []
