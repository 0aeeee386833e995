"""Notebooks as they lie on the disk: read for their cells, rewritten only where a cell's text is.

A notebook is JSON (https://nbformat.readthedocs.io/en/latest/format_description.html), and each
editor writes it in its own way. So what is to change is replaced within the file's text: outputs,
ids, tags, attachments, whatever an editor keeps there stay as they are, to the byte.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from course.base.errors import UserError
from course.base.i18n import _, about
from course.base.texts import sentences
from course.notebook.cells import generated

FORMAT = 4
CAP = 64 * 2**20
"""Bytes of the largest notebook that is read: pictures among the outputs take their room."""
CODE_CAP = 1_000_000
"""Characters of code in it, as many as a script may have."""

NotebookReason = Literal[
    "not-json",
    "conflict",
    "old-format",
    "invalid",
    "no-code",
    "foreign-kernel",
    "too-large",
    "too-much-code",
    "magic",
    "shell",
    "input",
]

SENTENCES = sentences("notebooks")


class Unusable(UserError):
    """A notebook that can't be used, for this reason; the file is as it was."""

    def __init__(self, reason: NotebookReason, name: str, **figures: str | int) -> None:
        quoted = {k: f"`{v}`" if k in ("line", "found") else v for k, v in figures.items()}
        if reason in ("not-json", "conflict"):
            quoted = dict(figures)
        sentence = _(SENTENCES[reason]).format(path=f"`{name}`", **quoted)
        if "{path}" not in SENTENCES[reason]:
            cell = f"[{figures['cell']}]" if "cell" in figures else ""
            place = f":{figures['line']}" if "line" in figures else ""
            sentence = about(f"`{name}{cell}{place}`", sentence)
        super().__init__(sentence)
        self.reason = reason


@dataclass(frozen=True)
class Cell:
    """A cell: its number from 1 among all cells, and its text in one piece.

    `generated` is what kind of ours it is, while it is as we made it. `start` and `end` say where
    in the file's text the value of `source` stands.
    """

    number: int
    kind: str
    source: str
    generated: generated.CellKind | None
    start: int
    end: int


@dataclass(frozen=True)
class Notebook:
    """A notebook: the file's whole text, its cells in their order, the metadata of the whole.

    `name` is its file's name in messages.
    """

    name: str
    text: str
    cells: tuple[Cell, ...]
    metadata: dict[str, Any]

    @property
    def code(self) -> tuple[Cell, ...]:
        """The cells with code that are the learner's own."""
        return tuple(c for c in self.cells if c.kind == "code" and c.generated is None)

    def replaced(self, sources: Mapping[int, str]) -> str:
        """Return the file's text with other sources in the cells of these numbers, else as is."""
        text = self.text
        for cell in reversed(self.cells):
            if cell.number in sources and sources[cell.number] != cell.source:
                value = _written(sources[cell.number], text[cell.start : cell.end], text.isascii())
                text = text[: cell.start] + value + text[cell.end :]
        return text


def is_notebook(name: str) -> bool:
    """Whether a file is one, by its name."""
    return name.lower().endswith(".ipynb")


