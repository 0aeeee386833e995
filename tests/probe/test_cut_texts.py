"""Lines on which a text is cut."""

import ast

import pytest

from course_probe.reading.cut_texts import cut_texts


@pytest.mark.parametrize(
    ("text", "cuts"),
    [
        ("rows = tok(texts, truncation=True, max_length=6)", [(1, 6)]),
        ("rows = tok(texts, truncation='longest_first', max_length=6)", [(1, 6)]),
        ("FEW = 6\nrows = tok(texts, truncation=True, max_length=FEW)", [(2, 6)]),
        ("rows = tok(texts, truncation=True, max_length=few, padding='max_length')", [(1, None)]),
        ("rows = tok(texts, truncation=True, max_length=few)", []),
        ("rows = tok(texts, padding='max_length', max_length=6)", []),
        ("rows = tok(texts, truncation=False, max_length=6)", []),
        ("rows = tok(texts, truncation=True, max_length=6, stride=2)", []),
        ("tok = Fast(model_max_length=6)\nrows = tok(texts, truncation=True)", [(1, 6)]),
        ("tok = Fast(model_max_length=6)\nrows = tok(texts)", []),
        ("ids = [vocab[word] for word in text.split()[:6]]", [(1, 6)]),
        ("words = text.split()\nids = encode(words[:6])", [(2, 6)]),
        ("ids = [vocab[word] for word in text.split()]", []),
        ("ids = [int(each) for each in line.split()[:6]]", []),
        ("ids = list(map(int, line.split()[:6]))", []),
        ("one, two = line.split()[:2]", []),
        ("first = line.split()[6:]", []),
        ("ids = tokens[:6]", []),
    ],
)
def test_where_a_text_is_cut(text: str, cuts: list[tuple[int, int | None]]) -> None:
    assert cut_texts(ast.parse(text)) == cuts
