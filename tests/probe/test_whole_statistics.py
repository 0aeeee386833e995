"""Means and deviations of all rows, by the text of a script."""

import ast

import pytest

from course_probe.reading.whole_statistics import whole_statistics

WINDOWS = """def cut(x):
    w = []
    for i in range(len(x) - 5):
        w.append(x[i : i + 5])
    return w, x[5:]
"""


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
        ("Z = SelectKBest(k=9).fit_transform(X, k)\na, b = train_test_split(Z)", [1]),
        ("m, s = X.mean(0), X.std(0)\na, b, c = X[:50], X[50:80], X[80:]", [1]),
        ("m, s = X.mean(0), X.std(0)\na, b, c = X[i[:5]], X[i[5:8]], X[i[8:]]", [1]),
        # What is held out begins with a window before it; windows, or a dataset, of all rows.
        ("m, s = X.mean(0), X.std(0)\na, b = X[:n], X[n - 9 :]", [1]),
        (WINDOWS + "Z = MinMaxScaler().fit_transform(X)\nw, z = cut(Z)\na, b = w[:n], w[n:]", [6]),
        (WINDOWS + "Z = MinMaxScaler().fit_transform(X)\na, b = cut(Z[:n]), cut(z[n:])", []),
        ("w = []\nfor i in range(n):\n    w.append(X[i : i + 5])\nw = np.array(w)\n"
         "m, s = X.mean(0), X.std(0)\na, b = w[:k], w[k:]", [5]),
        ("m, s = X.mean(0), X.std(0)\nd = TensorDataset(X)\n"
         "a, b = Subset(d, range(n)), Subset(d, range(n, len(d)))", [1]),
        ("m, s = X.mean(0), X.std(0)\na = Subset(X, range(n))\nb = Subset(Y, range(n, m))", []),
        ("a = a[:5]\nb = b[5:]\nu, v = X[a], X[b]\nm, s = X.mean(0), X.std(0)", []),
        # A mean alone is told, and batches are no split.
        ("print(X.mean())\nm = X.mean()\na, b = X[:90], X[90:]", []),
        ("m, s = X.mean(0), X.std(0)\nfor i in order.split(9):\n    a, b = X[i], X[:90]", []),
        # The rows for training and for choosing are one part in the end.
        ("d, e = train_test_split(X)\na, b = train_test_split(d)\nMaxAbsScaler().fit(d)", []),
        ("m, s = labels.mean(), labels.std()\na, b = labels[:90], labels[90:]", []),
        ("a, b, c, d = train_test_split(X, z)\nm, s = z.mean(), z.std()", []),
        # What a function reads is not its own; rows that it draws are made up on their scale.
        ("def f():\n    x = read()\n    return (x - x.mean(0)) / x.std(0)\n"
         "X = f()\na, b = X[:9], X[9:]", [3]),
        ("def f():\n    x = randn(9)\n    return (x - x.mean(0)) / x.std(0)\n"
         "X = f()\na, b = X[:9], X[9:]", []),
    ],
)  # fmt: skip
def test_where_all_rows_are_measured(text: str, lines: list[int]) -> None:
    assert whole_statistics(ast.parse(text)) == lines
