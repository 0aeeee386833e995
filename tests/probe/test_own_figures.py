"""Rows scaled by figures of their own, and states of other rows, by the text of a script."""

import ast

import pytest

from course_probe.reading.carried_state import carried_states
from course_probe.reading.own_figures import numbered_anew, scaled_by_own

FUNCTION = "def scaled(x):\n    return (x - x.mean(0)) / x.std({})\n"
SCALERS = "s, u = StandardScaler(), MinMaxScaler()\n"
PARTS = "{'train': a, 'test': b}"
CLASS = """class Rows:
    def __init__(self, x, y):
        self.x = (x - x.mean(0)) / x.std(0)
"""
USED = """class Advisor:
    def fit(self, rows):
        x = self.scaler.fit_transform(rows)
        loss = self.net(x).sum()
        loss.backward()
    def advise(self, rows):
        with torch.no_grad():
            return self.net(self.scaler.{}(rows))
"""
HAND = "train = (train - train.mean(axis=0)) / train.std(axis=0)\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a = s.fit_transform(x_train)\nb = s.fit_transform(x_test)", [2]),
        (f"{FUNCTION.format(0)}a, b = scaled(train), scaled(test)", [3]),
        (f"{HAND}test = (test - test.mean(axis=0)) / test.std(axis=0)", [2]),
        # Several scalers, a class, figures computed before, and all parts in a loop.
        (f"{SCALERS}a = s.fit_transform(x_train)\nb = u.fit_transform(x_test)", [3]),
        (f"{CLASS}a, b = Rows(train, 1), Rows(test, 2)", [4]),
        (f"{HAND}m, s = test.mean(0), np.std(test, 0)\ntest = (test - m) / s", [3]),
        (f"p = {PARTS}\nfor k, (x, y) in p.items():\n    x = f(x, x.mean(0), x.std(0))", [3]),
        (f"d = {{k: (x - x.mean(0)) / x.std(0) for k, x in {PARTS}.items()}}", []),
        (f"p = {PARTS}\nd = {{k: (x - x.mean(0)) / x.std(0) for k, x in p.items()}}", [2]),
        (f"{FUNCTION.format(0)}a, b = [scaled(x) for x in (train, test)]", [3]),
        (
            "m = StandardScaler().fit(train)\na = m.transform(train)\nm = MinMaxScaler().fit(test)",
            [3],
        ),
        ("m = StandardScaler().fit(train)\na, b = m.transform(train), m.transform(test)", []),
        # One scaler of the training that is fitted once more.
        ("a = s.fit_transform(train_df)\nv = s.transform(val)\nb = s.fit_transform(august)", [3]),
        ("a = s.fit_transform(train_df)\nv = s.transform(val)\nb = s.fit_transform(all_rows)", []),
        ("a = s.fit_transform(train_df)\nb = s.fit_transform(august)", []),
        (USED.format("fit_transform"), [8]),
        (USED.format("transform"), []),
        # Figures that are only printed or kept; batches.
        (f"p = {PARTS}\nd = {{k: (x.mean(0), x.std(0)) for k, x in p.items()}}", []),
        ("def of(x):\n    return x.mean(0), x.std(0)\na, b = of(train), of(test)", []),
        ("a = (train - m) / s\nfor x in test:\n    x = (x - x.mean(0)) / x.std(0)", []),
        ("a = s.fit_transform(x_train)\nb = s.transform(x_test)", []),
        # A correlation of two tables.
        (f"{HAND}r = ((p - p.mean(0)) * (test - test.mean(0))).mean(0) / test.std(0)", []),
        # Inputs and targets, one set of rows alone, a picture by itself.
        ("a = s.fit_transform(x_train)\nb = s.fit_transform(y_train)", []),
        ("b = s.fit_transform(x_test)", []),
        ("s = LabelEncoder()\na = s.fit_transform(x_train)\nb = s.fit_transform(x_test)", []),
        (f"{FUNCTION.format('')}a, b = scaled(train), scaled(test)", []),
        (f"{HAND}test = (test - mean) / std", []),
    ],
)
def test_held_out_rows_that_are_scaled_by_their_own(text: str, lines: list[int]) -> None:
    assert scaled_by_own(ast.parse(text)) == lines


