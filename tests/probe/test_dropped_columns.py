"""Columns that a script leaves out by name."""

import ast

import pytest

from course_probe.reading.dropped_columns import is_chosen


@pytest.mark.parametrize(
    ("text", "is_meant"),
    [
        ("rows = rows.remove_columns(['reply', 'id'])", True),
        ("rows = rows.remove_columns('reply')", True),
        ("frame = frame.drop(columns='reply')", True),
        ("rows = rows.map(encode, remove_columns=['reply'])", True),
        ("rows = rows.map(encode, remove_columns=['body', 'reply'])", False),
        ("rows = rows.select_columns(['body', 'label'])", True),
        ("rows = rows.select_columns(['body', 'reply'])", False),
        ("frame = frame[['body', 'label']]", True),
        ("frame = frame[['body', 'reply', 'label']]", False),
        ("ids = tok(rows['body'])", False),
    ],
)
def test_what_is_left_out_by_name(text: str, is_meant: bool) -> None:
    assert is_chosen(ast.parse(text), "reply", ["body"]) == is_meant
