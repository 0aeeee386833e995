"""Means and deviations of all rows, by the text of a script."""

import ast

import pytest

from course_probe.reading.whole_statistics import chosen_columns, whole_statistics


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("m, s = X.mean(0), X.std(0)\na, b = X[:90], X[90:]", [1]),
        ("m, s = X[:90].mean(0), X[:90].std(0)\na, b = X[:90], X[90:]", []),
        ("Z = (X - X.mean(0)) / X.std(0)\na, b = Z[:90], Z[90:]", [1]),
        ("low = np.min(X, 0)\nhigh = np.max(X, 0)\na, b = X[mask], X[~mask]", [1]),
        ("a, b = np.where(k == 1)[0], np.where(k != 1)[0]\nu, v = X[a], X[b]\n"
         "m, s = X.mean(0), X.std(0)", [3]),
        ("names = [c for c in t.columns]\na, b = t.iloc[:9], t.iloc[9:]\n"
         "m, s = t[names].mean(), t[names].std()", [3]),
        ("Z = StandardScaler().fit_transform(X)\na, b = train_test_split(Z)", [1]),
        ("sc = MinMaxScaler()\nsc.fit(X)\na, b = train_test_split(X)", [2]),
        ("a, b = train_test_split(X)\nsc = MinMaxScaler()\nsc.fit(a)", []),
        # A mean alone is told, and batches are no split.
        ("print(X.mean())\nm = X.mean()\na, b = X[:90], X[90:]", []),
        ("m, s = X.mean(0), X.std(0)\nfor i in order.split(9):\n    a, b = X[i], X[:90]", []),
        # The rows for training and for choosing are one part in the end.
        ("d, e = train_test_split(X)\na, b = train_test_split(d)\nMaxAbsScaler().fit(d)", []),
        ("m, s = labels.mean(), labels.std()\na, b = labels[:90], labels[90:]", []),
        ("a, b, c, d = train_test_split(X, z)\nm, s = z.mean(), z.std()", []),
    ],
)  # fmt: skip
def test_where_all_rows_are_measured(text: str, lines: list[int]) -> None:
    assert whole_statistics(ast.parse(text)) == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("best = rank(X, k)\nZ = X[:, best]\nu, v = Z[a], Z[b]\nw = k[a]", [2]),
        ("best = rank(X[a], k[a])\nZ = X[:, best]\nu, v = Z[a], Z[b]\nw = k[a]", []),
        # Without labels, or without a part that is held out, nothing is told.
        ("best = rank(X, 9)\nZ = X[:, best]\nu, v = Z[a], Z[b]\nw = k[a]", []),
        ("best = rank(X, k)\nZ = X[:, best]\nu, v = Z[i], Z[j]\nw = k[i]", []),
    ],
)
def test_columns_that_are_chosen_by_all_labels(text: str, lines: list[int]) -> None:
    assert chosen_columns(ast.parse(f"a, b = order[:80], order[80:]\n{text}")) == lines