TABLE = """def table(texts):
    found = {}
    for word in texts:
        found[word] = len(found)
    return found
"""
GIVEN = """class Texts:
    def __init__(self, texts, words=None):
        if words is None:
            words = {word: number for number, word in enumerate(texts)}
"""
OR_ELSE = """class Texts:
    def __init__(self, texts, words=None):
        self.words = words or {word: number for number, word in enumerate(texts)}
"""
ORDER = """ids = {{name: n for n, name in enumerate({})}}
train = encode(ids)
ids = {{name: n for n, name in enumerate({})}}
"""
KEPT = """def train(rows):
    ids = table(rows)
    net(encode(rows, ids)).sum().backward()
    return ids
def score(rows, kept):
    net.eval()
    return net(encode(rows, {}))
"""
BY_ANOTHER = f"""{TABLE}
class Texts:
    def __init__(self, texts, words=None):
        self.words = words if words is not None else table(texts)
"""
LETTERS = """class Texts:
    def __init__(self, texts, letters):
        self.texts, self.letters = texts, letters
        self.numbers = {letter: number for number, letter in enumerate(self.letters)}
"""


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("s = LabelEncoder()\na = s.fit_transform(x_train)\nb = s.fit_transform(x_test)", [3]),
        ("a = train.c.astype('category').cat.codes\nb = test.c.astype('category').cat.codes", [2]),
        (f"{TABLE}a, b = f(table(train)), f(table(test))", [6]),
        # One table for both; labels, which an encoder numbers alike; what is only counted.
        (f"{TABLE}a = table(train)\nb = g(test, a)", []),
        (f"{GIVEN}a = Texts(train)\nb = Texts(test, a.words)", []),
        (f"{OR_ELSE}a = Texts(train)\nb = Texts(test, words=a.words)", []),
        (f"{OR_ELSE}a, b = Texts(train), Texts(test)", [4]),
        (f"{TABLE}{KEPT.format('table(rows)')}", [12]),
        (f"{TABLE}{KEPT.format('kept')}", []),
        (f"{BY_ANOTHER}a, b = Texts(train), Texts(test)", [10]),
        (f"{BY_ANOTHER}a = Texts(train)\nb = Texts(test, a.words)", []),
        (f"{LETTERS}a, b = Texts(train, letters), Texts(test, letters)", []),
        (
            f"{LETTERS.replace('self.letters)', 'self.texts)')}a = Texts(train)\nb = Texts(test)",
            [6],
        ),
        (ORDER.format("names", 'rows["test"].unique("label")'), [3]),
        (ORDER.format("names", 'sorted(rows["test"].unique("label"))'), []),
        (ORDER.format("names", "others"), []),
        ("s = LabelEncoder()\na = s.fit_transform(y_train)\nb = s.fit_transform(y_test)", []),
        (f"{TABLE}a = table(train)\nb = table(test)\nprint(len(b))", []),
        ("a, _ = pd.factorize(pd.concat([train.c, test.c]))\nb, _ = pd.factorize(train.c)", []),
    ],
)
def test_held_out_rows_that_are_numbered_anew(text: str, lines: list[int]) -> None:
    assert numbered_anew(ast.parse(text)) == lines


VOCAB = """class Vocab:
    def __init__(self):
        self.words, self.ids = [], {}
    def add(self, word):
        if word not in self.ids:
            self.ids[word] = len(self.words)
            self.words.append(word)
    def build(self, texts):
        for text in texts:
            for word in text:
                self.ids[word] = len(self.words)
        return self
"""


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a, b = Vocab().build(train), Vocab().build(test)", [13]),
        # One table that goes on; two languages.
        ("v = Vocab()\na, b = v.build(train), v.build(test)", []),
        ("a, b = Vocab().build(source), Vocab().build(target)", []),
    ],
)
def test_vocabularies_that_are_begun_anew(text: str, lines: list[int]) -> None:
    assert numbered_anew(ast.parse(VOCAB + text)) == lines


NET = """
loader = DataLoader(data, shuffle={})
for x, y in loader:
    loss(net(x), y).backward()
class Net(Module):
    def __init__(self):
        self.h = None
    def forward(self, x):
        {}
        return out
{}
"""
LOOP = """
loader = DataLoader(data, shuffle={})
optimizer = Adam(net.parameters())
for x, y in loader:
    {}
    out, h = net(x, h)
    loss(out, y).backward()
    {}
"""
OWN = "out, self.h = self.rnn(x, self.h)"
BEGIN = "    def begin(self):\n        self.h = None"


@pytest.mark.parametrize(
    ("text", "is_carried"),
    [
        (NET.format("{}", OWN, ""), True),
        (NET.format("{}", "out, h = self.rnn(x, self.h); self.h = h.detach()", ""), True),
        (LOOP.format("{}", "x = x", "h = h.detach()"), True),
        (LOOP.format("{}", "h = h.detach()", "x = x"), True),
        (
            NET.format(
                "{}", f"if self.h is None: self.h = torch.zeros(1, 2, 3)\n        {OWN}", ""
            ),
            True,
        ),
        (LOOP.format("{}", "x = x", "x = x").replace("net(x, h)", "net(x, h.detach())"), True),
        # None, zeros, or set back before.
        (NET.format("{}", "out, h = self.rnn(x)", ""), False),
        (NET.format("{}", f"self.h = torch.zeros(1, 2, 3); {OWN}", ""), False),
        (NET.format("{}", OWN, "net.h = None"), False),
        # By a method: between two epochs, or before each batch.
        (NET.format("{}", OWN, BEGIN), True),
        (NET.format("{}", f"self.begin(); {OWN}", BEGIN), False),
        (LOOP.format("{}", "h = torch.zeros(1, 8, 4)", "x = x"), False),
        (LOOP.format("{}", "h = net.begin(len(x))", "x = x"), False),
    ],
)
def test_states_of_other_rows(text: str, *, is_carried: bool) -> None:
    assert bool(carried_states(ast.parse(text.format(True)))) is is_carried
    # A series that goes on from batch to batch.
    assert carried_states(ast.parse(text.format(False))) == []
