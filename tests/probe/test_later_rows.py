"""Inputs that hold what comes later, by the text of a script."""

import ast

import pytest

from course_probe.reading.copied_rows import copied_before_split
from course_probe.reading.later_rows import seen_ahead, windows_drawn

TARGET = "\nf['y'] = f['v'].shift(-1)"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"f['m'] = f['v'].rolling(5, center=True).mean(){TARGET}", [1]),
        (f"f['m'] = f['v'].bfill(){TARGET}", [1]),
        (f"f['m'] = f['v'].rolling(5).mean(){TARGET}", []),
        (f"f['m'] = f['v'].shift(1){TARGET}", []),
        ("f['m'] = f['v'].rolling(5, center=True).mean()", []),
        ("f['y'] = f['v'].rolling(5, center=True).mean().shift(-1)", []),
    ],
)
def test_inputs_from_later(text: str, lines: list[int]) -> None:
    assert seen_ahead(ast.parse(text)) == lines


GIVEN = """class W(Dataset):
    def __getitem__(self, i):
        {}
        return self.v[i : i + {}]
w = W(v)
"""
WINDOWS = "x = np.stack([v[i : i + 9] for i in range({})])\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"{WINDOWS.format(50)}train_test_split(x, y)", [2]),
        ("for i in range(50):\n    x.append(v[i : i + 9])\nrandom_split(x, [40, 10])", [3]),
        (f"{WINDOWS.format(50)}d = TensorDataset(x, y)\nrandom_split(d, [40, 10])", [3]),
        (f"def cut(v):\n    {WINDOWS.format(50)}    return x\nw = cut(u)\nrandom_split(w, h)", [5]),
        (f"def cut(u):\n    {WINDOWS.format(50)}    return x\nw = cut(u)\nrandom_split(w, h)", []),
        ("for i in range(50):\n    x.append(v[i - 9 : i])\nrandom_split(x, [40, 10])", [3]),
        ("for i in n(50):\n    p = v[i - 9 : i]\n    x.append(p)\nrandom_split(x, h)", []),
        ("for i in range(50):\n    p = v[i - 9 : i]\n    x.append(p)\nrandom_split(x, h)", [4]),
        ("for i in range(50):\n    x.append(v[i - 1 : i])\nrandom_split(x, [40, 10])", []),
        (f"{WINDOWS.format(50)}train_test_split(x, y, shuffle=False)", []),
        (f"{WINDOWS.format('0, 50, 9')}train_test_split(x, y)", []),
        (f"{WINDOWS.format(50)}a, b = x[:40], x[49:]", []),
        ("x = [v[i] for i in range(50)]\ntrain_test_split(x, y)", []),
        (f"{GIVEN.format('pass', '9')}random_split(w, [40, 10])", [6]),
        (f"{GIVEN.format('i = 9 * i', '9')}random_split(w, [40, 10])", []),
        (f"{GIVEN.format('pass', '1')}random_split(w, [40, 10])", []),
    ],
)
def test_windows_that_are_drawn(text: str, lines: list[int]) -> None:
    assert windows_drawn(ast.parse(text)) == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("x = x[np.random.choice(n, 9)]\ntrain_test_split(x, y)", [2]),
        ("more = resample(rare)\nf = pd.concat([f, more])\ntrain_test_split(f)", [3]),
        ("f = f.sample(99, replace=True)\ntrain_test_split(f)", [2]),
        ("x, y = SMOTE().fit_resample(x, y)\na, b = train_test_split(x, y)", [2]),
        ("a, b = train_test_split(x)\na = a[np.random.choice(9, 99)]", []),
        ("x = x[rng.choice(n, 9, replace=False)]\ntrain_test_split(x, y)", []),
        ("f = f.sample(frac=1)\ntrain_test_split(f)", []),
        ("t = [' '.join(rng.choice(words, 9)) for _ in r]\ntrain_test_split(t)", []),
    ],
)
def test_rows_that_are_copied_before_a_split(text: str, lines: list[int]) -> None:
    assert copied_before_split(ast.parse(text)) == lines
