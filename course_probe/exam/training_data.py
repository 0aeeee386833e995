"""What a training reads, as batches come of it: token ids may be made by the rows or on the way."""

import functools
import itertools
import sys
from collections.abc import Mapping, Sequence
from typing import Any

KEPT = ("input_ids", "attention_mask", "token_type_ids", "label", "labels", "label_ids")
"""What the Trainer keeps of an example: what a model that classifies takes."""
STREAMED = 20_000
"""Rows of a dataset that is only gone through that are read at most; it may have no end."""


def tokenized(rows: Any, tokenizer: Any, texts: Sequence[str], length: int | None = None) -> Any:
    """Tokenize two columns of a dataset, read together, to `length` tokens at most.

    `datasets` finds again what was made of the same rows by this function: one for all who ask.
    """
    first, second = texts
    return rows.map(
        lambda some: tokenizer(some[first], some[second], truncation=True, max_length=length),
        batched=True,
    )


def by_number(data: Any) -> Any:
    """Return a dataset whose rows can be taken by their number: of an iterable one, a list."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(data, torch.utils.data.IterableDataset):
        return _streamed(data)
    return data


@functools.lru_cache(maxsize=4)
def _streamed(data: Any) -> list[Any]:
    return list(itertools.islice(data, STREAMED))


def is_tokenized(data: Any) -> bool:
    """Whether the rows of a dataset hold token ids themselves."""
    try:
        return "input_ids" in by_number(data)[0]
    except Exception:  # noqa: BLE001 - a data set may raise anything: it is not tokenized
        return False


def collated_row(loader: Any, place: float) -> dict[str, Any]:
    """One example as it comes out of a loader's collate function, alone in its batch.

    `place` is where in the data it lies, from 0 to 1. Empty where no token ids come of it.
    """
    data = by_number(loader.dataset)
    batch = as_mapping(loader.collate_fn([data[int(place * len(data))]]))
    if not isinstance(batch, Mapping) or "input_ids" not in batch:
        return {}
    return {name: batch[name][0] for name in KEPT if name in batch}


def count_shared(data: Any, rows: Sequence[Mapping[str, Any]]) -> int | None:
    """How many of these examples are in a dataset, too; None where it can't be read as a whole."""
    try:
        columns = data.select_columns(["input_ids"]).with_format(None)[:]
        known = {tuple(ids) for ids in columns["input_ids"]}
        return sum(tuple(row["input_ids"]) in known for row in rows)
    except Exception:  # noqa: BLE001 - a submission's data may raise anything: nothing is known
        return None


def as_mapping(batch: Any) -> Any:
    """Map a tuple that a loop has for a batch to the names that a model knows.

    Which tensor is which is told by what is in them: token ids and masks have two dimensions, masks
    hold nothing but 0 and 1, and labels have one dimension. What remains unclear stays as it is.
    """
    if not isinstance(batch, list | tuple):
        return batch
    named: dict[str, Any] = {}
    for part in batch:
        if isinstance(part, Mapping):
            named.update(part)
            continue
        dimensions = getattr(part, "ndim", 0)
        if dimensions == 2:
            is_mask = bool(((part == 0) | (part == 1)).all())
            name = "attention_mask" if is_mask else "input_ids"
        elif dimensions == 1:
            name = "labels"
        else:
            return batch
        if name in named:
            # Of two masks, one says which text a token belongs to.
            return batch
        named[name] = part
    return named


def as_json(value: Any) -> Any:
    """Convert a value to what JSON can hold: arrays to lists, unknown objects to text."""
    if isinstance(value, Mapping):
        return {str(n): as_json(v) for n, v in value.items()}
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [as_json(v) for v in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
