"""Rows that a network reads, beside the data of the hub: their texts, their labels, their split.

The data lie in the cache of `datasets`, and what a row's ids stand for is read in the ids: neither
asks the script. Case, spaces and punctuation, padding and what a tokenizer adds are left aside; a
text may be cut. Where the ids stand for other texts altogether, nothing is known.
"""

import importlib
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from course_probe.vital_signs.texts import segments

MOST_ROWS = 8192
"""Rows that are laid beside the data."""
MOST_BYTES = 2**22
"""Bytes of a file of data that is read: those of the embedded hub are small."""
SHORTEST = 8
"""Letters that a text must have to be known by its beginning or its end."""
MOST_LIKE = 256
"""Texts of one beginning that are looked at."""
FEW = 0.1
"""The share of the rows up to which a likeness to the data may be by chance."""
MOST = 0.9
"""The share of the rows that must be of one split."""


def letters(text: str) -> str:
    """Return a text without all that tokenizers may change."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if c.isalnum())


class HubData:
    """The rows of all data in a cache of `datasets`, by their texts; read when first asked for."""

    def __init__(self, folder: str | None) -> None:
        self._folder = folder
        self._places: dict[str, set[int]] | None = None
        self._begun: list[str] = []
        self._ended: list[str] = []
        self.texts: list[tuple[str, ...]] = []
        self.labels: list[int] = []
        self.splits: list[str] = []

    def __bool__(self) -> bool:
        """Whether there may be any."""
        return self._folder is not None

    def rows_of(self, texts: list[str]) -> set[int]:
        """Find the rows that have these texts, each in a column of its own."""
        rows = self._rows_of(max(texts, key=len))
        return {row for row in rows if _fits(texts, self.texts[row])}

    def has(self, text: str) -> bool:
        """Whether this is a whole text of some row."""
        return len(text) >= SHORTEST and text in self._read()

    def _rows_of(self, text: str) -> set[int]:
        known = self._read()
        if len(text) < SHORTEST:
            return known.get(text, set())
        # What is cut off may be all of another text.
        whole = [*_starting(self._begun, text)]
        whole += [each[::-1] for each in _starting(self._ended, text[::-1])]
        return {row for each in whole for row in known[each]}

    def _read(self) -> dict[str, set[int]]:
        if self._places is None:
            self._places = {}
            for path in sorted(Path(self._folder or "").glob("*/*/*/*/*-*.arrow")):
                if not path.name.startswith("cache-") and path.stat().st_size <= MOST_BYTES:
                    self._take(path)
            self._begun = sorted(self._places)
            self._ended = sorted(each[::-1] for each in self._places)
        return self._places

    def _take(self, path: Path) -> None:
        pyarrow: Any = importlib.import_module("pyarrow")
        with pyarrow.memory_map(str(path)) as file:
            columns = pyarrow.ipc.open_stream(file).read_all().to_pydict()
        texts = [each for each in columns.values() if each and isinstance(each[0], str)]
        labels = columns.get("label", [])
        assert self._places is not None
        for label, *row in zip(labels, *texts, strict=False):
            self.texts.append(tuple(map(letters, row)))
            for text in self.texts[-1]:
                self._places.setdefault(text, set()).add(len(self.labels))
            self.labels.append(label)
            self.splits.append(path.stem.split("-")[1])


def _starting(texts: list[str], begin: str) -> Iterator[str]:
    first = bisect_left(texts, begin)
    return (each for each in texts[first : first + MOST_LIKE] if each.startswith(begin))


def _fits(texts: list[str], columns: tuple[str, ...]) -> bool:
    """Whether each of these texts begins or ends a column that no other one has."""
    if not texts:
        return True
    first, *others = texts
    return any(
        _fits(others, (*columns[:place], *columns[place + 1 :]))
        for place, column in enumerate(columns)
        if column.startswith(first) or column.endswith(first)
    )


class HubRows:
    """Rows that a network was given, each once, as ids without padding, and their labels."""

    def __init__(self) -> None:
        self._rows: dict[int, tuple[list[int], int | None]] = {}
        self._known: tuple[int, dict[str, Any]] = (0, {})

    def add(self, ids: Any, mask: Any, labels: Any, prints: Any) -> None:
        """Take in a batch, all of it arrays; None for a mask or labels if not known."""
        if len(self._rows) + len(ids) > MOST_ROWS:
            return
        is_class = labels is not None and labels.ndim == 1 and labels.dtype.kind in "iu"
        for place, key in enumerate(prints.tolist()):
            if key not in self._rows:
                row = ids[place] if mask is None else ids[place][mask[place] != 0]
                label = int(labels[place]) if is_class and len(labels) == len(ids) else None
                self._rows[key] = (row.tolist(), label)

    def signs(self, hub: HubData, tokenizer: Any) -> dict[str, Any]:
        """Return which share of the rows is the data's, and of their labels, and their split.

        A label may have another name, as long as no other one has it.
        """
        if self._known[0] != len(self._rows):
            self._known = (len(self._rows), self._signs(hub, tokenizer))
        return self._known[1]

    def _signs(self, hub: HubData, tokenizer: Any) -> dict[str, Any]:
        backend = getattr(tokenizer, "backend_tokenizer", None)
        if not hub or backend is None:
            return {}
        unknown = tokenizer.unk_token_id
        special = {*tokenizer.all_special_ids} - {unknown}
        # Before the first text stands one and the same token, if there is any.
        begin = 0 if tokenizer.cls_token_id is None else 1
        given = [(ids, label) for ids, label in self._rows.values() if unknown not in ids]
        frames = [_frame(ids, begin, special) for ids, _label in given]
        usual = Counter(frames).most_common(1)
        parts = [segments(ids[begin:], special) for ids, _label in given]
        flat = iter(backend.decode_batch([each for row in parts for each in row]))
        texts = [[t for _part in row if (t := letters(next(flat)))] for row in parts]
        own: list[tuple[set[int], int | None]] = []
        altered = 0
        for (_ids, label), frame, row in zip(given, frames, texts, strict=True):
            found = hub.rows_of(row) if row else set()
            if found and frame == usual[0][0]:
                own.append((found, label))
            else:
                altered += bool(found) or any(map(hub.has, row))
        if len(own) + altered <= FEW * len(given):
            return {}
        signs: dict[str, Any] = {"of_data": len(own) / len(given)}
        if own:
            named = [({hub.labels[one] for one in rows}, n) for rows, n in own if n is not None]
            signs |= {"labels_of_data": _agreement(named)} if named else {}
            splits = Counter(split for rows, _ in own for split in {hub.splits[r] for r in rows})
            name, times = splits.most_common(1)[0]
            signs |= {"split": name} if times >= MOST * len(own) else {}
        return signs


def _changes(ids: Iterable[int]) -> Iterator[int]:
    """Yield each id that is another one than that before it."""
    last = None
    for each in ids:
        if each != last:
            yield each
        last = each


def _frame(ids: list[int], begin: int, special: set[int]) -> tuple[int, ...]:
    """Return what stands around the texts: the first ids, and the special ones after them."""
    return tuple(_changes([*ids[:begin], *(each for each in ids[begin:] if each in special)]))


def _agreement(pairs: list[tuple[set[int], int]]) -> float:
    """Return the share of rows whose label is its own, each label having one name of its own."""
    counts = Counter((true, named) for labels, named in pairs for true in labels)
    names: dict[int, int] = {}
    for (true, named), _times in counts.most_common():
        if true not in names and named not in names.values():
            names[true] = named
    right = sum(any(names.get(each) == named for each in labels) for labels, named in pairs)
    return right / len(pairs)
