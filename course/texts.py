"""How the texts of lessons and faults are written on disk: which keys hold them, and how.

A text is plain prose in paragraphs (a blank line ends one; single line breaks are spaces) with
code between backticks. Each paragraph is one entry of the translators' catalogue.
"""

import re
from collections.abc import Iterator

TEXT_KEYS = frozenset(
    {"title", "summary", "intro", "caption", "reason", "means", "where", "fix", "note"}
)
"""Keys of TOML files whose values are read by people, and so are translated."""

_CELL = re.compile(r"^# %%(.*)$")


def paragraphs(text: str) -> list[str]:
    """Split a text into paragraphs, each on one line."""
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()) if part.strip()]


def prose(script: str) -> Iterator[str]:
    """The lines of prose in the Markdown cells of a script in jupytext's percent format."""
    markdown = False
    for line in script.splitlines():
        cell = _CELL.match(line)
        if cell:
            markdown = "[markdown]" in cell.group(1)
        elif markdown and line.startswith("#"):
            text = line.lstrip("#").strip().lstrip("#").strip()
            if text:
                yield text
