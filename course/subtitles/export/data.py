"""A transcript as data: `course/schemas/subtitles-export.schema.json` describes it."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from course.subtitles.alignment.alignment import Alignment
from course.subtitles.transcript.languages import LanguageTracks

FORMAT = 1


def document(
    tracks: LanguageTracks, alignment: Alignment | None, title: Callable[[str], str]
) -> dict[str, Any]:
    """Cues, counted from 1 in the order of the file, and segments; null what needs an alignment."""
    placed = alignment.cues if alignment else [None] * len(tracks.transcript)
    return {
        "format": FORMAT,
        "languages": list(tracks.languages),
        "cues": [
            {
                "index": number,
                "start_ms": cue.start.ordinal,
                "end_ms": cue.end.ordinal,
                "text": dict(texts),
                "notes": note or None,
                "step": found.step if found else None,
                "confidence": round(found.confidence, 4) if found else None,
                "sure": found.sure if found else None,
            }
            for number, (cue, texts, note, found) in enumerate(
                zip(tracks.transcript, tracks.texts, tracks.notes, placed, strict=True), 1
            )
        ],
        "segments": _segments(alignment, title) if alignment else None,
        "missing": list(alignment.missing) if alignment else None,
        "related": round(alignment.related, 4) if alignment else None,
    }


def _segments(alignment: Alignment, title: Callable[[str], str]) -> list[dict[str, Any]]:
    return [
        {
            "step": each.step,
            "title": title(each.step),
            **asdict(each),
            "confidence": round(each.confidence, 4),
        }
        for each in alignment.segments
    ]
