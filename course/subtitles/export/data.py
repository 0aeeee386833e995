"""A transcript as data: `course/schemas/subtitles-export.schema.json` describes it."""

from collections.abc import Callable
from typing import Any

from course.subtitles.alignment.alignment import Alignment
from course.subtitles.transcript.languages import LanguageTracks

FORMAT = 1


def document(
    tracks: LanguageTracks, alignment: Alignment | None, title: Callable[[str], str]
) -> dict[str, Any]:
    """Cues, counted from 1 in the order of the file, and segments; null what needs an alignment."""
    placed = {p.index: p for p in alignment.cues} if alignment else {}
    cues = []
    for number, cue in enumerate(tracks.transcript, start=1):
        found = placed.get(number)
        cues.append(
            {
                "index": number,
                "start_ms": cue.start.ordinal,
                "end_ms": cue.end.ordinal,
                "text": dict(tracks.texts[number - 1]),
                "notes": tracks.notes[number - 1] or None,
                "step": found.step if found else None,
                "confidence": round(found.confidence, 4) if found else None,
                "sure": found.sure if found else None,
            }
        )
    return {
        "format": FORMAT,
        "languages": list(tracks.languages),
        "cues": cues,
        "segments": _segments(alignment, title) if alignment else None,
        "missing": list(alignment.missing) if alignment else None,
        "related": round(alignment.related, 4) if alignment else None,
    }


def _segments(alignment: Alignment, title: Callable[[str], str]) -> list[dict[str, Any]]:
    return [
        {
            "step": each.step,
            "title": title(each.step),
            "first_cue": each.first_cue,
            "last_cue": each.last_cue,
            "start_ms": each.start_ms,
            "end_ms": each.end_ms,
            "confidence": round(each.confidence, 4),
        }
        for each in alignment.segments
    ]
