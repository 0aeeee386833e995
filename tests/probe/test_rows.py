"""Parts of rows that are taken from several places, or changed apart."""

import ast

import pytest

from course_probe.reading.rows import (
    drawn_targets,
    files_apart,
    items_apart,
    mixed_apart,
    turned_apart,
    words_apart,
)

DATA = """
class Data(Dataset):
    def __init__(self, rows, labels):
        self.rows, self.labels = rows, labels

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return {item}
"""


@pytest.mark.parametrize(
    ("item", "lines"),
    [
        ("self.rows[i], self.labels[i - 1]", [10]),
        ("self.rows[i], self.labels[random.randrange(len(self.labels))]", [10]),
        ("self.rows[0], self.labels[i]", [10]),
        ("self.rows[i], self.labels[i]", []),
        ("self.rows[i], self.ids[self.labels[i]]", []),
        ("(self.rows[i] - self.stats[0]) / self.stats[1], self.labels[i]", []),
        ("self.rows[i], self.rows[i + 1]", []),
        ("self.rows[i : i + 8], self.rows[i + 8]", []),
    ],
)
def test_parts_of_an_item_from_another_place(item: str, lines: list[int]) -> None:
    found = items_apart(ast.parse(DATA.replace("{item}", item)))
    assert [each.line for each in found] == lines
    assert all({each.moved, each.other} <= {*item.split(", ")} for each in found)


WORDS = """
def align(examples):
    made = tokenizer(examples["tokens"], is_split_into_words=True)
    for at, tags in enumerate(examples["tags"]):
        places = {places}
        found = []
        for place in places:
            {inside}
"""


@pytest.mark.parametrize(
    ("places", "inside", "lines"),
    [
        ("made.word_ids(at)", "found.append(-100 if place is None else tags[place])", []),
        ("made.word_ids(0)", "found.append(-100 if place is None else tags[place])", [5]),
        ("made.word_ids()", "found.append(-100 if place is None else tags[place])", [5]),
        ("made.word_ids(at)", "found.append(-100 if place is None else tags[place - 1])", [8]),
        # A word may stand in front that has no label.
        ("made.word_ids(at)", "found.append(tags[place - 1] if place > 0 else -100)", []),
        ("made.word_ids(at)", "found.append(tags[place] == tags[place - 1])", []),
        ("tokenizer(tags).word_ids()", "found.append(tags[place])", []),
        ("made.word_ids()[at]", "found.append(tags[place])", []),
    ],
)
def test_tokens_with_the_labels_of_other_words(places: str, inside: str, lines: list[int]) -> None:
    text = WORDS.replace("{places}", places).replace("{inside}", inside)
    assert words_apart(ast.parse(text)) == lines


@pytest.mark.parametrize(
    ("inside", "lines"),
    [
        ("-100 if word is None else tags[at]", [2]),
        ("-100 if word is None else tags[word]", []),
        # The words that are masked are to be found.
        ("ids[at] if word in masked else -100", []),
        # Answers, of which those of a word's first token are kept.
        ("answers[at] if tags[at] != -100 else None", []),
    ],
)
def test_labels_by_the_place_of_the_token(inside: str, lines: list[int]) -> None:
    words = "at, word in enumerate(made.word_ids())"
    text = f"made = tokenizer(texts); ids = made['input_ids']\nfound = [{inside} for {words}]"
    assert words_apart(ast.parse(text)) == lines


