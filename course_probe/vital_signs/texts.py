"""What becomes of the texts of a data set when they are turned into token ids."""

from collections import Counter
from typing import Any

ROWS = 32
"""Rows, the first ones, whose ids are laid beside the texts of the row."""
MIN_TOKENS = 3
"""Tokens that a text to read has: what is mostly shorter is a name or a key."""


def text_signs(tokenizer: Any, dataset: Any, made: Any) -> tuple[dict[str, Any], set[str]]:
    """Tell how much of the texts is in the token ids, and the columns that are in most rows.

    There are columns of text, those in the ids, and the share that is cut.

    The ids of a row are the texts' own, between special tokens, each from its beginning on; where
    they are anything else, nothing is known.
    """
    backend = getattr(tokenizer, "backend_tokenizer", None)
    names = getattr(made, "column_names", None) or ()
    if backend is None or "input_ids" not in names or len(made) != len(dataset) or not len(made):
        return {}, set()
    rows = dataset.with_format(None)[:ROWS]
    ids = made.with_format(None)[:ROWS]["input_ids"]
    special = set(tokenizer.all_special_ids)
    texts = {
        name: [_ids_of(backend, value) for value in values]
        for name, values in rows.items()
        if all(isinstance(value, str) for value in values)
    }
    texts = {name: each for name, each in texts.items() if _is_prose(each)}
    found: Counter[str] = Counter()
    kept = whole = 0
    for number, row in enumerate(ids):
        used = _texts_of(segments(row, special), {k: v[number] for k, v in texts.items()})
        if used is None:
            return ({"text_columns": len(texts)} if texts else {}), set()
        found.update(used.keys())
        kept += sum(used.values())
        whole += sum(len(texts[name][number]) for name in used)
    there = {name for name, times in found.items() if 2 * times > len(ids)}
    signs: dict[str, Any] = {"text_columns": len(texts), "texts_in_ids": len(there)}
    if whole:
        signs["cut"] = 1 - kept / whole
    return signs, there


def _ids_of(backend: Any, text: str) -> list[int]:
    """Return the token ids of a text alone, without padding."""
    encoded = backend.encode(text, add_special_tokens=False)
    # It cuts texts as the script's last call has had it do; the rest is there all the same.
    parts = [encoded, *encoded.overflowing]
    return [
        i for each in parts for i, real in zip(each.ids, each.attention_mask, strict=True) if real
    ]


def _is_prose(texts: list[list[int]]) -> bool:
    """Whether a column holds texts to read, not names or keys."""
    return 2 * sum(len(text) >= MIN_TOKENS for text in texts) > len(texts)


def segments(ids: list[int], special: set[int]) -> list[list[int]]:
    """Split ids into the runs between special tokens."""
    found: list[list[int]] = [[]]
    for token in ids:
        if token in special:
            found.append([])
        else:
            found[-1].append(token)
    return [segment for segment in found if segment]


def _texts_of(segments: list[list[int]], texts: dict[str, list[int]]) -> dict[str, int] | None:
    """How many tokens of which texts the segments are; None where one begins none of them.

    A text may be there twice: the one of a pair in the place of the other, say.
    """
    used: dict[str, int] = {}
    for segment in segments:
        begun = [name for name, text in texts.items() if text[: len(segment)] == segment]
        if not begun:
            return None
        name = next((each for each in begun if each not in used), begun[0])
        used[name] = max(len(segment), used.get(name, 0))
    return used
