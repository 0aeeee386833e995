"""The address of a video at one of its seconds."""

from collections.abc import Callable
from urllib.parse import quote

YOUTUBE = "https://www.youtube.com/watch?v={video}&t={seconds}s"
SECONDS = "{seconds}"
VIDEO = "{video}"
_SAFE = "%/:?#@!$&'*+,="
"""What an address may hold as it is; the rest could end a link in Markdown, or be an entity."""

Link = Callable[[int], str]
"""Gives the address at a time (ms)."""


def link(template: str, video: str | None) -> Link:
    """Addresses after a template, which names the place of `{seconds}` and may name `{video}`.

    A part of a second is cut off: the video begins with the cue or right before it.
    """

    def address(ms: int) -> str:
        text = template.replace(VIDEO, video or "").replace(SECONDS, str(ms // 1000))
        return quote(text, safe=_SAFE)

    return address
