"""A notebook as data, and as the text that Jupyter would write for it."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from course.ipynb import generated

MAJOR, MINOR = 4, 5
"""The format that is written: https://nbformat.readthedocs.io/en/latest/format_description.html."""
KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
"""What the metadata of a notebook say about its kernel: the usual one, in any version."""

Cell = dict[str, Any]
"""A cell as the format has it, its source in one piece."""


def cell(kind: str, source: str, metadata: dict[str, Any] | None = None) -> Cell:
    """A cell of this kind (`code`, `markdown`, `raw`), without outputs."""
    made: Cell = {"cell_type": kind, "metadata": metadata or {}, "source": source}
    if kind == "code":
        made |= {"execution_count": None, "outputs": []}
    return made


def ids(cells: Sequence[Cell]) -> list[str]:
    """Ids for cells, by their place among those of their kind: the same ones each time."""
    counted: Counter[str] = Counter()
    named = []
    for each in cells:
        kind = generated.kind(each["metadata"], each["source"]) or "cell"
        counted[kind] += 1
        named.append(f"{kind}-{counted[kind]}")
    return named


def text(cells: Sequence[Cell], metadata: dict[str, Any], minor: int = MINOR) -> str:
    """The file's text, as Jupyter lays it out: saved there untouched, it stays as it is."""
    document = {
        "cells": [{**each, "source": each["source"].splitlines(keepends=True)} for each in cells],
        "metadata": metadata,
        "nbformat": MAJOR,
        "nbformat_minor": minor,
    }
    return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
