"""Rules that cues are held to: their times must make sense, their text should be readable.

What breaks a limit of the style guide is a warning; times that no player can follow are an error.
"""

from collections.abc import Iterator, Mapping

from course.base.i18n import N_, numbers
from course.subtitles.cue import Cue, Transcript
from course.subtitles.transcript import timing
from course.subtitles.transcript.diagnostic import ERROR, WARNING, Diagnostic
from course.subtitles.transcript.languages import split_languages
from course.subtitles.transcript.style_guide import Limits, StyleGuide, width

Breach = tuple[str, str, str, dict[str, str | int]]
"""The code, the severity, the template and the values of a diagnostic."""


def examine(transcript: Transcript, style_guide: StyleGuide) -> list[Diagnostic]:
    """Apply every rule to a transcript; the diagnostics come in the order of the cues."""
    found: list[Diagnostic] = []
    last = 0  # The cue above that is shown longest.
    for at, texts in enumerate(split_languages(transcript).texts):
        cue, number = transcript[at], at + 1
        findings = [
            *_times(cue),
            *(_order(transcript, at, last, style_guide) if at else ()),
            *_duration(cue, style_guide),
            *_text(cue, texts, style_guide),
        ]
        found += (
            Diagnostic(
                cue.line or None, number, code, severity, template, {"cue": number, **values}
            )
            for code, severity, template, values in findings
        )
        if cue.end.ordinal >= transcript[last].end.ordinal:
            last = at
    return found


def _times(cue: Cue) -> Iterator[Breach]:
    length = _length(cue)
    if length < 0:
        template = N_("Cue {cue} ends before it begins: {times}.")
        times = f"`{timing.format_times(cue.start, cue.end)}`"
        yield "ends-before-it-begins", ERROR, template, {"times": times}
    if length == 0:
        template = N_("Cue {cue} is never shown: its start time and end time are the same.")
        yield "zero-length", ERROR, template, {}


def _order(transcript: Transcript, at: int, last: int, style_guide: StyleGuide) -> Iterator[Breach]:
    """Find what is wrong between a cue, the one above it, and the `last` of all above to end."""
    cue, above, longest = transcript[at], transcript[at - 1], transcript[last]
    start = cue.start.ordinal
    if start < above.start.ordinal:
        template = N_(
            "Cue {cue} begins at {start}. It is below cue {other} in the file, but it begins "
            "earlier."
        )
        yield "times-run-backwards", ERROR, template, {"start": f"`{cue.start}`", "other": at}
    if longest.start.ordinal <= start < longest.end.ordinal:
        template = N_("Cue {cue} begins {ms} ms before cue {other} ends.")
        yield "overlap", WARNING, template, {"ms": longest.end.ordinal - start, "other": last + 1}
    gap = start - above.end.ordinal
    # There should be no gap at all, or one that does not flicker.
    if 0 < gap < style_guide.gap:
        template = N_(
            "The gap between cue {other} and cue {cue} is {ms} ms. It should be at least {limit} "
            "ms, or 0."
        )
        yield "short-gap", WARNING, template, {"ms": gap, "limit": style_guide.gap, "other": at}


def _duration(cue: Cue, style_guide: StyleGuide) -> Iterator[Breach]:
    length = _length(cue)
    if length <= 0 or style_guide.shortest <= length <= style_guide.longest:
        return
    code, limit = "long-duration", style_guide.longest
    if length < style_guide.shortest:
        code, limit = "short-duration", style_guide.shortest
    template = N_("Cue {cue} is shown for {seconds} s (limit: {limit} s).")
    values = {"seconds": length, "limit": limit}
    yield code, WARNING, template, {k: numbers.decimal(v / 1000, 2) for k, v in values.items()}


def _text(cue: Cue, texts: Mapping[str, str], style_guide: StyleGuide) -> Iterator[Breach]:
    """Find what is hard to read in each of a cue's languages alone."""
    lines = {language: text.split("\n") for language, text in texts.items()}
    for language, listed in lines.items():
        if len(listed) > style_guide.lines:
            template = N_(
                "Cue {cue} has {count} lines in the language {language} (limit: {limit})."
            )
            values = {"language": f"`{language}`", "limit": _number(style_guide.lines)}
            yield "too-many-lines", WARNING, template, {"count": len(listed), **values}
    limits = {language: style_guide.languages.get(language, Limits()) for language in lines}
    widths = {k: [width(line, k) for line in listed] for k, listed in lines.items()}
    for language, each in widths.items():
        limit = limits[language].line
        if limit is not None and max(each) > limit:
            template = N_(
                "Cue {cue} has a line of {count} characters in the language {language} (limit: "
                "{limit})."
            )
            values = {"count": _number(max(each)), "limit": _number(limit)}
            yield "long-line", WARNING, template, {"language": f"`{language}`", **values}
    length = _length(cue)
    for language, each in widths.items():
        limit = limits[language].second
        rate = sum(each) * 1000 / length if length > 0 else 0
        if limit is not None and rate > limit:
            template = N_(
                "Cue {cue} has {rate} characters per second in the language {language} (limit: "
                "{limit})."
            )
            values = {"rate": numbers.decimal(rate, 1), "limit": _number(limit)}
            yield "fast-reading", WARNING, template, {"language": f"`{language}`", **values}


def _length(cue: Cue) -> int:
    return cue.end.ordinal - cue.start.ordinal


def _number(value: float) -> str:
    """Write a number without needless zeros: 16, 16.5."""
    return numbers.significant(value) if value < 1_000_000 else numbers.decimal(value, 0)
