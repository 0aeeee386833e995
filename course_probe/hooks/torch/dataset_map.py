"""Hook `Dataset.map`: which texts of a row are in the token ids that it makes.

The ids themselves are looked at, not the calls of the tokenizer: what `map` has in its cache, it
does not compute again.
"""

import functools
from types import ModuleType
from typing import Any

from course_probe.event_log import EventLog
from course_probe.guard import noted
from course_probe.hooks.living import tokenizer as newest_tokenizer
from course_probe.hooks.vitals import VitalsHooks
from course_probe.vital_signs.sequences.texts import ids_of, text_signs

ROWS_READ = 8
"""Rows that are looked at, the first ones."""
MIN_TOKENS = 3
"""Tokens of a text that is looked for: a shorter one may stand in a row by chance."""


def hook(module: ModuleType, log: EventLog, vitals: VitalsHooks) -> None:
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
        if not log.looking:
            noted(note, dataset, made)
        return made

    def note(dataset: Any, made: Any) -> None:
        if not _is_of_ids(made) or (tokenizer := newest_tokenizer()) is None:
            return
        vitals.note_text(text_signs(tokenizer, dataset, made))
        found = _texts_in_ids(tokenizer, dataset, made)
        if found:
            tokenized.update(found)
            values = {"texts_tokenized": len(tokenized), "texts_in_ids": len(found)}
            log.write_figures(values, lasting=True)

    kind.map = mapped


def _is_of_ids(made: Any) -> bool:
    """Return whether each row has one list of token ids; False for several texts a row."""
    column = (getattr(made, "features", None) or {}).get("input_ids")
    inner = getattr(column, "feature", None)
    return str(getattr(inner, "dtype", "")).startswith("int")


def _texts_in_ids(tokenizer: Any, dataset: Any, made: Any) -> set[str]:
    """Find the columns of `dataset` whose words stand in the ids of most of the rows in `made`."""
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
    own = ids_of(backend, text)
    ends = range(len(own), len(ids) + 1)
    return len(own) >= MIN_TOKENS and any(ids[end - len(own) : end] == own for end in ends)
