"""The text of a notebook's paired script, and the notebook with a script's text in its cells.

jupytext writes and reads the script, so that JupyterLab, where it keeps pairs too, has the same
text. What a script has no place for stays in the notebook: outputs, ids, attachments, metadata.
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
from course.notebook.document import Cell

_INDENT = re.compile(r"\s*\{\n([ \t]+)")
_MARK = re.compile(r"\s*#\s*(?:%%|\+)")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def to_script(notebook: Notebook, form: str) -> str:
    """The script of a notebook, in jupytext's format of this name.

    Raises:
        Unusable: a cell holds what no file of text can.

    """
    cells = [document.cell(c.kind, c.source, c.metadata) for c in notebook.cells]
    with _quiet():
        script: str = jupytext.writes(_node(cells, notebook.metadata), fmt=form)
    try:
        script.encode()
    except UnicodeEncodeError:
        raise Unusable("invalid", notebook.name, what="`source`") from None
    return script


def read(script: str, name: str, form: str) -> Any:
    """The notebook, with its `cells` and `metadata`, that jupytext reads in a script.

    Raises:
        UserError: it can't be read as cells.

    """
    try:
        with _quiet():
            return jupytext.reads(script, fmt=form)
    except Exception as error:
        # A header that is no YAML, a mark of a cell that is none: each has an error of its own.
        why = " ".join(str(error).split())[:80]
        said = _("{path} cannot be read as the cells of a notebook: {reason}.")
        raise UserError(said.format(path=f"`{name}`", reason=f"`{why}`")) from error


def open_string(script: str) -> int | None:
    """The line, from 1, in which a string begins that has no end and swallows cells; or None."""
    parser = StringParser("python")
    begun, swallows = 0, False
    for number, line in enumerate(script.splitlines(), start=1):
        inside = parser.is_quoted()
        swallows = bool(inside and (swallows or _MARK.match(line)))
        parser.read_line(line)
        if parser.is_quoted() and not inside:
            begun = number
    return begun if swallows and parser.is_quoted() else None


def is_told(notebook: Notebook, before: Sequence[Any]) -> bool:
    """Whether the cells of a notebook's own script are the notebook's.

    A cell that holds the mark of another, say, is two in a script.
    """
    return [c["cell_type"] for c in before] == [c.kind for c in notebook.cells]


def to_notebook(script: Sequence[Any], notebook: Notebook, before: Sequence[Any]) -> str:
    """The text of a notebook with the cells of a script; `before` are those of its own script.

    A cell that is found again keeps all that the script does not tell of it, and its source to
    the byte where the script has the same one as before.
    """
    plain = json.loads(notebook.text.removeprefix("\ufeff"))
    old = plain["cells"]
    told = is_told(notebook, before)
    if not told:
        cells = [document.cell(c.kind, c.source, c.metadata) for c in notebook.cells]
        before = _node(cells, {}).cells
    made = []
    for cell, place in zip(script, map_outputs_to_inputs(script, before), strict=True):
        if place is None:
            made.append(_new(cell, plain.get("nbformat_minor", 0)))
        else:
            known = before[place]["metadata"] if told else {}
            made.append(_renewed(old[place], cell, before[place]["source"], known))
    return _written({**plain, "cells": made}, notebook.text)


def fresh(script: Any, form: str) -> str:
    """The text of the notebook that a script makes by itself, by what `read` found in it."""
    metadata = _plain(script.metadata)
    about = {k: v for k, v in metadata.get("jupytext", {}).items() if k != "text_representation"}
    paired = {"jupytext": {**about, "formats": f"ipynb,{form}"}}
    cells = [{**_new(c, document.MINOR), "source": c["source"]} for c in script.cells]
    for cell, name in zip(cells, document.ids(cells), strict=True):
        cell["id"] = name
    return document.text(cells, {**document.KERNEL, **metadata, **paired})


def _node(cells: Sequence[Cell], metadata: dict[str, Any]) -> Any:
    plain = {"cells": cells, "metadata": metadata, "nbformat": document.MAJOR, "nbformat_minor": 4}
    return nbformat.from_dict(plain)  # type: ignore[no-untyped-call]


def _renewed(old: Cell, cell: Any, source: str, told: dict[str, Any]) -> Cell:
    """A notebook's cell with what a script has in its place now.

    `source` is what the script had before, `told` the metadata that it had.
    """
    made = dict(old)
    if cell["metadata"] != told:
        own = {k: v for k, v in old.get("metadata", {}).items() if k not in told}
        made["metadata"] = dict(sorted({**own, **_plain(cell["metadata"])}.items()))
    if cell["source"] != source:
        in_lines = isinstance(old["source"], list)
        made["source"] = _lines(cell["source"]) if in_lines else cell["source"]
    return made


def _new(cell: Any, minor: int) -> Cell:
    made = document.cell(cell["cell_type"], cell["source"], _plain(cell["metadata"]))
    named = {"id": cell["id"]} if minor >= document.MINOR else {}
    return dict(sorted({**made, **named, "source": _lines(cell["source"])}.items()))


def _lines(source: str) -> list[str]:
    return _LINE.findall(source)


def _plain(metadata: Any) -> dict[str, Any]:
    """Metadata without what JSON does not have, such as the dates of a header."""
    found: dict[str, Any] = json.loads(json.dumps(metadata, default=str))
    return found


def _written(plain: dict[str, Any], old: str) -> str:
    """A notebook laid out as its old text was."""
    indent = _INDENT.match(old.removeprefix("\ufeff"))

    def dumped(ascii_only: bool) -> str:
        return json.dumps(plain, ensure_ascii=ascii_only, indent=indent[1] if indent else None)

    text = dumped(ascii_only=old.isascii() and "\\u" in old)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = dumped(ascii_only=True)
    lead = "\ufeff" if old.startswith("\ufeff") else ""
    return lead + text + ("\n" if old.endswith("\n") else "")


@contextmanager
def _quiet() -> Iterator[None]:
    """Warnings that jupytext gives: of metadata that it leaves out, which stay in the notebook."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
