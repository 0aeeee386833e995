"""A notebook as data, and as the text that Jupyter would write for it."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from course.notebook.cells import generated

MAJOR, MINOR = 4, 5
"""The format that is written: https://nbformat.readthedocs.io/en/latest/format_description.html."""
KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
"""What the metadata of a notebook say about its kernel: the usual one, in any version."""

CellDict = dict[str, Any]
"""A cell as the format has it, its source in one piece."""


def cell(kind: str, source: str, metadata: dict[str, Any] | None = None) -> CellDict:
    """Make a cell of this kind (`code`, `markdown`, `raw`), without outputs."""
    made: CellDict = {"cell_type": kind, "metadata": metadata or {}, "source": source}
    if kind == "code":
        made |= {"execution_count": None, "outputs": []}
    return made


def ids(cells: Sequence[CellDict]) -> list[str]:
    """Name cells by their place among those of their kind: the same ids each time."""
    counted: Counter[str] = Counter()
    named = []
    for each in cells:
        kind = generated.kind(each["metadata"], each["source"]) or "cell"
        counted[kind] += 1
        named.append(f"{kind}-{counted[kind]}")
    return named


def loads(text: str) -> dict[str, Any]:
    """Read a notebook's text that `cells.notebook.read` has accepted; each cell is a `CellDict`."""
    found: dict[str, Any] = json.loads(text.removeprefix("\ufeff"))
    cells = [{**each, "source": "".join(each["source"])} for each in found["cells"]]
    return found | {"cells": cells}


def dumps(notebook: dict[str, Any]) -> str:
    """Write the file's text as Jupyter lays it out: saved there untouched, it stays as it is."""
    lines = [{**c, "source": c["source"].splitlines(keepends=True)} for c in notebook["cells"]]
    whole = notebook | {"cells": lines}
    return json.dumps(whole, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def text(cells: Sequence[CellDict], metadata: dict[str, Any]) -> str:
    """Write the text of a notebook with these cells, named by `ids`, and metadata of the whole."""
    named = [{**each, "id": name} for each, name in zip(cells, ids(cells), strict=True)]
    whole = {"cells": named, "metadata": metadata, "nbformat": MAJOR, "nbformat_minor": MINOR}
    return dumps(whole)
