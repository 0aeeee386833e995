"""HTML from templates that escape whatever they are given. The one place that imports Jinja2.

A page is one file that needs nothing else: its style and its script stand in it, and its content
security policy lets in these very bytes and nothing from anywhere.
"""

import base64
import hashlib
import html as plain
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from course.base.i18n import _, language, ngettext
from course.render.blocks import Block

TEMPLATES = Path(__file__).with_name("templates")
TAGS = {"zh": "zh-Hans"}
"""Language tags for browsers, where the bare code would choose the wrong letters."""

_CODE = re.compile(r"`([^`]+)`")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""What no text of HTML may hold."""


def page(
    template: str,
    *,
    styles: tuple[str, ...],
    scripts: tuple[str, ...],
    sources: Mapping[str, str] | None = None,
    referrer: str = "no-referrer",
    **context: Any,
) -> str:
    """Fill the template of a whole page, in the language in force.

    `styles` and `scripts` are files beside the templates, put into the page in this order, the
    styles after the one that all pages share; `sources` adds to the content security policy.
    """
    style = fragment("style.css") + Markup("\n".join(_file(name) for name in styles))
    program = "\n".join(_file(name) for name in scripts)
    script = Markup(f'(() => {{\n"use strict";\n{program}}})();\n')
    return str(
        fragment(
            template,
            **context,
            style=style,
            script=script,
            policy=policy(style, script, sources or {}),
            referrer=referrer,
        )
    )


def fragment(template: str, **context: Any) -> Markup:
    """Fill the template of a part of a page, in the language in force."""
    return Markup(environment().get_template(template).render(context))


def blocks(found: Iterable[Block]) -> Markup:
    """Draw blocks, each by the macro of its name in `blocks.html`."""
    macros = environment().get_template("blocks.html").module
    return Markup().join(getattr(macros, type(each).__name__.lower())(each) for each in found)


def policy(style: str, script: str, sources: Mapping[str, str]) -> str:
    """Make the content security policy: these very bytes, `sources`, and nothing else."""
    allowed = {
        "default-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "style-src": _hash(style),
        "script-src": _hash(script),
        "img-src": "data:",
        **sources,
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in allowed.items())


@cache
def environment() -> Environment:
    """Make the environment of all templates; every text is escaped and can be translated."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"_": _, "ngettext": ngettext, "tag": tag, "language": language}
    made.globals["blocks"] = blocks
    made.filters |= {"inline": inline, "utc": _utc, "share": _share, "text": _text}
    return made


def tag(name: str) -> str:
    """Return the tag that tells a browser which language a text is in."""
    return TAGS.get(name, name)


def inline(text: str, style: str = "") -> Markup:
    """Escape a paragraph and set its `code` apart, where there is no style sheet by a `style`."""
    shown = str(escape(_printable(text)))
    attribute = f'style="{escape(style)}"' if style else 'translate="no"'
    return Markup(_CODE.sub(rf"<code {attribute}>\1</code>", shown))


def _text(value: str) -> Markup:
    """Escape what stands between tags, and never in one: a quotation mark may stay there."""
    return Markup(plain.escape(_CONTROL.sub(" ", value), quote=False))


def _printable(value: Any) -> Any:
    """Replace what no HTML may hold; markup stays as it is."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return _CONTROL.sub(" ", value)
    return value


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _share(value: float) -> str:
    """Return a share from 0 to 1 as a length of 0 to 100."""
    return f"{100 * min(1.0, max(0.0, value)):.1f}".removesuffix(".0")


@cache
def _file(name: str) -> str:
    return (TEMPLATES / name).read_text("utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
