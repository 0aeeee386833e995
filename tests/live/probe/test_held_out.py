"""Data that are held out in name only."""

import ast
import sys
from types import SimpleNamespace

import pytest
import torch

from course_probe.reading.held_out_names import unread
from course_probe.reading.held_out_values import rows_trained
from course_probe.vital_signs.evaluation.evaluations import Evaluations, Stretch


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("X_train, X_test = split(X)\nfit(X_train)\nscore(X_train)", ["X_test"]),
        ("X_train, X_test = split(X)\nfit(X_train)\nscore(X_test)", []),
        ("self.train_set, self.val_set = split(X)\nfit(self.train_set)", ["val_set"]),
        ("train_loader = a\ntest_loader = b\nfit(train_loader, test_loader=test_loader)", []),
        ("xtrain, xtest = split(X)\nfit(xtrain)", ["xtest"]),
        ("X_train, X_te = split(X)\nfit(X_train)", ["X_te"]),
        ("x_train, x_test = split(x)\nx_test = scale(x_test)\nfit(x_train)", ["x_test"]),
        ("x_train, x_test = split(x)\nx_test = scale(x_test)\nfit(x_train)\nscore(x_test)", []),
        (
            "train_data = a\ntest_data = b\ntest_loader = L(test_data)\n"
            "fit(L(train_data))\nscore(test_loader)",
            [],
        ),
        (
            "train_mask = a\ntest_mask = ~train_mask\nacc_test = right[test_mask]\n"
            "acc_train = right[train_mask]\nprint(acc_train, acc_test)",
            [],
        ),
        # The labels alone are left out: the others are looked at.
        (
            "train_y = a\ntest_y = b\ntrain_x = c\ntest_x = d\nfit(train_x, train_y)\nask(test_x)",
            [],
        ),
        # No namesake, left out on purpose, or asked for by its name.
        ("test = 3\nfit(train)", []),
        ("X_train, _test = split(X)\nfit(X_train)", []),
        ("trainer = make()\nlatest = 4\nfit(trainer)", []),
        ("train_set = a\ntest_set = b\nfit(train_set, globals()['test_set'])", []),
    ],
)
def test_names_that_nobody_reads(text: str, names: list[str]) -> None:
    assert unread(ast.parse(text)) == names


@pytest.mark.parametrize("of_an_object", [True, False])
def test_rows_behind_a_mask_that_the_loss_is_given(
    of_an_object: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = torch.tensor([True, True, False, False, False])
    labels = torch.tensor([0, 1, 1, 0, 1])
    script = SimpleNamespace(train_mask=train, test_mask=~train)
    script = SimpleNamespace(graph=script) if of_an_object else script
    monkeypatch.setitem(sys.modules, "__main__", script)
    assert rows_trained(labels) == 1.0
    assert rows_trained(labels.where(train, torch.tensor(-100))) == 0.0
    assert rows_trained(labels[train]) is None


def shared(trained: torch.Tensor, evaluated: torch.Tensor) -> float:
    evaluations = Evaluations()
    for rows, graph in ((trained, True), (evaluated, False)):
        stretch = Stretch(graph, graph, passes=1, rows=[rows.view(torch.int32)], kept=len(rows))
        if graph:
            evaluations.add_training(stretch)
        else:
            evaluations.add(stretch, by_loader=False)
    return evaluations.figures(0)["evaluation_shared"]


def test_parts_of_the_data_that_overlap() -> None:
    data = torch.randn(300, 4)
    assert shared(data[:200], data[160:240]) == pytest.approx(0.5)
    assert shared(data[:200], data[200:]) == 0.0
    # All of it is looked at; rows of few whole numbers come again by chance.
    assert shared(data[:200], data) == 0.0
    whole = data.round()
    assert shared(whole[:200], whole[160:240]) == 0.0
