"""The playback page: one file that needs nothing else, made of data by the templates.

The page is whole without its script: the transcript and every step stand in it as text. The
script finds them there, and takes times and settings from a block of JSON.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from course.base.i18n import _, about, enumerate_words, language, ngettext
from course.lesson import lesson
from course.lesson.lesson import Part
from course.render import html
from course.subtitles.cue import unwrapped
from course.subtitles.export.video import YOUTUBE
from course.subtitles.playback import panel
from course.subtitles.playback.captions import Captions
from course.subtitles.transcript.timing import brief

PLAYER = "https://www.youtube-nocookie.com"
"""Where the embedded player comes from, the one place that a served page may reach."""
PATIENCE = 10_000
"""Milliseconds until a player that has not answered is given up."""
SCRIPTS = ("playback_players.js", "playback_transcript.js", "playback.js")

_NAMES = {"zh": "中文", "en": "English", "ru": "Русский"}
"""What languages call themselves: the same on a page in any language."""
_COUNTS = {"one": 1, "few": 2, "many": 5, "other": 100}
"""Categories of plurals, as browsers name them, each with a number that is of it."""

_HAN = re.compile(r"[\u3400-\u9fff]")
_JSON = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
"""What could end the block of JSON, or a line of it, early."""


def page(captions: Captions, part: Part, *, file: str | None = None, embed: bool = False) -> str:
    """Build the whole page, in the language in force.

    `file` is the address of a video, as seen from the page; `embed` asks for the embedded player,
    which only plays in a page that is served.
    """
    embed = embed and part.video is not None
    # Chinese has brackets of its own.
    kicker = _("{title} ({name})")
    described = _data(captions, part, file, embed=embed)
    return html.page(
        "playback.html",
        styles=("playback.css",),
        scripts=SCRIPTS,
        sources={
            # Files of the viewer's choice are blobs; one beside the page has the page's scheme.
            "media-src": "blob: 'self' file:" if file else "blob:",
            "frame-src": PLAYER if embed else "'none'",
        },
        # YouTube's player must be told who embeds it; nobody else is told anything.
        referrer="strict-origin-when-cross-origin" if embed else "no-referrer",
        title=_(lesson.load(part.lesson).title),
        kicker=kicker.format(title=part.lesson, name=part.framework),
        languages=described["names"],
        first=captions.first,
        warning=warning() if captions.strange else "",
        uncertain=not all(placed.sure for placed in captions.alignment.cues),
        steps=tuple(panel.panels(captions.alignment, part)),
        missing_steps=[(name, panel.listed(name, part)) for name in captions.alignment.missing],
        segments=[
            (
                panel.listed(segment.step, part),
                [_line(captions, at) for at in range(segment.first_cue - 1, segment.last_cue)],
            )
            for segment in captions.alignment.segments
        ],
        keys=_shortcuts(),
        data=data(described),
        brief=brief,
    )


def data(document: Mapping[str, Any]) -> Markup:
    """Write a document as JSON that can stand in a page."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.translate(_JSON))


def warning() -> str:
    """Return the warning for a transcript that hardly speaks of the lesson."""
    return _(
        "The confidence is low everywhere. This looks like the transcript of something else. Check "
        "whether the transcript belongs to the lesson or document."
    )


def _line(captions: Captions, index: int) -> dict[str, Any]:
    """Describe a cue in the transcript: its texts by language, and how sure its step is.

    The confidence is in per cent, and None where the step is sure enough.
    """
    tracks, placed = captions.tracks, captions.alignment.cues[index]
    texts, note = tracks.texts[index], tracks.notes[index]
    return {
        "start": tracks.transcript[index].start.ordinal,
        "texts": [(k, unwrapped(texts[k])) for k in tracks.languages if texts.get(k, "").strip()],
        "note": unwrapped(note),
        "note_language": "zh" if _HAN.search(note) else None,
        "confidence": None if placed.sure else round(100 * placed.confidence),
    }


