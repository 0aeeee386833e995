"""Either form of a notebook from the other, in jupytext's percent format, so that nothing is lost.

What the format has no place for is kept in the line that begins a cell, under one key: ids where
they are not those that we would give, attachments, and whatever jupytext would not give back as
it was. That is found out by reading what has been written. Outputs, execution counts and the
state of widgets have no place in a script.
"""

import json
import re
import warnings
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, unquote

from course.errors import UserError
from course.i18n import _
from course.notebook import document
from course.notebook.document import Cell
from course.notebook.library import jupytext, nbformat

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
_HEAD = re.compile(r"\s*#[ \t]*(?:%%|---[ \t]*$|<codecell>|In\[)", re.MULTILINE)
_MARK = re.compile(r"^([ \t]*#)(\\*[ \t]*(?:%%|<codecell>|In\[))", re.MULTILINE)
_ESCAPED = re.compile(r"^([ \t]*#)\\(\\*[ \t]*(?:%%|<codecell>|In\[))", re.MULTILINE)


@dataclass(frozen=True)
class Content:
    """What both forms hold: cells without outputs, the metadata of the whole, the format's minor.

    A cell has an `id`, or None for it, and `attachments` where there are any.
    """

    cells: tuple[Cell, ...]
    metadata: dict[str, Any]
    minor: int = document.MINOR


@dataclass(frozen=True)
class Care:
    """What jupytext does not give back as it was, and so is kept apart.

    The numbers of cells, from 0, whose `metadata` and whose `sources` are of that kind; whether
    the metadata of the `whole` are.
    """

    metadata: frozenset[int] = frozenset()
    sources: frozenset[int] = frozenset()
    whole: bool = False


def to_script(text: str) -> str:
    """The script of a notebook's text, from which `to_notebook` makes the same notebook again.

    The text is that of a notebook of format 4 for Python, in which every cell is whole.
    """
    plain = json.loads(text.removeprefix("\ufeff"))
    # Programs differ in the order of keys; the script is not to.
    content = _content(json.loads(json.dumps(plain, sort_keys=True)))
    care: Care | None = Care()
    while care is not None:
        script, found = _tried(content, care)
        care = _more(care, content, found)
    return script


def to_notebook(script: str) -> str:
    """The text of the notebook that a script in the percent format makes, without outputs.

    Raises:
        UserError: what stands in the lines between its cells makes no sense.

    """
    try:
        content = _read(script.removeprefix("\ufeff").replace("\r\n", "\n"))
    except Exception as error:
        said = _("The script cannot be read as a notebook: {reason}.")
        raise UserError(said.format(reason=f"{type(error).__name__}: {error}")) from error
    cells = []
    for each in content.cells:
        cell = document.cell(each["cell_type"], each["source"], each["metadata"])
        cells.append(cell | {k: each[k] for k in ("id", "attachments") if each.get(k) is not None})
    return document.text(cells, content.metadata, content.minor)


def _tried(content: Content, care: Care) -> tuple[str, Content | None]:
    """The script, and what is read from it; None where jupytext stumbles over either."""
    try:
        with warnings.catch_warnings():
            # Of what it leaves out; it is found out here whatever it is.
            warnings.simplefilter("ignore")
            script = _write(content, care)
        return script, _read(script)
    except Exception:  # noqa: BLE001 - jupytext has no error of its own, and says so to nobody
        # Metadata may hold anything, and jupytext takes some of them for its own.
        return "", None


def _content(plain: dict[str, Any]) -> Content:
    cells = []
    for each in plain["cells"]:
        source = each["source"]
        cell: Cell = {
            "cell_type": each["cell_type"],
            "source": source if isinstance(source, str) else "".join(source),
            "metadata": each.get("metadata", {}),
            "id": each.get("id"),
        }
        if "attachments" in each:
            cell["attachments"] = each["attachments"]
        cells.append(cell)
    metadata = {k: v for k, v in plain.get("metadata", {}).items() if k != "widgets"}
    return Content(tuple(cells), metadata, plain.get("nbformat_minor", 0))


def _more(care: Care, wanted: Content, found: Content | None) -> Care | None:
    """What is to be kept apart now that this was found in the script; None where nothing is lost.

    Raises:
        ValueError: something is lost although everything was kept apart.

    """
    every = frozenset(range(len(wanted.cells)))
    if found is None:
        return _further(care, replace(care, metadata=every, whole=True), every)
    whole = not _same((wanted.metadata, wanted.minor), (found.metadata, found.minor))
    pairs = enumerate(zip(wanted.cells, found.cells, strict=False))
    wrong = {number for number, pair in pairs if not _same(*pair)}
    if len(wanted.cells) != len(found.cells):
        # From the first wrong cell on, others stand in its place.
        shorter = min(len(wanted.cells), len(found.cells))
        wrong = {min(wrong, default=max(shorter - 1, 0))}
    if not wrong and not whole:
        return None
    more = Care(
        metadata=care.metadata | wrong,
        sources=care.sources | (wrong & care.metadata),
        whole=care.whole or whole,
    )
    return _further(care, more, every)


def _further(care: Care, more: Care, every: frozenset[int]) -> Care:
    """More care; where that is none, the trouble is elsewhere, and everything is kept apart."""
    if more != care:
        return more
    if care.sources == every:
        raise ValueError("a notebook does not come back from its script")
    return Care(every, every, whole=True)


