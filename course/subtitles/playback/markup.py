"""Texts and code as HTML. Whatever comes in is text, whatever it looks like."""

import html
import re
from collections.abc import Iterable

from course.i18n import _
from course.texts import paragraphs

_CODE = re.compile(r"`([^`]+)`")
_ROLES = {"+": "added", "-": "removed", "@": "place"}


def escape(text: str) -> str:
    """A text for the page, or for an attribute between quotes."""
    return html.escape(text)


def inline(text: str) -> str:
    """One paragraph with its `code` set apart."""
    return _CODE.sub(r'<code translate="no">\1</code>', escape(text))


def heading(text: str) -> str:
    """The heading of a part of a step."""
    return f"<h3>{escape(text)}</h3>"


def prose(text: str) -> str:
    """A text that is not translated yet, in its paragraphs."""
    said = (inline(_(part)) for part in paragraphs(text))
    return "".join(f"<p>{part}</p>" for part in said)


def code(text: str, kind: str = "") -> str:
    """Code or a library's own words, line by line, so that a long line can go on below itself."""
    return _pre(kind, (_line(line) for line in text.strip("\n").split("\n")))


def diff(text: str) -> str:
    """A unified diff, without the names of its files."""
    lines = text.splitlines()[2:]
    return _pre("diff", (_line(line, _ROLES.get(line[:1], "")) for line in lines))


def _pre(kind: str, lines: Iterable[str]) -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<pre{named} translate="no">{"".join(lines)}</pre>'


def _line(line: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    # The line's end is for whoever copies it.
    return f"<span{named}>{escape(line)}\n</span>"
