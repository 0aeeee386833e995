"""The playback page: one file that needs nothing else, made of data and the files beside this one.

The page is whole without its script: the transcript and every step stand in it as text. The
script finds them there, and takes times and settings from a block of JSON. Its policy lets in
nothing but these very bytes of style and script.
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from course.i18n import _, language
from course.lesson import lesson
from course.lesson.lesson import Part
from course.subtitles.export.video import YOUTUBE
from course.subtitles.playback import panel, words
from course.subtitles.playback.captions import UNSURE, Captions
from course.subtitles.playback.markup import escape, inline
from course.subtitles.titles import title
from course.subtitles.transcript.timing import brief

PLAYER = "https://www.youtube-nocookie.com"
"""Where the embedded player comes from, the one place that a served page may reach."""
PATIENCE = 10_000
"""Milliseconds until a player that has not answered is given up."""
SCRIPTS = ("players.js", "transcript.js", "page.js")

_PLACE = re.compile(r"\{\{(>?)(\w+)\}\}")
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


def page(captions: Captions, part: Part, media: Media = Media()) -> str:
    """The whole page, in the language in force."""
    style, script = _asset("page.css"), "\n".join(_asset(name) for name in SCRIPTS)
    program = f'(() => {{\n"use strict";\n{script}}})();\n'
    embed = media.embed and part.video is not None
    texts = words.in_page() | {
        "lang": words.tag(language()),
        "title": _(lesson.load(part.lesson).title),
        "kicker": _("Lesson {lesson}, {framework}").format(
            lesson=part.lesson, framework=part.framework
        ),
        "policy": policy(style, program, media, embed=embed),
        # YouTube's player must be told who embeds it; nobody else is told anything.
        "referrer": "strict-origin-when-cross-origin" if embed else "no-referrer",
    }
    markup = {
        "css": style,
        "js": program,
        "languages": _languages(captions),
        "warning": _warning(captions),
        "steps": panel.listed(captions.alignment, part),
        "panels": panel.panels(captions.alignment, part),
        "legend": _legend(captions),
        "cues": "".join(_cues(captions, part)),
        "missing": panel.missing(captions.alignment, part),
        "keys": "".join(_keys()),
        "data": data(_data(captions, part, media, embed=embed)),
    }

    def fill(place: re.Match[str]) -> str:
        raw, name = place.groups()
        return markup[name] if raw else escape(texts[name])

    return _PLACE.sub(fill, _asset("page.html"))


def policy(style: str, script: str, media: Media, *, embed: bool) -> str:
    """The content security policy: these very bytes, a video, and nothing else from anywhere."""
    allowed = {
        "default-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "style-src": _hash(style),
        "script-src": _hash(script),
        # Files of the viewer's choice are blobs; a file beside the page has the page's own scheme.
        "media-src": "blob: 'self' file:" if media.file else "blob:",
        "img-src": "data:",
        "frame-src": PLAYER if embed else "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in allowed.items())


def data(document: Mapping[str, Any]) -> str:
    """A document as JSON that can stand in a page."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).translate(_JSON)


@cache
def _asset(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _languages(captions: Captions) -> str:
    """A box for each language, where there is a choice."""
    if len(captions.languages) < 2:
        return ""
    boxes = "".join(
        f'<label class="check"><input type="checkbox" value="{escape(name)}"'
        f"{' checked' if name in captions.first else ''}>"
        f'<span lang="{escape(words.tag(name))}">{escape(words.name(name))}</span></label>'
        for name in captions.languages
    )
    legend = escape(_("Languages"))
    return f'<fieldset class="languages"><legend>{legend}</legend>{boxes}</fieldset>'


def _warning(captions: Captions) -> str:
    if not captions.strange:
        return ""
    return f'<p class="warning">{inline(warning())}</p>'


def warning() -> str:
    """What is said of a transcript that hardly speaks of the lesson."""
    return _(
        "This transcript hardly speaks of the lesson's steps: perhaps it is another video's. The "
        "steps beside its cues are guesses."
    )


def _legend(captions: Captions) -> str:
    if not any(placed.confidence < UNSURE for placed in captions.alignment.cues):
        return ""
    said = _("marks a line that may belong to another step.")
    return f'<p class="legend"><span class="doubt" aria-hidden="true">≈</span>{escape(said)}</p>'


def _flow(text: str) -> str:
    """The lines of a cue as one."""
    return _BREAK.sub(" ", _FULL_BREAK.sub("", text)).strip()


def _cues(captions: Captions, part: Part) -> Iterator[str]:
    """The transcript, a list for each segment, a button for each cue."""
    for segment in captions.alignment.segments:
        yield f"<section><h3>{inline(title(segment.step, part))}</h3><ol>"
        for index in range(segment.first_cue - 1, segment.last_cue):
            yield f"<li>{_cue(captions, index)}</li>"
        yield "</ol></section>"


def _cue(captions: Captions, index: int) -> str:
    placed = captions.alignment.cues[index]
    said = "".join(
        f'<span class="said" data-language="{escape(name)}" lang="{escape(words.tag(name))}">'
        f"{escape(_flow(captions.texts[index][name]))}</span>"
        for name in captions.languages
        if captions.texts[index].get(name, "").strip()
    )
    note = captions.notes[index]
    foreign = f' lang="{words.tag("zh")}"' if _HAN.search(note) else ""
    aside = f'<span class="note"{foreign}>{escape(_flow(note))}</span>' if note else ""
    kind, doubt = "", ""
    if placed.confidence < UNSURE:
        sure = _("may belong to another step; confidence in this one: {percent}%").format(
            percent=round(100 * placed.confidence)
        )
        kind = ' class="uncertain"'
        doubt = (
            f'<span class="doubt" title="{escape(sure)}"><span aria-hidden="true">≈</span>'
            f'<span class="unseen">({escape(sure)})</span></span>'
        )
    when = f'<span class="when">{brief(captions.cues[index].start.ordinal)}{doubt}</span>'
    return f'<button type="button"{kind}>{when}<span>{said}{aside}</span></button>'


def _keys() -> Iterator[str]:
    for names, does in words.shortcuts():
        shown = " ".join(f"<kbd>{escape(name)}</kbd>" for name in names)
        yield f"<tr><td>{shown}</td><td>{escape(does)}</td></tr>"


def _data(captions: Captions, part: Part, media: Media, *, embed: bool) -> dict[str, Any]:
    """What the script must know: times, texts of the captions, addresses, its own words."""
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
        "language": words.tag(language()),
        "languages": captions.languages,
        "first": captions.first,
        "names": {name: words.name(name) for name in captions.languages},
        "tags": {name: words.tag(name) for name in captions.languages},
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
    """The address of the video with the place of the time left open."""
    return template.replace("{video}", quote(part.video or "", safe=""))
