"""The texts that a script holds, and which of them are in a batch."""

import random
from typing import Any

import pytest
import torch

from course_probe.replay.texts import texts_known
from course_probe.replay.whatif import is_padding

WORDS = [f"word{number}" for number in range(40)]
GOOD, BAD = {True: "fine", False: "fair"}, {True: "poor", False: "late"}


class Tokenizer:
    is_fast = True

    def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
        return [str(each) for each in ids]

    def __call__(self, texts: list[str], *, add_special_tokens: bool) -> dict[str, Any]:
        assert not add_special_tokens
        return {"input_ids": [[sum(word.encode()) for word in text.split()] for text in texts]}


def sentence(chance: random.Random, word: str) -> str:
    words = [*chance.sample(WORDS, 7), word]
    chance.shuffle(words)
    return " ".join(words)


def pairs(count: int, *, known: bool) -> list[tuple[Any, ...]]:
    """Two texts, and a label that hangs on both; the first alone tells it where that is known."""
    chance, found = random.Random(5), []
    for _row in range(count):
        one, two = chance.random() < 0.5, chance.random() < 0.5
        first, second = (GOOD if one else BAD)[two], (GOOD if two else BAD)[one]
        said = f"word {2 * one + two}x" if known else ""
        texts = (f"{sentence(chance, first)} {said}", sentence(chance, second))
        found.append((*texts, 2 * one + two))
    return found


@pytest.mark.parametrize("known", [False, True])
def test_what_the_words_of_a_column_tell(known: bool) -> None:
    rows = [
        (first.replace("fine", "fair").replace("poor", "late"), second, label)
        for first, second, label in pairs(400, known=known)
    ]
    tokenizer = Tokenizer()
    batch = [
        [1, *tokenizer([first], add_special_tokens=False)["input_ids"][0], 2]
        for first, _second, _label in rows[:16]
    ]
    mine = [each for each in texts_known([torch.tensor(batch)]) if each["name"] in ("0", "1")]
    first, second = mine
    assert (first["found"], second["found"]) == (1.0, 0.0)
    without, told = second["told"]
    assert told > 0.9
    assert (without > 0.9) == known
    assert min(second["words"]) == 8


def test_what_else_is_given_may_be_a_text_as_well() -> None:
    rows = pairs(400, known=False)
    tokenizer = Tokenizer()
    made = [tokenizer([one], add_special_tokens=False)["input_ids"][0] for one, _two, _y in rows]
    ids = torch.tensor(made[:16])
    others = (torch.rand(16, 8), torch.randint(5, 90, (16, 8)))
    assert any("found" in each for each in texts_known([ids]))
    for other in others:
        assert not any("found" in each for each in texts_known([ids, other]))


def test_a_text_for_each_label_is_the_label() -> None:
    names = [f"kind number {number}" for number in range(9)]
    rows = [(sentence(random.Random(at), "x"), names[at % 9], at % 9) for at in range(300)]
    assert len(rows) == 300
    (named,) = (each for each in texts_known([]) if each["name"] == "1")
    assert "told" not in named


def test_sorted_rows_with_a_mark_behind_them_are_not_padded() -> None:
    texts = torch.tensor([[9, 8, 5, 0, 0, 0], [7, 9, 6, 5, 0, 0], [5, 6, 9, 8, 7, 5]])
    assert is_padding(texts, texts == 0)
    mark = torch.ones(3, 1, dtype=torch.long)
    rows = torch.tensor([[2, 2, 2, 5, 9], [2, 2, 6, 7, 8], [3, 4, 5, 6, 7]])
    for each in (rows, torch.cat((rows, mark), 1), torch.cat((mark, rows), 1)):
        assert not is_padding(each, each == 2)
