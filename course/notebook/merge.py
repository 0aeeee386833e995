"""The text of a notebook's paired script, and the notebook with a script's text in its cells.

jupytext writes and reads the script, and tells which cell is which, so that JupyterLab, where it
keeps pairs too, has the same text. What a script has no place for stays in the notebook: outputs,
ids, attachments, metadata, and the exact characters of a cell whose text is unchanged.
"""

import json
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

# First, so that what follows loads as fast.
from course.notebook.library import jupytext, nbformat  # isort: skip
from jupytext.combine import map_outputs_to_inputs
from jupytext.stringparser import StringParser

from course.errors import UserError
from course.i18n import _
from course.ipynb.notebook import Notebook, Unusable
from course.notebook import document
from course.notebook.document import CellDict

_MARK = re.compile(r"\s*#\s*(?:%%|\+)")


def to_script(notebook: Notebook, form: str) -> str:
    """Write the script of a notebook, in jupytext's format of this name.

    Raises:
        Unusable: a cell holds what no file of text can.

    """
    cells = [document.cell(c.kind, c.source, c.metadata) for c in notebook.cells]
    content = {"cells": cells, "metadata": notebook.metadata, "nbformat": 4, "nbformat_minor": 4}
    with without_warnings():
        node = nbformat.from_dict(content)  # type: ignore[no-untyped-call]
        script: str = jupytext.writes(node, fmt=form)
    try:
        script.encode()
    except UnicodeEncodeError:
        raise Unusable("invalid", notebook.name, what="`source`") from None
    return script


def read_script(script: str, name: str, form: str) -> Any:
    """Read a script as jupytext does: a notebook's node, with `cells` and `metadata`.

    Raises:
        UserError: it can't be read as cells.

    """
    try:
        with without_warnings():
            return jupytext.reads(with_newlines(script), fmt=form)
    except Exception as error:
        # A header that is no YAML, a mark of a cell that is none: each has an error of its own.
        why = " ".join(str(error).split())[:80]
        sentence = _("{path} cannot be read as the cells of a notebook: {reason}.")
        raise UserError(sentence.format(path=f"`{name}`", reason=f"`{why}`")) from error


def with_newlines(script: str) -> str:
    """A script without a byte-order mark, its lines ending as on Unix."""
    return script.removeprefix("\ufeff").replace("\r\n", "\n")


def find_open_string(script: str) -> int | None:
    """Find the line, from 1, of a string without an end that swallows the marks of cells."""
    parser = StringParser("python")
    begun, swallows = 0, False
    for number, line in enumerate(with_newlines(script).splitlines(), start=1):
        inside = parser.is_quoted()
        swallows = bool(inside and (swallows or _MARK.match(line)))
        parser.read_line(line)
        if parser.is_quoted() and not inside:
            begun = number
    return begun if swallows and parser.is_quoted() else None


def has_cells_of(notebook: Notebook, own: Sequence[Any]) -> bool:
    """Whether `own`, the cells read back from a notebook's script, are the notebook's, one to one.

    A cell that holds the mark of another, say, is two in a script.
    """
    return [c["cell_type"] for c in own] == [c.kind for c in notebook.cells]


def to_notebook(script: Sequence[Any], notebook: Notebook, own: Sequence[Any]) -> str:
    """Write a notebook with the cells of a script; `own` are those of its own script before.

    A cell that is found again keeps all that the script does not hold of it. Where nothing but
    texts of cells have changed, every other byte of the file stays; else it is laid out anew.
    """
    content = document.loads(notebook.text)
    old: list[CellDict] = content["cells"]
    if not has_cells_of(notebook, own):
        # Which of its metadata a script would hold can't be told: all stay.
        bare = [document.cell(c.kind, c.source) for c in notebook.cells]
        own = nbformat.from_dict(bare)  # type: ignore[no-untyped-call]
    made = []
    for cell, place in zip(script, map_outputs_to_inputs(script, own), strict=True):
        if place is None:
            made.append(_new_cell(cell, content.get("nbformat_minor", 0)))
        else:
            made.append(_updated(old[place], own[place], cell))
    sources = {number: cell["source"] for number, cell in enumerate(made, start=1)}
    if [c | {"source": ""} for c in made] == [c | {"source": ""} for c in old]:
        return notebook.replaced(sources)
    lead = "\ufeff" if notebook.text.startswith("\ufeff") else ""
    return lead + document.dumps(content | {"cells": made})


def new_notebook(script: Any, form: str) -> str:
    """Write the notebook that a script makes by itself, by what `read_script` found in it."""
    metadata = _as_json(script.metadata)
    about = {k: v for k, v in metadata.get("jupytext", {}).items() if k != "text_representation"}
    paired = {"jupytext": {**about, "formats": f"ipynb,{form}"}}
    cells = [_new_cell(c, document.MINOR) for c in script.cells]
    for cell, name in zip(cells, document.ids(cells), strict=True):
        cell["id"] = name
    return document.text(cells, {**document.KERNEL, **metadata, **paired})


def _updated(old: CellDict, own: Any, cell: Any) -> CellDict:
    """A cell of the notebook with what has changed from its `own` text to a script's `cell`."""
    made = dict(old)
    if cell["source"] != own["source"]:
        made["source"] = cell["source"]
    if cell["metadata"] != own["metadata"]:
        kept = {k: v for k, v in old.get("metadata", {}).items() if k not in own["metadata"]}
        made["metadata"] = kept | _as_json(cell["metadata"])
    return made


def _new_cell(cell: Any, minor: int) -> CellDict:
    made = document.cell(cell["cell_type"], cell["source"], _as_json(cell["metadata"]))
    return made | ({"id": cell["id"]} if minor >= document.MINOR else {})


def _as_json(metadata: Any) -> dict[str, Any]:
    """Metadata without what JSON does not have, such as the dates of a YAML header."""
    found: dict[str, Any] = json.loads(json.dumps(metadata, default=str))
    return found


@contextmanager
def without_warnings() -> Iterator[None]:
    """Silence jupytext's warnings of metadata that it leaves out: they are kept by us."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
