"""Either form of a notebook from the other, in jupytext's percent format, so that nothing is lost.

jupytext writes and reads the script. What the format has no place for is kept in the line that
begins a cell, under one key: ids where they are not those that we would give, attachments, and
whatever jupytext would not give back as it was, which is found by reading what it has written.
Outputs, execution counts and the state of widgets have no place in a script.
"""

import json
import re
from contextlib import suppress
from typing import Any
from urllib.parse import quote, unquote

from course.errors import UserError
from course.i18n import _
from course.notebook import document
from course.notebook.document import CellDict
from course.notebook.library import jupytext, nbformat
from course.notebook.merge import with_newlines, without_warnings

FORMAT = {
    "extension": ".py",
    "format_name": "percent",
    "notebook_metadata_filter": "all,-jupytext",
    "cell_metadata_filter": "all",
}
KEY = "course_kept"
"""The key, in the metadata of a cell and of a notebook, of what the format has no place for."""
BARE = '# %% course={"bare": true}\n'
"""What stands for the line that does not begin the text before a script's first cell."""
APART: tuple[tuple[str, ...], ...] = ((), ("metadata",), ("metadata", "source"))
"""What of a cell is kept apart: the least with which it comes back as it was."""
NEXT: CellDict = {"cell_type": "code", "source": "pass", "metadata": {}, "id": "next"}
_HEAD = re.compile(r"\s*#[ \t]*(?:%%|---[ \t]*$|<codecell>|In\[)", re.MULTILINE)
_MARK = re.compile(r"^([ \t]*#)(\\*[ \t]*(?:%%|<codecell>|In\[))", re.MULTILINE)
_ESCAPED = re.compile(r"^([ \t]*#)\\(\\*[ \t]*(?:%%|<codecell>|In\[))", re.MULTILINE)


def to_script(text: str) -> str:
    """Write the script of a notebook's text, from which `to_notebook` makes the same one again.

    The text is that of a notebook of format 4 for Python, in which every cell is whole.

    Raises:
        ValueError: something is lost although everything was kept apart.

    """
    # Programs differ in the order of keys; the script is not to.
    content = _without_outputs(json.loads(json.dumps(document.loads(text), sort_keys=True)))
    cells = content["cells"]
    script = _written(content, [APART[0]] * len(cells))
    if script is None:
        script = _written(content, [_least_apart(cell) for cell in cells])
    if script is None:
        script = _written(content, [APART[-1]] * len(cells))
    if script is None:
        raise ValueError("a notebook does not come back from its script")
    return script


def to_notebook(script: str) -> str:
    """Write the text of the notebook that a script in the percent format makes, without outputs.

    Raises:
        UserError: what stands in the lines between its cells makes no sense.

    """
    try:
        with without_warnings():
            content = _read(with_newlines(script))
    except Exception as error:
        sentence = _("The script cannot be read as a notebook: {reason}.")
        reason = f"{type(error).__name__}: {error}"
        raise UserError(sentence.format(reason=reason)) from error
    cells = []
    for each in content["cells"]:
        cell = document.cell(each["cell_type"], each["source"], each["metadata"])
        cells.append(cell | {k: each[k] for k in ("id", "attachments") if each.get(k) is not None})
    return document.text(cells, content["metadata"], content["nbformat_minor"])


def _without_outputs(raw: dict[str, Any]) -> dict[str, Any]:
    """What both forms hold of a notebook; each cell has an `id`, or None for it."""
    keys = ("cell_type", "source", "attachments")
    cells = [
        {k: each[k] for k in keys if k in each}
        | {"metadata": each.get("metadata", {}), "id": each.get("id")}
        for each in raw["cells"]
    ]
    metadata = {k: v for k, v in raw.get("metadata", {}).items() if k != "widgets"}
    return {
        "cells": cells,
        "metadata": metadata,
        "nbformat_minor": raw.get("nbformat_minor", 0),
    }


def _least_apart(cell: CellDict) -> tuple[str, ...]:
    """What of a cell must be kept apart so that it comes back, and the next one after it."""
    content = {"cells": [cell, NEXT], "metadata": document.KERNEL, "nbformat_minor": document.MINOR}
    return next((apart for apart in APART if _written(content, [apart, ()])), APART[-1])


def _written(content: dict[str, Any], apart: list[tuple[str, ...]]) -> str | None:
    """Write a script with these parts of its cells kept apart, or None if it would lose anything.

    The metadata of the whole are kept apart only where that is needed.
    """
    wanted = json.dumps(content, sort_keys=True)
    for header_apart in (False, True):
        # Metadata may hold anything, and jupytext takes some of them for its own.
        with suppress(Exception), without_warnings():
            script = _write(content, apart, header_apart)
            if json.dumps(_read(script), sort_keys=True) == wanted:
                return script
    return None


