"""Terminals that are drawn on, and what is then to be seen there."""

import io
from collections.abc import Iterable
from typing import Any

from rich.console import Console

from course.render import terminal
from course.render.blocks import StoryBlock


def console(width: int = 80, *, encoding: str = "utf-8", **options: Any) -> Console:
    """Make a terminal; with `force_terminal=False` a pipe."""
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    options = {"force_terminal": True, "highlight": False, "legacy_windows": False, **options}
    return Console(file=file, width=width, **options)


def seen(page: Console) -> str:
    """Return what was printed, codes and all."""
    page.file.flush()
    return page.file.buffer.getvalue().decode(page.file.encoding)  # type: ignore[attr-defined, no-any-return]


def drawn(blocks: Iterable[StoryBlock], width: int = 80, **options: Any) -> str:
    """Draw blocks into a pipe, unless the options say another place."""
    page = console(width, **{"force_terminal": False, **options})
    terminal.draw(page, blocks)
    return seen(page)
