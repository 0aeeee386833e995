"""The texts that a script holds as its data: how long they are, and which of them reach a network.

Asked in a child of the process only, where whatever this does is felt by nobody. Which column has
the labels, and what reaches a network, is told by values, never by a name.
"""

import math
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

ROWS = 1_000
"""Rows of a table that are read."""
TABLES = 6
LONGEST = 64
"""Words of a text that are counted."""
IDS = 12
"""Ids by which a text is found again."""
FEWEST_IDS = 3
FEWEST = 8
"""Different texts of a column."""
PLAIN = ("string", "large_string", "int", "bool")
CLASSES = 20
"""Values up to which a column may be that of the labels."""

TextTable = dict[str, list[Any]]


def texts_known(given: Sequence[Any]) -> list[dict[str, Any]]:
    """Return each column of texts: words of its rows, its share of the batch, what it tells.

    Args:
        given: what the networks were given for one loss.

    Returns:
        `name`; `words`: how many words its texts have; `found`: the share of the batch's rows that
        have its text, of those that have any; `told`: in which share of rows that were held back
        the words of all columns tell the label, without this one and with it.

    """
    values = [*_values()]
    # One in Python alone would take long.
    tokenizers = (v for v in values if hasattr(type(v), "convert_ids_to_tokens"))
    tokenizer = next((each for each in tokenizers if getattr(each, "is_fast", False)), None)
    wide = [each for each in given if each.ndim > 1]
    batch = [each.tolist() for each in wide if each.ndim == 2 and not each.is_floating_point()]
    # Texts may be given as other numbers, too.
    is_ids_only = not any(each.is_floating_point() or each.ndim > 2 for each in wide)
    batch = [table for table in batch if _are_many(table)] if is_ids_only else []
    found = []
    for table in [*_tables(values)][:TABLES]:
        texts = {name: column for name, column in table.items() if _are_texts(column)}
        labels = [c for name, c in table.items() if name not in texts and _are_classes(c)]
        is_asked = tokenizer is not None and texts
        shares = _found(batch, tokenizer, texts) if is_asked else {}
        for name, column in texts.items():
            words = sorted(min(len(text.split()), LONGEST) for text in column)
            one: dict[str, Any] = {"name": name, "words": words[:: max(1, len(words) // 20)]}
            if name in shares:
                one["found"] = shares[name]
            # What has a text for each label says the label in words.
            if len(labels) == 1 and len(texts) > 1 and len({*column}) > 2 * len({*labels[0]}):
                others = [each for each in texts if each != name]
                both = [[*map(texts.get, names)] for names in (others, texts)]
                one["told"] = [_told(columns, labels[0]) for columns in both]
            found.append(one)
    return found


def _are_many(table: list[list[int]]) -> bool:
    """Return whether these are the ids of texts: others only say of which text each is."""
    return len({each for row in table for each in row}) > FEWEST


def _values() -> Iterator[Any]:
    """Yield what the script holds by name: of its functions that run, and of its module."""
    frame: Any = sys._getframe()
    spaces: list[Any] = [vars(sys.modules["__main__"])]
    while frame is not None:
        if not str(frame.f_globals.get("__name__", "")).startswith("course_probe"):
            spaces.append(frame.f_locals)
        frame = frame.f_back
    seen: set[int] = set()
    for space in spaces:
        for name, value in [*space.items()]:
            held = (value, *(_attribute(value, each) for each in ("dataset", "train_dataset")))
            for each in held:
                if each is not None and not name.startswith("__") and id(each) not in seen:
                    seen.add(id(each))
                    yield each


def _attribute(value: Any, name: str) -> Any:
    known = getattr(value, "__dict__", None)
    return known.get(name) if isinstance(known, dict) else None


def _tables(values: Iterable[Any]) -> Iterator[TextTable]:
    """Yield the tables among the values that have texts, those of mappings as well."""
    seen = set()
    for value in values:
        for each in value.values() if isinstance(value, dict) else (value,):
            table = _table(each)
            names = tuple(name for name, column in table.items() if _are_texts(column))
            if names and names not in seen:
                seen.add(names)
                yield table


def _table(value: Any) -> TextTable:
    """Return a table as its columns; without any where this is none."""
    kind = f"{type(value).__module__}.{type(value).__name__}"
    if kind == "datasets.arrow_dataset.Dataset":
        # Pictures and sounds would be decoded.
        kinds = {name: str(getattr(each, "dtype", "")) for name, each in value.features.items()}
        plain = [name for name, each in kinds.items() if each.startswith(PLAIN)]
        is_of_texts = any("string" in kinds[name] for name in plain)
        return dict(value.with_format(None).select_columns(plain)[:ROWS]) if is_of_texts else {}
    if kind.startswith("pandas.") and hasattr(value, "columns"):
        return {str(name): [*value[name][:ROWS]] for name in value.columns}
    if not isinstance(value, list) or not value:
        return {}
    rows = value[:ROWS]
    if isinstance(rows[0], dict) and all(isinstance(row, dict) for row in rows):
        return {str(name): [row.get(name) for row in rows] for name in rows[0]}
    if isinstance(rows[0], tuple) and {type(row) for row in rows} == {tuple}:
        return {str(at): [*column] for at, column in enumerate(zip(*rows, strict=False))}
    return {"": rows}


def _are_texts(column: list[Any]) -> bool:
    """Return whether these are strings, most of them of several words, and not of a few kinds."""
    if not all(isinstance(each, str) for each in column) or len(set(column)) < FEWEST:
        return False
    return 2 * sum(" " in each.strip() for each in column) > len(column)


def _are_classes(column: list[Any]) -> bool:
    if not all(isinstance(each, int | str) for each in column):
        return False
    return 1 < len(set(column)) <= CLASSES


def _found(batch: list[list[list[int]]], tokenizer: Any, texts: dict[str, Any]) -> dict[str, float]:
    """Compute in what share of a batch's rows each column's text is, beside another of its row.

    A text may be cut short: its beginning is enough beside one that is there as a whole. Where
    ids are given that are of none of the texts, they may be such in a way that is not known.
    """
    ids = {
        name: tokenizer(column, add_special_tokens=False)["input_ids"]
        for name, column in texts.items()
    }
    places: dict[tuple[int, ...], list[int]] = {}
    for column in ids.values():
        for at, text in enumerate(column):
            for begin in (0, 1):
                key = tuple(text[begin : begin + IDS])
                if len(key) >= FEWEST_IDS:
                    places.setdefault(key, []).append(at)
    lengths = {len(key) for key in places}
    found: list[set[str]] = []
    for table in batch:
        before = len(found)
        for row in table:
            sizes = {*lengths, FEWEST_IDS}
            given = {tuple(row[at : at + n]) for at in range(len(row)) for n in sizes}
            known = {at for key in given & places.keys() for at in places[key]}
            here = {n for n, c in ids.items() if any(_begins(c[at], given) for at in known)}
            found += [here] if known else []
        if len(found) - before < FEWEST:
            return {}
    if not found:
        return {}
    return {name: sum(name in each for each in found) / len(found) for name in ids}


def _begins(text: list[int], given: set[tuple[int, ...]]) -> bool:
    """Return whether a text's beginning is there, but for its first id; of a short one maybe."""
    keys = [tuple(text[begin : begin + FEWEST_IDS]) for begin in (0, 1)]
    return any(
        len(key) < FEWEST_IDS or key in given for key in keys[: 1 + (len(text) > FEWEST_IDS)]
    )


def _told(columns: Sequence[Any], labels: list[Any]) -> float:
    """Compute in what share of every other row the words tell the label, by their counts.

    What words of two texts have in common is told as well.
    """
    rows = [*map(_features, zip(*columns, strict=True))]
    known = [*zip(rows, labels, strict=True)]
    counts: dict[Any, Counter[str]] = {}
    for words, label in known[::2]:
        counts.setdefault(label, Counter()).update(words)
    times = Counter(label for _words, label in known[::2])
    every = len({word for each in counts.values() for word in each})
    sizes = {label: each.total() + every for label, each in counts.items()}

    def likely(words: set[str], label: Any) -> float:
        of_words = sum(math.log((counts[label][w] + 1) / sizes[label]) for w in words)
        return math.log(times[label]) + of_words

    answers = (max(times, key=lambda one: likely(words, one)) for words, _label in known[1::2])
    right = sum(bool(a == label) for a, (_words, label) in zip(answers, known[1::2], strict=True))
    return float(right / len(known[1::2]))


def _features(texts: Sequence[str]) -> set[str]:
    words = [{*text.lower().split()[:LONGEST]} for text in texts]
    shared = len(set.intersection(*words)) if len(words) > 1 else 0
    return {f"{at} {word}" for at, each in enumerate(words) for word in each} | {f"{shared}"}