def _data(captions: Captions, part: Part, file: str | None, *, embed: bool) -> dict[str, Any]:
    """Return the data for the script: times, texts of the captions, addresses, its own words."""
    tracks, segments = captions.tracks, captions.alignment.segments
    cues, languages = tracks.transcript, tracks.languages
    segment_of = {
        index: number
        for number, segment in enumerate(segments)
        for index in range(segment.first_cue - 1, segment.last_cue)
    }
    times = json.dumps([(cue.start.ordinal, cue.end.ordinal) for cue in cues])
    mark = hashlib.sha256(times.encode()).hexdigest()[:8]
    named = part.video is not None
    return {
        "key": f"{part.lesson}/{part.framework}/{mark}",
        "language": html.tag(language()),
        "languages": languages,
        "first": captions.first,
        "names": {name: _NAMES.get(name, name) for name in languages},
        "tags": {name: html.tag(name) for name in languages},
        "duration": max((cue.end.ordinal for cue in cues), default=0) / 1000,
        "cues": [
            {
                "start": cue.start.ordinal,
                "end": cue.end.ordinal,
                "text": {k: v for k, v in tracks.texts[index].items() if v.strip()},
                "segment": segment_of[index],
            }
            for index, cue in enumerate(cues)
        ],
        "segments": [
            {"step": segment.step, "start": segment.start_ms, "end": segment.end_ms}
            for segment in segments
        ],
        "links": {
            "watch": _address(YOUTUBE, part) if named else None,
            "mirror": _address(part.mirror, part) if named and part.mirror else None,
        },
        "file": file,
        "embed": ({"origin": PLAYER, "id": part.video, "patience": PATIENCE} if embed else None),
        "strings": _words(),
    }


def _address(template: str, part: Part) -> str:
    """Return the address of the video with the place of the time left open."""
    return template.replace("{video}", quote(part.video or "", safe=""))


def _words() -> dict[str, str | dict[str, str]]:
    """Return the words of the script, by their names in `playback.js`; counts in each plural.

    They are what the page says later, in the language in force.
    """
    return {
        "play": _("Play"),
        "pause": _("Pause"),
        # Translators: where the slider of the video stands, as in "1:23 of 4:08".
        "at": _("{some} of {all}"),
        "watch": about(_("Watch on YouTube"), "{time}"),
        "mirror": about(_("Watch on the mirror site"), "{time}"),
        "rate": about(_("Speed"), "{rate}"),
        "copied": _("The link to {time} is copied."),
        "in_address": _("The link is now in the address bar. Copy it from there."),
        "resumed": _("You were at {time}. The video continues there."),
        "unplayable": _(
            "This browser cannot play {name}. Most browsers play MP4 (H.264) and WebM."
        ),
        "embedded": _("Video"),
        "blocked": _(
            "YouTube's player cannot be reached. So the text moves with the clock of this page. To "
            "play the video here, choose its file."
        ),
        "matches": {name: ngettext("{n} match", "{n} matches", n) for name, n in _COUNTS.items()},
    }


def _shortcuts() -> list[tuple[tuple[str, ...], str]]:
    """Return the keys of the page, each with its effect; several with the same in one row."""
    back_or_forward = enumerate_words([_("Back {n} seconds"), _("Forward {n} seconds")])
    # Translators: the name of a key.
    return [
        ((_("Space"), "K"), enumerate_words([_("Play"), _("Pause")])),
        (("J", "L"), back_or_forward.format(n=10)),
        (("←", "→"), back_or_forward.format(n=5)),
        (("P", "N"), enumerate_words([_("Previous step"), _("Next step")])),
        (("[", "]"), _("Speed")),
        (("F",), _("Follow the video")),
        (("H",), _("Lecture mode")),
        (("/",), _("Search the transcript")),
        (("?",), _("Keys")),
    ]