def _write(content: dict[str, Any], apart: list[tuple[str, ...]], header_apart: bool) -> str:
    """Write a script; jupytext's own errors are raised."""
    cells = []
    for cell, usual, keys in zip(content["cells"], _usual_ids(content), apart, strict=True):
        kept, body = _marked(cell["source"], cell["cell_type"])
        if "source" in keys:
            kept, body = {}, ""
        if cell["id"] != usual:
            kept["id"] = cell["id"]
        packed = {k: cell[k] for k in (*keys, "attachments") if k in cell}
        if packed:
            kept["apart"] = _packed(packed)
        metadata = ({} if "metadata" in keys else cell["metadata"]) | ({KEY: kept} if kept else {})
        cells.append({"cell_type": cell["cell_type"], "metadata": metadata, "source": body})
    about = {"metadata": content["metadata"], "minor": content["nbformat_minor"]}
    if about == {"metadata": document.KERNEL, "minor": document.MINOR}:
        header = {}
    elif header_apart or content["nbformat_minor"] != document.MINOR:
        header = {KEY: _packed(about)}
    else:
        header = content["metadata"]
    raw = {"cells": cells, "metadata": header, "nbformat": 4, "nbformat_minor": 0}
    node = nbformat.from_dict(raw)  # type: ignore[no-untyped-call]
    script: str = jupytext.writes(node, fmt=FORMAT)
    return script.removeprefix(BARE)


def _read(script: str) -> dict[str, Any]:
    """Read what a script holds, as `_without_outputs` has it; jupytext's own errors are raised."""
    if script and not _HEAD.match(script):
        script = BARE + script
    found = jupytext.reads(script, fmt=FORMAT)
    # A header is YAML, which knows dates and other things that JSON does not.
    raw = json.loads(json.dumps(found, default=str))
    metadata = raw["metadata"]
    metadata.pop("jupytext", None)
    about = _unpacked(metadata.get(KEY))
    if isinstance(about.get("metadata"), dict) and isinstance(about.get("minor"), int):
        metadata, minor = about["metadata"], about["minor"]
    else:
        metadata, minor = metadata or document.KERNEL, document.MINOR
    cells = [_read_cell(each) for each in raw["cells"]]
    content = {"cells": cells, "metadata": metadata, "nbformat_minor": minor}
    taken = {cell.get("id") for cell in cells}
    for cell, name in zip(cells, _usual_ids(content), strict=True):
        if "id" not in cell:
            number, cell["id"] = 1, name
            while name is not None and cell["id"] in taken:
                number += 1
                cell["id"] = f"{name}-{number}"
            taken.add(cell["id"])
    return content


def _read_cell(raw: dict[str, Any]) -> CellDict:
    """A cell as it was before it was written; it has an `id` only where one was kept."""
    kind, metadata, source = raw["cell_type"], raw["metadata"], raw["source"]
    found = metadata.pop(KEY, None)
    kept = found if isinstance(found, dict) else {}
    apart = _unpacked(kept.get("apart"))
    if isinstance(apart.get("metadata"), dict):
        metadata = apart["metadata"]
    if isinstance(apart.get("source"), str) and not source.strip():
        source = apart["source"]
    else:
        source = _unmarked(source, kind, kept)
    cell: CellDict = {"cell_type": kind, "source": source, "metadata": metadata}
    if "id" in kept:
        cell["id"] = kept["id"] if isinstance(kept["id"], str) else None
    if isinstance(apart.get("attachments"), dict):
        cell["attachments"] = apart["attachments"]
    return cell


def _usual_ids(content: dict[str, Any]) -> list[str | None]:
    """The ids that are not written: cells had none before format 4.5."""
    if content["nbformat_minor"] < document.MINOR:
        return [None] * len(content["cells"])
    return [*document.ids(content["cells"])]


def _marked(source: str, kind: str) -> tuple[dict[str, Any], str]:
    """Of a source what the format has no place for, and the rest with its marks of cells escaped.

    The first has the white space at its `tail`, and `ends` where its lines end as on Windows.
    """
    body = source.rstrip()
    kept = {"tail": source[len(body) :]} if body != source else {}
    bare = body.replace("\r\n", "")
    if body != bare and "\n" not in bare and "\r" not in bare:
        body = body.replace("\r\n", "\n")
        kept["ends"] = "crlf"
    return kept, _MARK.sub(r"\1\\\2", body) if kind == "code" else body


def _unmarked(body: str, kind: str, kept: dict[str, Any]) -> str:
    """The source of which `_marked` has made `kept` and `body`."""
    source = _ESCAPED.sub(r"\1\2", body) if kind == "code" else body
    if kept.get("ends") == "crlf":
        source = source.replace("\n", "\r\n")
    tail = kept.get("tail")
    return source + tail if isinstance(tail, str) else source


def _packed(value: dict[str, Any]) -> str:
    """A value as one word, in which jupytext finds nothing to take apart."""
    return quote(json.dumps(value, ensure_ascii=False), safe="+/")


def _unpacked(word: Any) -> dict[str, Any]:
    """The value that `_packed` made a word of; empty for one that is damaged."""
    try:
        value = json.loads(unquote(word, errors="strict"))
    except (TypeError, ValueError, AttributeError):
        return {}
    return value if isinstance(value, dict) else {}
