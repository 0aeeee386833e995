"""Parts of one dataset that are set otherwise, by the text of a script."""

import ast

import pytest

from course_probe.reading.halves import set_for_both

SPLIT = "a, b = random_split(data, [8, 2])\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("b.dataset.transform = plain", [2]),
        ("a.dataset.transform = noisy\nb.dataset.transform = plain", [2, 3]),
        ("b.dataset.augment = False", [2]),
        # A dataset of its own, the same for both, back and forth.
        ("b.dataset = copy.copy(data)\nb.dataset.transform = plain", []),
        ("a.dataset.transform = t\nb.dataset.transform = t", []),
        ("for e in r:\n    a.dataset.train = True\n    b.dataset.train = False", []),
        ("b.dataset.name = 'held out'", []),
        ("c.dataset.transform = plain", []),
    ],
)
def test_what_is_set_for_both(text: str, lines: list[int]) -> None:
    assert [line for line, _name in set_for_both(ast.parse(SPLIT + text))] == lines


def test_subsets_of_two_datasets_are_apart() -> None:
    text = "a = Subset({}, x)\nb = Subset(data, y)\nb.dataset.transform = plain"
    assert set_for_both(ast.parse(text.format("data"))) == [(3, "b.dataset.transform")]
    assert set_for_both(ast.parse(text.format("other"))) == []
