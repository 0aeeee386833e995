"""Metrics of one thing twice, by the text of a script."""

import ast

import pytest

from course_probe.reading.same_twice import scored_against_itself


@pytest.mark.parametrize(
    ("call", "lines"),
    [
        ("f1_score(labels, labels, average='micro')", [1]),
        ("metrics.mean_squared_error(y[mask], y[mask])", [1]),
        ("metric.compute(predictions=preds, references=preds)", [1]),
        ("accuracy_score(y_pred=answers, y_true=answers)", [1]),
        ("f1_score(labels, preds)", []),
        ("metric.compute(predictions=preds, references=labels)", []),
        ("silhouette_score(rows, rows)", []),
        ("cross_val_score(rows, rows)", []),
        ("zip(labels, labels)", []),
    ],
)
def test_a_metric_of_one_thing_twice(call: str, lines: list[int]) -> None:
    assert scored_against_itself(ast.parse(call)) == lines
