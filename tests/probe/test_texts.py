"""What of the texts is in the token ids, by a tokenizer that numbers words."""

from types import SimpleNamespace
from typing import Any

import pytest

from course_probe.vital_signs.texts import ROWS, text_signs

CLS, SEP = 1, 2


class WordNumbers:
    """Stands for the backend of a tokenizer: each word has the number of its letters' sum."""

    truncation: int | None = None

    def encode(self, text: str, *, add_special_tokens: bool) -> Any:
        ids = [100 + sum(map(ord, word)) for word in text.split()]
        kept = len(ids) if self.truncation is None else self.truncation
        parts = [ids[:kept], *([ids[kept:]] if ids[kept:] else [])]
        made = [SimpleNamespace(ids=each, attention_mask=[1] * len(each)) for each in parts]
        made[0].overflowing = made[1:]
        return made[0]


TOKENIZER = SimpleNamespace(backend_tokenizer=WordNumbers(), all_special_ids=[0, CLS, SEP])


class Rows:
    """Stands for a data set: columns by name."""

    def __init__(self, **columns: list[Any]) -> None:
        self.columns, self.column_names = columns, list(columns)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def with_format(self, kind: None) -> "Rows":
        return self

    def __getitem__(self, some: slice) -> dict[str, list[Any]]:
        return {name: values[some] for name, values in self.columns.items()}


FIRST = ["the cat sat on the mat", "a dog ran to me"] * ROWS
SECOND = ["it was a red mat indeed", "we saw it run off"] * ROWS
RAW = Rows(sentence1=FIRST, sentence2=SECOND, label=[0, 1] * ROWS, key=["x1", "x2"] * ROWS)


def ids(text: str) -> list[int]:
    found: list[int] = WordNumbers().encode(text, add_special_tokens=False).ids
    return found


def made(first: int, second: int) -> Rows:
    """Pairs with so many tokens of each text, padded."""
    rows = []
    for one, two in zip(FIRST, SECOND, strict=True):
        pair = [CLS, *ids(one)[:first], SEP, *ids(two)[:second], SEP]
        rows.append(pair + [0] * (20 - len(pair)))
    return Rows(input_ids=rows)


def told(*given: Any) -> dict[str, Any]:
    """What is told of the texts, without the names of their columns."""
    return text_signs(*given)[0]


def test_whole_pairs_are_whole() -> None:
    assert told(TOKENIZER, RAW, made(9, 9)) == {
        "text_columns": 2,
        "texts_in_ids": 2,
        "cut": 0.0,
    }
    assert text_signs(TOKENIZER, RAW, made(9, 9))[1] == {"sentence1", "sentence2"}


def test_what_truncation_takes_away_is_a_share_of_the_tokens() -> None:
    signs = told(TOKENIZER, RAW, made(1, 1))
    assert signs["texts_in_ids"] == 2
    assert signs["cut"] == pytest.approx(1 - 2 * 2 / (6 + 6 + 5 + 5))


def test_a_tokenizer_that_still_truncates_is_seen_through(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = told(TOKENIZER, RAW, made(1, 1))
    monkeypatch.setattr(WordNumbers, "truncation", 2)
    assert told(TOKENIZER, RAW, made(1, 1)) == whole


def test_a_text_that_is_left_out_is_missing_and_nothing_is_cut() -> None:
    assert told(TOKENIZER, RAW, made(9, 0)) == {
        "text_columns": 2,
        "texts_in_ids": 1,
        "cut": 0.0,
    }


def test_a_text_in_the_place_of_another_is_there_once() -> None:
    pairs = [[CLS, *ids(one), SEP, *ids(one), SEP] for one in FIRST]
    signs = told(TOKENIZER, RAW, Rows(input_ids=pairs))
    assert signs == {"text_columns": 2, "texts_in_ids": 1, "cut": 0.0}


def test_ids_that_are_no_text_of_the_row_tell_nothing_of_them() -> None:
    strange = Rows(input_ids=[[CLS, 7, 8, SEP]] * len(RAW))
    assert told(TOKENIZER, RAW, strange) == {"text_columns": 2}


def test_without_ids_or_a_fast_tokenizer_nothing_is_known() -> None:
    assert told(TOKENIZER, RAW, RAW) == {}
    assert told(None, RAW, made(9, 9)) == {}
    assert told(TOKENIZER, RAW, Rows(input_ids=[[CLS, SEP]])) == {}
