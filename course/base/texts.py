"""How the texts of lessons and faults, and the program's own, are written on disk.

A text is plain prose in paragraphs (a blank line ends one; single line breaks are spaces) with
code between backticks, or in a block of its own, indented by four. Each paragraph is one entry of
the translators' catalogue. What the program says itself is in tables, `course/tables/*.toml`.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from course.base import paths, schema

TABLES = paths.PACKAGE / "tables"
_NAME = re.compile(r"`[^`]+`")
_CELL = re.compile(r"^# %%(.*)$")
_PROSE = re.compile(r"^(#[# ]*)(\S.*?)\s*$")


def paragraphs(text: str) -> list[str]:
    """Split a text into paragraphs, each on one line; without its blocks of code."""
    return [piece for piece, is_code in pieces(text) if not is_code]


def pieces(text: str) -> list[tuple[str, bool]]:
    """Split a text into paragraphs, each on one line, and blocks of code, which are not translated.

    In a block of code each line begins with four spaces, which are taken away.
    """
    found = []
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        lines = part.splitlines()
        if not part.strip():
            continue
        if all(line.startswith("    ") for line in lines):
            found.append(("\n".join(line[4:].rstrip() for line in lines), True))
        else:
            found.append((" ".join(part.split()), False))
    return found


def is_name(text: str) -> bool:
    """Whether a text is a name alone, `DataLoader`, which is the same in each language."""
    return _NAME.fullmatch(text) is not None


def prose(script: str) -> Iterator[str]:
    """Yield the lines of prose in the Markdown cells of a script in jupytext's percent format."""
    for _mark, text in _lines(script):
        if text:
            yield text


def translated(script: str, translate: Callable[[str], str]) -> str:
    """Translate each line of prose of the script, and leave its code untouched."""
    return "".join(f"{mark}{translate(text)}\n" if text else mark for mark, text in _lines(script))


def _lines(script: str) -> Iterator[tuple[str, str]]:
    """Each line of a script: the mark of a line of prose (`# ## `) and its text, or all of it."""
    markdown = False
    for line in script.splitlines(keepends=True):
        cell = _CELL.match(line)
        if cell:
            markdown = "[markdown]" in cell.group(1)
        sentence = _PROSE.match(line) if markdown and not cell else None
        yield (sentence.group(1), sentence.group(2)) if sentence else (line, "")


@cache
def load_table(name: str) -> dict[str, Any]:
    """Load a file of tables, by its name without the ending; the lines of a text are joined."""
    tables = schema.load(TABLES / f"{name}.toml")
    return {table: _joined(value) for table, value in tables.items()}


def _joined(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _joined(inner) for name, inner in value.items()}
    return " ".join(value.split()) if isinstance(value, str) else value


def sentences(table: str) -> dict[str, str]:
    """Return the English sentences of a table of messages by their ids, to be translated."""
    return dict(load_table("messages")[table])