def too_large(name: str) -> Unusable:
    """Make the error for a notebook that is larger than `CAP`."""
    return Unusable("too-large", name, cap=CAP // 2**20)


def damaged(name: str, data: bytes) -> Unusable:
    """Make the error for a file whose bytes are no text in UTF-8, with the line where they end."""
    try:
        sound = data[: max(data.find(b"\0"), 0)].decode()
    except UnicodeDecodeError as error:
        sound = data[: error.start].decode()
    return Unusable("not-json", name, line=sound.count("\n") + 1)


def read(text: str, name: str) -> Notebook:
    """Read the text of a notebook.

    Raises:
        Unusable: it is no notebook, or none that could be run.

    """
    if len(text) > CAP:
        raise too_large(name)
    body = text.removeprefix("\ufeff")
    document = _parsed(body, name)
    _check(document, name)
    spans = _sources(text, len(text) - len(body))
    cells = []
    for number, raw in enumerate(document["cells"], start=1):
        cells.append(_cell(number, raw, next(spans), name))
    if sum(len(c.source) for c in cells if c.kind == "code") > CODE_CAP:
        raise Unusable("too-much-code", name)
    if not any(c.kind == "code" and c.source.strip() for c in cells):
        raise Unusable("no-code", name)
    return Notebook(name, text, tuple(cells), document.get("metadata") or {})


def _parsed(body: str, name: str) -> dict[str, Any]:
    try:
        document = json.loads(body, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        conflict = re.search(r"^(<{7}|>{7}) ", body, re.MULTILINE)
        if conflict is not None:
            line = body.count("\n", 0, conflict.start()) + 1
            raise Unusable("conflict", name, line=line) from None
        raise Unusable("not-json", name, line=error.lineno) from None
    except (RecursionError, ValueError):
        # Nested without end, or a number of thousands of digits.
        raise Unusable("invalid", name, what="`cells`") from None
    if not isinstance(document, dict):
        raise Unusable("invalid", name, what="`cells`")
    return document


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object; with a key twice it can be read in two ways, so it is none of Jupyter's."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _check(document: dict[str, Any], name: str) -> None:
    """Make sure that it is a notebook, of a format that is still written, for Python."""
    number = document.get("nbformat")
    if isinstance(number, int) and number < FORMAT and ("worksheets" in document or number > 0):
        raise Unusable("old-format", name, found=number)
    if number != FORMAT:
        raise Unusable("invalid", name, what="`nbformat`")
    if not isinstance(document.get("cells"), list):
        raise Unusable("invalid", name, what="`cells`")
    metadata = document.get("metadata", {})
    if not isinstance(metadata, dict):
        raise Unusable("invalid", name, what="`metadata`")
    for key, field in (("kernelspec", "language"), ("language_info", "name")):
        named = metadata.get(key)
        language = named.get(field) if isinstance(named, dict) else None
        if isinstance(language, str) and language and language.lower() not in ("python", "ipython"):
            raise Unusable("foreign-kernel", name, found=language[:40])


def _cell(number: int, raw: Any, span: tuple[int, int], name: str) -> Cell:
    if not isinstance(raw, dict) or raw.get("cell_type") not in ("code", "markdown", "raw"):
        raise Unusable("invalid", name, what="`cell_type`")
    source, metadata = raw.get("source"), raw.get("metadata", {})
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        raise Unusable("invalid", name, what="`source`")
    if not isinstance(metadata, dict):
        raise Unusable("invalid", name, what="`metadata`")
    return Cell(
        number=number,
        kind=raw["cell_type"],
        source=source,
        generated=generated.kind(metadata, source),
        start=span[0],
        end=span[1],
    )


_SPACE = re.compile(r"[ \t\r\n]*")


def _sources(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Where the `source` of each cell stands in a text that is JSON; an empty span for none."""
    for key, value, _end in _entries(text, start):
        if key == "cells" and text[value] == "[":
            for _key, cell, _after in _entries(text, value):
                inner = _entries(text, cell) if text[cell] == "{" else ()
                yield next(((at, end) for name, at, end in inner if name == "source"), (cell, cell))


def _entries(text: str, start: int) -> Iterator[tuple[str, int, int]]:
    """Each entry of the object or list that begins at `start`: its key, where its value stands."""
    begin = _skip(text, start)
    at = _skip(text, begin + 1)
    while text[at] not in "}]":
        key = ""
        if text[begin] == "{":
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        end = _DECODER.raw_decode(text, at)[1]
        yield key, at, end
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)


_DECODER = json.JSONDecoder()


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _written(source: str, old: str, ascii_only: bool) -> str:
    """Write a source as JSON, laid out as the old one was: in one piece, or a line an element."""

    def quoted(value: str) -> str:
        return json.dumps(value, ensure_ascii=ascii_only)

    if not old.startswith("["):
        return quoted(source)
    lines = [quoted(line) for line in re.findall(r"[^\n]*\n|[^\n]+", source)]
    if not lines:
        return "[]"
    spans = [(at, end) for _key, at, end in _entries(old, 0)]
    lead, joint, tail = "", ", ", ""
    if spans:
        lead = old[1 : spans[0][0]]
        tail = old[spans[-1][1] : -1]
        joint = "," + (lead or " ")
    if len(spans) > 1:
        joint = old[spans[0][1] : spans[1][0]]
    return f"[{lead}{joint.join(lines)}{tail}]"
