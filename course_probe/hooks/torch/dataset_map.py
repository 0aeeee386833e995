"""Hook `Dataset.map`: which texts of a row are in the token ids that it makes.

The ids themselves are looked at, not the calls of the tokenizer: what `map` has in its cache, it
does not compute again.
"""

import functools
from types import ModuleType
from typing import Any

from course_probe.event_log import EventLog
from course_probe.guard import noted
from course_probe.hooks.living_objects import tokenizer as newest_tokenizer
from course_probe.hooks.vitals import VitalsHooks
from course_probe.vital_signs.texts import text_signs


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
        signs, found = text_signs(tokenizer, dataset, made)
        vitals.note_text(signs)
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
