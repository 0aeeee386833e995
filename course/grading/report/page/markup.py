"""Texts and figures as HTML. Whatever comes in is text, whatever it looks like."""

import html
import re
from datetime import UTC, datetime

from course.grading.report.feedback import plain

_CODE = re.compile(r"`([^`]+)`")
TAGS = {"zh": "zh-Hans"}
"""Language tags for browsers, where the code of ours alone would choose the wrong letters."""


def tag(language: str) -> str:
    """The tag that tells a browser which language a text is in."""
    return TAGS.get(language, language)


def escape(text: str) -> str:
    """A text for the page, or for an attribute between quotes."""
    return html.escape(plain(text))


def inline(text: str) -> str:
    """One paragraph with its `code` set apart."""
    return _CODE.sub(r'<code translate="no">\1</code>', escape(text))


def code(text: str) -> str:
    """A text line by line, each as far in as it is."""
    lines = (line.rstrip() for line in text.splitlines())
    return "\n".join(" " * (len(x) - len(x.lstrip())) + escape(x) for x in lines)


def named(text: str) -> str:
    """A person's name or id: in no known language, and in whichever direction it is written."""
    return f'<bdi translate="no">{escape(text)}</bdi>'


def element(name: str, inner: str, class_: str = "", **attributes: str) -> str:
    """An element; `inner` is markup, the attributes are texts."""
    given = {"class": class_} if class_ else {}
    given |= {key.strip("_").replace("_", "-"): value for key, value in attributes.items()}
    said = "".join(f' {key}="{escape(value)}"' for key, value in given.items())
    return f"<{name}{said}>{inner}</{name}>"


def paragraph(text: str, class_: str = "") -> str:
    """A paragraph of text with `code` in it."""
    return element("p", inline(text), class_)


def time(moment: datetime | None) -> str:
    """A moment, in UTC, to the minute, the same in every language."""
    if moment is None:
        return ""
    there = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    shown = there.strftime("%Y-%m-%d %H:%M")
    return element("time", shown, datetime=there.strftime("%Y-%m-%dT%H:%MZ"))


def symbol(name: str) -> str:
    """One of the symbols of the page, which always has words beside it."""
    return f'<svg class="mark" aria-hidden="true"><use href="#{name}"/></svg>'


def bar(share: float, class_: str = "", ticks: tuple[float, ...] = ()) -> str:
    """A bar for a share from 0 to 1, with ticks at other shares; its figures stand beside it."""
    width = _cut(share)
    lines = "".join(f'<rect class="tick" x="{_cut(t)}" width=".6" height="8"/>' for t in ticks)
    return (
        f'<svg class="bar{" " + class_ if class_ else ""}" viewBox="0 0 100 8" '
        'preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="all" width="100" height="8"/><rect class="part" width="{width}" height="8"/>'
        f"{lines}</svg>"
    )


def _cut(share: float) -> str:
    return f"{100 * min(1.0, max(0.0, share)):.1f}".removesuffix(".0")