APART = [
    (
        """
def change(picture, outline):
    if chance() < 0.5:
        picture, outline = picture.flip(-1), outline.flip(-1)
    if chance() < 0.5:
        picture, outline = picture.flip(-2), outline.flip(-1)
    return picture, outline
""",
        (6, True),
    ),
    (
        """
class Pictures(Dataset):
    def __getitem__(self, at):
        picture, outline = self.rows[at]
        if chance() < 0.5:
            picture = np.fliplr(picture)
        picture, outline = np.flipud(picture), np.flipud(outline)
        return from_numpy(picture.copy()), from_numpy(outline.copy())
""",
        (6, True),
    ),
    (
        """
def step(self, pictures, outlines):
    pictures = torch.flip(pictures, [2])
    return criterion(self.net(pictures), outlines)
""",
        (3, False),
    ),
    (
        "def change(a, b):\n    if rand() < p:\n        a = a.flip(-1)\n    if rand() < p:\n"
        "        b = b.flip(-1)\n    return a, b\n",
        (5, True),
    ),
]
ALIKE = [
    "def change(a, b):\n    a, b = a.flip(-1), b.flip(-1)\n    return a, b\n",
    # A picture has one axis more than its outline.
    "def change(a, b):\n    a, b = torch.flip(a, [2]), torch.flip(b, [1])\n    return a, b\n",
    "def change(a, b):\n    a = TF.hflip(a)\n    b = np.fliplr(b)\n    return a, b\n",
    "def change(a):\n    a = a.flip(-1)\n    return a\n",
    "def change(a, b):\n    if rand() < p:\n        a, b = a.flip(1), b.flip(1)\n    return a, b\n",
    "def change(a, b):\n    shown = a.flip(-1)\n    return a, b\n",
]


@pytest.mark.parametrize(("text", "told"), APART)
def test_one_of_two_is_turned_otherwise(text: str, told: tuple[int, bool]) -> None:
    (found,) = turned_apart(ast.parse(text))
    assert (found.line, found.both) == told


@pytest.mark.parametrize("text", ALIKE)
def test_both_are_turned_alike(text: str) -> None:
    assert turned_apart(ast.parse(text)) == []


DRAWN = "def mixed(x, y):\n    rows = torch.randperm(len(x))\n"


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        ("    return a * x + (1 - a) * x[rows, :], y[torch.randperm(len(y))]", "y"),
        ("    others = permutation(9)\n    return torch.lerp(x, x[rows], a), y, y[others]", "y"),
        ("    x[:, :4] = x[rows, :4]\n    return x, y, y[torch.randperm(len(y))]", "y"),
        ("    return a * x + (1 - a) * x[rows], y, y[rows]", ""),
        ("    kept = y[torch.randperm(9)]\n    return a * x + x[rows], picked(y, rows), kept", ""),
        ("    torch.manual_seed(1)\n    return x + x[rows], y[torch.randperm(len(y))]", ""),
        ("    return x[rows], y[torch.randperm(9)]", ""),
    ],
)
def test_labels_are_mixed_with_those_of_other_rows(text: str, moved: str) -> None:
    found = mixed_apart(ast.parse(DRAWN + text))
    assert [each.moved[0] for each in found] == [*moved]


MIXED = """def loss_of(x):
    noise, fresh = torch.randn_like(x), 0
    fresh = torch.randn_like(x)
    return F.mse_loss(net(x + noise), {})
"""


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (MIXED.format("torch.randn_like(x)"), [4]),
        (MIXED.format("torch.randn(x.shape)"), [4]),
        (MIXED.format("fresh"), [4]),
        (MIXED.format("noise"), []),
        (MIXED.format("x"), []),
        # Numbers by chance to try a network out.
        ("x, y = torch.randn(9, 3), 1\ny = torch.randn(9)\nloss = F.mse_loss(net(x), y)", []),
        ("y = torch.randn_like(x)\nfor _ in range(9):\n    loss = F.mse_loss(net(x), y)", []),
    ],
)
def test_what_is_drawn_for_the_loss_alone(text: str, lines: list[int]) -> None:
    assert drawn_targets(ast.parse(text)) == lines


FILES = """class Leaves(Dataset):
    def __init__(self, root):
        self.files = sorted(os.listdir(root))
        table = list(csv.DictReader(open(root)))
        self.labels = {}
    def __getitem__(self, i):
        return load(self.files[i]), self.labels[i]
"""


@pytest.mark.parametrize(
    ("labels", "lines"),
    [
        ("[row['kind'] for row in table]", [3]),
        ("[{r['name']: r['kind'] for r in table}[n] for n in self.files]", []),
        ("[0 for _ in self.files]", []),
    ],
)
def test_files_in_the_order_of_their_names_beside_a_table(labels: str, lines: list[int]) -> None:
    assert [each.line for each in files_apart(ast.parse(FILES.format(labels)))] == lines
