"""Hook `Dataset.map`: which texts of a row are in the token ids that it makes.

The ids themselves are looked at, not the calls of the tokenizer: what `map` has in its cache, it
does not compute again.
"""

import functools
from collections import Counter
from types import ModuleType
from typing import Any

from course_probe.event_log import EventLog
from course_probe.hooks.forward import ForwardHooks
from course_probe.hooks.vitals import VitalsHooks

ROWS_SPLIT = 32
"""Rows, the first ones, whose ids are laid beside the texts of the row."""
ROWS_READ = 8
"""Rows that are looked at, the first ones."""
MIN_TOKENS = 3
"""Tokens of a text that is looked for: a shorter one may stand in a row by chance."""


def hook(module: ModuleType, log: EventLog, forward: ForwardHooks, vitals: VitalsHooks) -> None:
    """Measure each map that makes token ids with the script's tokenizer.

    The data are made ready once for every training, so these figures last. See
    https://huggingface.co/docs/datasets/process#map.
    """
    kind = module.Dataset
    original = kind.map
    tokenized: set[str] = set()

    @functools.wraps(original)
    def mapped(dataset: Any, *arguments: Any, **named: Any) -> Any:
        made = original(dataset, *arguments, **named)
        if log.looking:
            return made
        vitals.note_text(text_signs(forward.tokenizer, dataset, made))
        found = _texts_in_ids(forward.tokenizer, dataset, made)
        if found:
            tokenized.update(found)
            values = {"texts_tokenized": len(tokenized), "texts_in_ids": len(found)}
            log.write_figures(values, lasting=True)
        return made

    kind.map = mapped


def _texts_in_ids(tokenizer: Any, dataset: Any, made: Any) -> set[str]:
    """The columns of `dataset` whose words stand in the ids of most of the rows in `made`."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    names = getattr(made, "column_names", None) or ()
    if backend is None or "input_ids" not in names or len(made) != len(dataset):
        return set()
    rows = dataset.with_format(None)[:ROWS_READ]
    ids = made.with_format(None)[:ROWS_READ]["input_ids"]
    return {
        name
        for name, values in rows.items()
        if all(isinstance(value, str) for value in values)
        and 2 * sum(_stands_in(backend, *both) for both in zip(values, ids, strict=True)) > len(ids)
    }


def _stands_in(backend: Any, text: str, ids: list[int]) -> bool:
    own = _ids_of(backend, text)
    ends = range(len(own), len(ids) + 1)
    return len(own) >= MIN_TOKENS and any(ids[end - len(own) : end] == own for end in ends)


def text_signs(tokenizer: Any, dataset: Any, made: Any) -> dict[str, Any]:
    """How much of the texts is in the token ids: columns of text, those in the ids, the share cut.

    The ids of a row are the texts' own, between special tokens, each from its beginning on; where
    they are anything else, nothing is known.
    """
    backend = getattr(tokenizer, "backend_tokenizer", None)
    names = getattr(made, "column_names", None) or ()
    if backend is None or "input_ids" not in names or len(made) != len(dataset) or not len(made):
        return {}
    rows = dataset.with_format(None)[:ROWS_SPLIT]
    ids = made.with_format(None)[:ROWS_SPLIT]["input_ids"]
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
        used = _texts_of(_segments(row, special), {k: v[number] for k, v in texts.items()})
        if used is None:
            return {"text_columns": len(texts)} if texts else {}
        found.update(used.keys())
        kept += sum(used.values())
        whole += sum(len(texts[name][number]) for name in used)
    there = [name for name, times in found.items() if 2 * times > len(ids)]
    signs: dict[str, Any] = {"text_columns": len(texts), "texts_in_ids": len(there)}
    if whole:
        signs["cut"] = 1 - kept / whole
    return signs


def _ids_of(backend: Any, text: str) -> list[int]:
    encoded = backend.encode(text, add_special_tokens=False)
    return [i for i, real in zip(encoded.ids, encoded.attention_mask, strict=True) if real]


def _is_prose(texts: list[list[int]]) -> bool:
    """Whether a column holds texts to read, not names or keys."""
    return 2 * sum(len(text) >= MIN_TOKENS for text in texts) > len(texts)


def _segments(ids: list[int], special: set[int]) -> list[list[int]]:
    """The runs of ids between special tokens."""
    segments: list[list[int]] = [[]]
    for token in ids:
        if token in special:
            segments.append([])
        else:
            segments[-1].append(token)
    return [segment for segment in segments if segment]


def _texts_of(segments: list[list[int]], texts: dict[str, list[int]]) -> dict[str, int] | None:
    """How many tokens of which texts the segments are; None where one begins none of them."""
    used: dict[str, int] = {}
    for segment in segments:
        name = next(
            (n for n, text in texts.items() if n not in used and text[: len(segment)] == segment),
            None,
        )
        if name is None:
            return None
        used[name] = len(segment)
    return used
