"""Data that are held out in name only."""

import ast

import pytest
import torch

from course_probe.reading.unread_names import unread
from course_probe.vital_signs.evaluation.evaluations import Evaluations, Stretch


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a, b = split(X)\nfit(a)\nscore(a)", ["b"]),
        ("a, b = split(X)\nfit(a)\nscore(b)", []),
        ("a = b = load(X)\nfit(a, second=b)", []),
        # What is only made into something that nobody reads is not read either.
        ("a, b = split(X)\nb = scale(b)\nfit(a)", ["b"]),
        ("a, b = split(X)\nb = scale(b)\nfit(a)\nscore(b)", []),
        ("a, b = p, q\nc = L(b)\nfit(L(a))", ["b"]),
        ("a, b = p, q\nc = L(b)\nfit(L(a))\nscore(c)", []),
        # Whoever binds something alone may well have no more use for it.
        ("a = p\nb = q\nfit(a)", []),
        ("a, b = p, q\nc = d\nfit(c)", []),
        # Left out on purpose, or asked for by its name.
        ("a, _b = split(X)\nfit(a)", []),
        ("a, b = p, q\nfit(a, globals()['b'])", []),
        ("def f():\n    global a\n    a = 3", []),
    ],
)
def test_names_that_nobody_reads(text: str, names: list[str]) -> None:
    assert unread(ast.parse(text)) == names


def test_rows_that_are_as_those_of_the_training_and_new() -> None:
    data, evaluations = torch.randn(300, 4), Evaluations()
    rows = data[:200].view(torch.int32)
    evaluations.add_training(Stretch(True, True, 1, rows=[rows], kept=200))
    assert evaluations.are_new(data[200:].view(torch.int32))
    assert not evaluations.are_new(data[150:250].view(torch.int32))
    assert not evaluations.are_new(data[200:, :3].contiguous().view(torch.int32))
    assert not evaluations.are_new(data[290:].view(torch.int32))


def shared(trained: torch.Tensor, *evaluated: torch.Tensor) -> float:
    evaluations = Evaluations()
    for batches, graph in (([trained], True), (evaluated, False)):
        rows = [each.view(torch.int32) for each in batches]
        stretch = Stretch(graph, graph, len(rows), rows=rows, kept=sum(map(len, rows)))
        if graph:
            evaluations.add_training(stretch)
        else:
            evaluations.add(stretch, by_loader=False)
    return evaluations.figures(0)["evaluation_shared"]


def test_parts_of_the_data_that_overlap() -> None:
    data = torch.randn(300, 4)
    assert shared(data[:200], data[160:240]) == pytest.approx(0.5)
    assert shared(data[:200], data[200:]) == 0.0
    # All rows of one set, and new ones of another, are asked on purpose.
    assert shared(data[:200], data[:80], data[200:]) == 0.0
    # All of it is looked at; rows of few whole numbers come again by chance.
    assert shared(data[:200], data) == 0.0
    whole = data.round()
    assert shared(whole[:200], whole[160:240]) == 0.0
