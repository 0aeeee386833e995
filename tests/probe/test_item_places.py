"""Items whose parts come from several places, and loops that end with their first turn."""

import ast

import pytest

from course_probe.reading.item_places import items_apart, words_apart
from course_probe.reading.left_early import left_at_once, left_behind, left_early
from course_probe.reading.lowest_output import least_similar, lowest_chosen, takes_lowest

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
    assert items_apart(ast.parse(DATA.replace("{item}", item))) == lines


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


LOOP = """
def score(loader):
    total = 0
    for batch in loader:
        {inside}
"""


@pytest.mark.parametrize(
    ("inside", "lines"),
    [
        ("total += right(batch)\n        return total", [6]),
        ("total += right(batch)\n    return total", []),
        ("return right(batch)", []),
        ("total += 1\n        if total > 3:\n            return total", []),
        ("if not batch:\n            continue\n        total += 1\n        return total", []),
    ],
)
def test_a_loop_that_adds_up_and_is_left_at_once(inside: str, lines: list[int]) -> None:
    tree = ast.parse(LOOP.replace("{inside}", inside))
    assert left_early(tree, [4]) == lines
    assert left_early(tree, [9]) == []


@pytest.mark.parametrize(
    ("head", "test", "is_left"),
    [
        ("at in range(0, len(rows), 8)", "at == 0", True),
        ("at, batch in enumerate(loader)", "at >= 0", True),
        ("at, batch in enumerate(loader, 1)", "at == 0", False),
        ("at in range(2, 8)", "at == 0", False),
        ("at, batch in enumerate(loader)", "at == 3", False),
        ("at, batch in pairs(loader)", "at == 0", False),
        ("at, batch in enumerate(loader)", "loss == 0", False),
    ],
)
def test_a_loop_that_is_broken_off_in_its_first_turn(head: str, test: str, is_left: bool) -> None:
    tree = ast.parse(f"for {head}:\n    train(batch)\n    if {test}:\n        break\n")
    assert left_at_once(tree, [1]) == ([4] if is_left else [])
    assert left_at_once(tree, [2]) == []


@pytest.mark.parametrize(
    ("inside", "behind", "is_behind"),
    [
        ("loss = score(net(x))", "loss.backward()", True),
        ("loss = score(net(x))\n    loss += slope", "scaler.scale(loss).backward()", True),
        ("loss = loss + score(net(x))", "loss.backward()", False),
        ("loss += score(net(x))", "loss.backward()", False),
        ("loss = score(net(x))\n    all.append(loss)", "loss = sum(all); loss.backward()", False),
        ("if worst(x):\n        loss = score(net(x))", "loss.backward()", False),
    ],
)
def test_a_loss_that_only_the_last_turn_has_made(inside: str, behind: str, is_behind: bool) -> None:
    text = f"loss = 0\nfor x in loader:\n    {inside}\n{behind}\n"
    tree = ast.parse(text)
    last = text.count("\n")
    assert left_behind(tree, [3], [], [last]) == ([last] if is_behind else [])
    assert left_behind(tree, [3], [3], [last]) == left_behind(tree, [], [], [last]) == []


@pytest.mark.parametrize(
    ("answers", "is_lowest"),
    [
        ("np.argsort(logits, axis=-1)[:, 0]", True),
        ("logits.argsort(-1)[:, 0]", True),
        ("np.argsort(-logits, axis=-1)[:, 0]", False),
        ("logits.argsort(-1, descending=True)[:, 0]", False),
        ("np.argsort(logits, axis=-1)[:, -1]", False),
        ("np.argmin(logits, axis=-1)", True),
    ],
)
def test_the_first_of_a_rising_order_is_the_lowest(answers: str, is_lowest: bool) -> None:
    text = (
        f"def compare(pair):\n    one, two = pair\n    found = {answers}\n    return found == two\n"
    )
    assert takes_lowest(ast.parse(text.replace("logits", "one"))) == is_lowest


def test_where_nothing_is_compared_no_metric_is_computed() -> None:
    text = "def evaluate(losses):\n    return losses.argmin()\n"
    assert not takes_lowest(ast.parse(text))


@pytest.mark.parametrize(
    ("choice", "lines"),
    [
        ("logits.argmin(-1) == kinds", [2]),
        ("np.argsort(logits)[:, 0] == kinds", [2]),
        ("losses.argmin() == kinds", []),
        ("np.argmin(losses) == kinds", []),
        ("logits.argmin(1) == logits.argmax(1)", []),
        ("logits.argmin(1)", []),
    ],
)
def test_the_lowest_of_each_row_where_answers_are_compared(choice: str, lines: list[int]) -> None:
    tree = ast.parse(f"def score(logits, kinds, losses):\n    return {choice}\n")
    assert lowest_chosen(tree) == lines


@pytest.mark.parametrize(
    ("made", "chosen", "compared", "lines"),
    [
        ("z @ z.T", "sim.argmin(dim=1)", "kinds[found] == kinds", [3]),
        ("z @ z.T", "sim.topk(5, largest=False).indices", "kinds[found] == kinds", [3]),
        ("torch.matmul(z, z.T)", "torch.argmin(sim, 1)", "kinds[found] == kinds", [3]),
        ("torch.cdist(z, z)", "sim.argmin(dim=1)", "kinds[found] == kinds", []),
        ("n + n.T - 2 * z @ z.T", "sim.argmin(dim=1)", "kinds[found] == kinds", []),
        ("-(z @ z.T)", "sim.argmin(dim=1)", "kinds[found] == kinds", []),
        ("z @ z.T", "sim.topk(5).indices", "kinds[found] == kinds", []),
        # Rows that are the hardest to learn from, and both ends.
        ("z @ z.T", "sim.argmin(dim=1)", "z[found]", []),
        ("z @ z.T", "sim.argmin(dim=1)", "kinds[found] == kinds[sim.argmax(1)]", []),
    ],
)
def test_the_least_similar_row(made: str, chosen: str, compared: str, lines: list[int]) -> None:
    text = f"def recall(z, kinds, n):\n    sim = {made}\n    found = {chosen}\n"
    assert least_similar(ast.parse(f"{text}    return {compared}\n")) == lines
