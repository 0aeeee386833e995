"""A transcript as Markdown notes: a heading for each step, each cue with its time."""

import re
from collections.abc import Callable

from course.base.i18n import _
from course.subtitles.alignment.alignment import Alignment
from course.subtitles.cue import unwrapped
from course.subtitles.export.video import Link
from course.subtitles.titles import missing
from course.subtitles.transcript.languages import LanguageTracks
from course.subtitles.transcript.timing import brief

_CODE = re.compile(r"(`[^`\n]+`)")
_MARKUP = re.compile(r"(?<=[^\W_])_+(?=[^\W_])|([\\`*\[\]<~|$_]|&(?=[#\w]))")
"""What CommonMark or GitHub's tables, strikes and formulas would take for markup anywhere.

Underlines within a word are none: `input_ids` can stay as it is.
"""
_OPENING = re.compile(r"[#+\-=:>]|\d{1,9}(?=[.)])")
"""What would be markup at the beginning of a line."""
_CLOSING = re.compile(r"(?<=[ #])#\Z")
"""Number signs after a space are no part of a heading."""


def notes(
    heading: str,
    tracks: LanguageTracks,
    alignment: Alignment | None,
    title: Callable[[str], str],
    link: Link | None,
) -> str:
    """Make the whole document.

    `heading` and the titles of the steps, which `title` gives, may hold code between backticks.
    Without an alignment it is one list; without a link the times are plain text. A cue without
    text is left out.
    """
    blocks = [f"# {_heading(heading)}\n"]
    entries = [_entry(tracks, place, link, alignment) for place in range(len(tracks.transcript))]
    if alignment is None:
        blocks.append("".join(entries))
    else:
        for segment in alignment.segments:
            blocks.append(f"## {_heading(title(segment.step))}\n")
            blocks.append("".join(entries[segment.first_cue - 1 : segment.last_cue]))
        if alignment.missing:
            blocks.append(f"{missing(_heading(title(step)) for step in alignment.missing)}\n")
    return "\n".join(block for block in blocks if block)


def escaped(text: str) -> str:
    """Plain text as Markdown that shows just that text, wherever in a paragraph it stands."""
    inner = _MARKUP.sub(lambda found: f"\\{found[1]}" if found[1] else found[0], text)
    opening = _OPENING.match(inner)
    if opening is None:
        return inner
    at = 0 if not opening.group()[0].isdigit() else opening.end()
    return f"{inner[:at]}\\{inner[at:]}"


def _entry(
    tracks: LanguageTracks, place: int, link: Link | None, alignment: Alignment | None
) -> str:
    """Write a cue as a list item, its languages and a translator's note below each other."""
    texts, note = tracks.texts[place], tracks.notes[place]
    spoken = [texts.get(language, "") for language in tracks.languages]
    lines = [escaped(unwrapped(text)) for text in spoken if text.strip()]
    if note:
        lines.append(_("Translator's note: {note}").format(note=escaped(unwrapped(note))))
    if not lines:
        return ""
    start = tracks.transcript[place].start.ordinal
    time = f"[{brief(start)}]({link(start)})" if link else brief(start)
    if alignment is not None and not alignment.cues[place].sure:
        time += f" (≈ {_('about here')})"
    # A backslash at the end of a line breaks it; two spaces would be lost in editors.
    return f"- {time} " + "\\\n  ".join(lines) + "\n"


def _heading(text: str) -> str:
    """Write a title on one line, its code left as code."""
    pieces = _CODE.split(" ".join(text.split()))
    result = "".join(p if _CODE.fullmatch(p) else escaped(p) for p in pieces)
    return _CLOSING.sub(r"\\#", result)