def _same(first: Any, second: Any) -> bool:
    return json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)


def _write(content: Content, care: Care) -> str:
    usual = _usual_ids(content)
    named = [cell["id"] for cell in content.cells] != usual
    cells = []
    for number, cell in enumerate(content.cells):
        kept, apart = ({"id": cell["id"]} if named else {}), {}
        metadata, source = cell["metadata"], cell["source"]
        if "attachments" in cell:
            apart["attachments"] = cell["attachments"]
        if number in care.metadata:
            apart["metadata"], metadata = metadata, {}
        if number in care.sources:
            apart["source"], source = source, ""
        else:
            source, ends = _plain(source, cell["cell_type"])
            kept |= ends
        if apart:
            kept["apart"] = _packed(apart)
        cells.append(
            {
                "cell_type": cell["cell_type"],
                "metadata": metadata | ({KEY: kept} if kept else {}),
                "source": source,
            }
        )
    plain = {
        "cells": cells,
        "metadata": _header(content, care),
        "nbformat": document.MAJOR,
        "nbformat_minor": 0,
    }
    node = nbformat.from_dict(plain)  # type: ignore[no-untyped-call]
    script: str = jupytext.writes(node, fmt=FORMAT)
    return script.removeprefix(BARE)


def _header(content: Content, care: Care) -> dict[str, Any]:
    """The metadata that the script begins with; none for those of any notebook."""
    about = {"metadata": content.metadata, "minor": content.minor}
    if _same(about, {"metadata": document.KERNEL, "minor": document.MINOR}):
        return {}
    if care.whole or content.minor != document.MINOR:
        return {KEY: _packed(about)}
    return content.metadata


def _read(script: str) -> Content:
    if script and not _HEAD.match(script):
        script = BARE + script
    found = jupytext.reads(script, fmt=FORMAT)
    # A header is YAML, which knows dates and other things that JSON does not.
    plain = json.loads(json.dumps(found, default=str))
    metadata = plain["metadata"]
    metadata.pop("jupytext", None)
    about = _unpacked(metadata.get(KEY))
    if isinstance(about.get("metadata"), dict) and isinstance(about.get("minor"), int):
        metadata, minor = about["metadata"], about["minor"]
    else:
        metadata, minor = metadata or document.KERNEL, document.MINOR
    content = Content(tuple(map(_cell, plain["cells"])), metadata, minor)
    return replace(content, cells=_named(content))


def _cell(plain: dict[str, Any]) -> Cell:
    """A cell as it was before it was written; it has an `id` only where one was kept."""
    kind, metadata, source = plain["cell_type"], plain["metadata"], plain["source"]
    kept = metadata.pop(KEY, {}) if isinstance(metadata.get(KEY), dict) else {}
    apart = _unpacked(kept.get("apart"))
    if isinstance(apart.get("metadata"), dict):
        metadata = apart["metadata"]
    if isinstance(apart.get("source"), str) and not source.strip():
        source = apart["source"]
    else:
        source = _whole(source, kind, kept)
    cell: Cell = {"cell_type": kind, "source": source, "metadata": metadata}
    if "id" in kept:
        cell["id"] = kept["id"] if isinstance(kept["id"], str) else None
    if isinstance(apart.get("attachments"), dict):
        cell["attachments"] = apart["attachments"]
    return cell


def _named(content: Content) -> tuple[Cell, ...]:
    """The cells, each with an id of its own."""
    taken = {cell.get("id") for cell in content.cells}
    cells = []
    for cell, name in zip(content.cells, _usual_ids(content), strict=True):
        if "id" not in cell and name is not None:
            stem, number = name, 1
            while name in taken:
                number += 1
                name = f"{stem}-{number}"
            taken.add(name)
        cells.append({"id": name, **cell})
    return tuple(cells)


def _usual_ids(content: Content) -> list[str | None]:
    """The ids that are not written: none had cells before format 4.5."""
    if content.minor < document.MINOR:
        return [None] * len(content.cells)
    return [*document.ids(content.cells)]


def _plain(source: str, kind: str) -> tuple[str, dict[str, str]]:
    """A source with nothing in it that a script would take for something else; what to add."""
    body = source.rstrip()
    kept = {"tail": source[len(body) :]} if body != source else {}
    bare = body.replace("\r\n", "")
    if body != bare and "\n" not in bare and "\r" not in bare:
        body = body.replace("\r\n", "\n")
        kept["ends"] = "crlf"
    return (_MARK.sub(r"\1\\\2", body) if kind == "code" else body), kept


def _whole(body: str, kind: str, kept: dict[str, Any]) -> str:
    """The reverse of `_plain`."""
    source = _ESCAPED.sub(r"\1\2", body) if kind == "code" else body
    if kept.get("ends") == "crlf":
        source = source.replace("\n", "\r\n")
    tail = kept.get("tail")
    return source + tail if isinstance(tail, str) else source


def _packed(value: dict[str, Any]) -> str:
    """A value as one word, in which jupytext finds nothing to take apart."""
    return quote(json.dumps(value, ensure_ascii=False), safe="+/")


def _unpacked(word: Any) -> dict[str, Any]:
    """The reverse of `_packed`; empty for what somebody has damaged."""
    try:
        value = json.loads(unquote(word, errors="strict"))
    except (TypeError, ValueError, AttributeError):
        return {}
    return value if isinstance(value, dict) else {}
