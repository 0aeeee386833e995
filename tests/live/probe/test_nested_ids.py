"""Token ids that `Dataset.map` makes: of one text a row, and of several."""

from types import SimpleNamespace
from typing import Any

import pytest
from datasets import Dataset

from course_probe.hooks.torch import dataset_map


class Mapped(Dataset):
    """A class of its own, whose `map` may be replaced."""

    map = Dataset.map


@pytest.mark.parametrize(
    ("ids", "is_looked_at"),
    [
        ([3, 4, 5], True),
        ([[3, 4], [5, 6]], False),
        ([[[3, 4]], [[5, 6]]], False),
        ([0.5, 1.5], False),
        (["three"], False),
        (3, False),
    ],
)
def test_only_one_list_of_numbers_a_row_is_looked_at(
    monkeypatch: pytest.MonkeyPatch, ids: Any, is_looked_at: bool
) -> None:
    looked = []
    monkeypatch.setattr(dataset_map, "text_signs", lambda *_given: looked.append(1) or {})
    monkeypatch.setattr(dataset_map, "newest_tokenizer", SimpleNamespace)
    monkeypatch.setattr(Mapped, "map", Dataset.map)
    log: Any = SimpleNamespace(looking=False, write_figures=lambda *_a, **_n: None)
    vitals: Any = SimpleNamespace(note_text=lambda _signs: None)
    dataset_map.hook(SimpleNamespace(Dataset=Mapped), log, vitals)  # type: ignore[arg-type]
    rows = Mapped(Dataset.from_dict({"text": ["a", "b"]}).data)
    made = rows.map(lambda _row: {"input_ids": ids})
    assert made[0]["input_ids"] == ids
    assert looked == [1] * is_looked_at
