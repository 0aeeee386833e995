"""The playback page: one file that needs nothing else, made of data by the templates.

The page is whole without its script: the transcript and every step stand in it as text. The
script finds them there, and takes times and settings from a block of JSON.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from course.base.i18n import _, language
from course.lesson import lesson
from course.lesson.lesson import Part
from course.render import html
from course.subtitles.export.video import YOUTUBE
from course.subtitles.playback import panel, words
from course.subtitles.playback.captions import Captions
from course.subtitles.transcript.timing import brief

PLAYER = "https://www.youtube-nocookie.com"
"""Where the embedded player comes from, the one place that a served page may reach."""
PATIENCE = 10_000
"""Milliseconds until a player that has not answered is given up."""
SCRIPTS = ("playback_players.js", "playback_transcript.js", "playback.js")

_HAN = re.compile(r"[\u3400-\u9fff]")
_BREAK = re.compile(r"[^\S\n]*\n\s*")
_FULL_BREAK = re.compile(r"(?<=[\u3000-\u303f\uff01-\uff60])[^\S\n]*\n\s*")
"""A line's end after a full-width mark, which brings its own space along."""
_JSON = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
"""What could end the block of JSON, or a line of it, early."""


@dataclass(frozen=True)
class Media:
    """What is played beside the notes.

    `file` is the address of a video, as seen from the page; `embed` asks for the embedded player,
    which only plays in a page that is served.
    """

    file: str | None = None
    embed: bool = False


@dataclass(frozen=True)
class TranscriptLine:
    """A cue in the transcript: its texts by language, and how sure its step is, in per cent.

    `confidence` is None where the step is sure enough.
    """

    start: int
    texts: tuple[tuple[str, str], ...]
    note: str
    note_language: str | None
    confidence: int | None


def page(captions: Captions, part: Part, media: Media = Media()) -> str:
    """Build the whole page, in the language in force."""
    embed = media.embed and part.video is not None
    kicker = _("Lesson {lesson}, {framework}")
    return html.page(
        "playback.html",
        styles=("playback.css",),
        scripts=SCRIPTS,
        sources={
            # Files of the viewer's choice are blobs; one beside the page has the page's scheme.
            "media-src": "blob: 'self' file:" if media.file else "blob:",
            "frame-src": PLAYER if embed else "'none'",
        },
        # YouTube's player must be told who embeds it; nobody else is told anything.
        referrer="strict-origin-when-cross-origin" if embed else "no-referrer",
        title=_(lesson.load(part.lesson).title),
        kicker=kicker.format(lesson=part.lesson, framework=part.framework),
        captions=captions,
        warning=warning() if captions.strange else "",
        uncertain=not all(placed.sure for placed in captions.alignment.cues),
        steps=tuple(panel.panels(captions.alignment, part)),
        missing_steps=[(name, panel.listed(name, part)) for name in captions.alignment.missing],
        segments=list(_segments(captions, part)),
        keys=words.shortcuts(),
        data=data(_data(captions, part, media, embed=embed)),
        name_of=words.name,
        brief=brief,
    )


def data(document: Mapping[str, Any]) -> Markup:
    """Write a document as JSON that can stand in a page."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.translate(_JSON))


def warning() -> str:
    """Return the warning for a transcript that hardly speaks of the lesson."""
    return _(
        "This transcript hardly speaks of the lesson's steps: perhaps it is another video's. The "
        "steps beside its cues are guesses."
    )


def _flow(text: str) -> str:
    """Return the lines of a cue as one."""
    return _BREAK.sub(" ", _FULL_BREAK.sub("", text)).strip()


def _segments(captions: Captions, part: Part) -> Iterator[tuple[str, list[TranscriptLine]]]:
    """Yield the transcript: the title of each segment with its cues."""
    for segment in captions.alignment.segments:
        cues = range(segment.first_cue - 1, segment.last_cue)
        yield panel.listed(segment.step, part), [_line(captions, index) for index in cues]


def _line(captions: Captions, index: int) -> TranscriptLine:
    texts, note = captions.texts[index], captions.notes[index]
    placed = captions.alignment.cues[index]
    return TranscriptLine(
        captions.cues[index].start.ordinal,
        tuple((k, _flow(texts[k])) for k in captions.languages if texts.get(k, "").strip()),
        _flow(note),
        "zh" if _HAN.search(note) else None,
        None if placed.sure else round(100 * placed.confidence),
    )


def _data(captions: Captions, part: Part, media: Media, *, embed: bool) -> dict[str, Any]:
    """Return the data for the script: times, texts of the captions, addresses, its own words."""
    segment_of = {
        index: number
        for number, segment in enumerate(captions.alignment.segments)
        for index in range(segment.first_cue - 1, segment.last_cue)
    }
    times = json.dumps([(cue.start.ordinal, cue.end.ordinal) for cue in captions.cues])
    mark = hashlib.sha256(times.encode()).hexdigest()[:8]
    named = part.video is not None
    return {
        "key": f"{part.lesson}/{part.framework}/{mark}",
        "language": html.tag(language()),
        "languages": captions.languages,
        "first": captions.first,
        "names": {name: words.name(name) for name in captions.languages},
        "tags": {name: html.tag(name) for name in captions.languages},
        "duration": max((cue.end.ordinal for cue in captions.cues), default=0) / 1000,
        "cues": [
            {
                "start": cue.start.ordinal,
                "end": cue.end.ordinal,
                "text": {k: v for k, v in captions.texts[index].items() if v.strip()},
                "segment": segment_of[index],
            }
            for index, cue in enumerate(captions.cues)
        ],
        "segments": [
            {"step": segment.step, "start": segment.start_ms, "end": segment.end_ms}
            for segment in captions.alignment.segments
        ],
        "links": {
            "watch": _address(YOUTUBE, part) if named else None,
            "mirror": _address(part.mirror, part) if named and part.mirror else None,
        },
        "file": media.file,
        "embed": ({"origin": PLAYER, "id": part.video, "patience": PATIENCE} if embed else None),
        "strings": words.in_script(),
    }


def _address(template: str, part: Part) -> str:
    """Return the address of the video with the place of the time left open."""
    return template.replace("{video}", quote(part.video or "", safe=""))
