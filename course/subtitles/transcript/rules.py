"""Rules that cues are held to: their times must make sense, their text should be readable.

Each rule is a function of its own, from the cues and a style guide to diagnostics. What breaks a
limit of the style guide is a warning; times that no player can follow are an error.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from course.base.i18n import N_, numbers
from course.subtitles.cue import Cue, Transcript
from course.subtitles.transcript import timing
from course.subtitles.transcript.diagnostic import ERROR, WARNING, Diagnostic
from course.subtitles.transcript.languages import split_languages
from course.subtitles.transcript.style_guide import StyleGuide, width


@dataclass(frozen=True, slots=True)
class Subject:
    """What a rule looks at: the cues, their times (ms), and for each its lines by language."""

    cues: Sequence[Cue]
    starts: Sequence[int]
    ends: Sequence[int]
    lines: Sequence[Mapping[str, list[str]]]

    @property
    def durations(self) -> Iterator[int]:
        """How long each cue is shown (ms); below zero where it ends before it begins."""
        return (end - start for start, end in zip(self.starts, self.ends, strict=True))

    def diagnostic(
        self, at: int, code: str, severity: str, template: str, **values: str | int
    ) -> Diagnostic:
        """Make a diagnostic about the cue at this place, counted from 0."""
        line = self.cues[at].line or None
        return Diagnostic(line, at + 1, code, severity, template, {"cue": at + 1, **values})


Rule = Callable[[Subject, StyleGuide], Iterator[Diagnostic]]


def examine(transcript: Transcript, style_guide: StyleGuide) -> list[Diagnostic]:
    """Apply every rule to a transcript; the diagnostics come in the order of the cues."""
    texts = split_languages(transcript).texts
    lines = [{k: text.split("\n") for k, text in by.items()} for by in texts]
    starts = [cue.start.ordinal for cue in transcript]
    subject = Subject(transcript, starts, [cue.end.ordinal for cue in transcript], lines)
    found = [diagnostic for rule in RULES for diagnostic in rule(subject, style_guide)]
    return sorted(found, key=lambda diagnostic: diagnostic.cue or 0)


def ends_before_it_starts(subject: Subject, style_guide: StyleGuide) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each cue whose end is before its beginning."""
    template = N_("Cue {cue} ends before it begins: {times}.")
    for at, length in enumerate(subject.durations):
        if length < 0:
            cue = subject.cues[at]
            times = f"`{timing.format_times(cue.start, cue.end)}`"
            yield subject.diagnostic(at, "ends-before-it-begins", ERROR, template, times=times)


def never_shown(subject: Subject, style_guide: StyleGuide) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each cue that does not last."""
    template = N_("Cue {cue} is never shown: it ends in the moment in which it begins.")
    for at, length in enumerate(subject.durations):
        if length == 0:
            yield subject.diagnostic(at, "zero-length", ERROR, template)


def runs_backwards(subject: Subject, style_guide: StyleGuide) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each cue that begins before the one above it."""
    template = N_("Cue {cue} begins at {start}, before cue {other} above it.")
    for at in range(1, len(subject.cues)):
        if subject.starts[at] < subject.starts[at - 1]:
            shown = f"`{subject.cues[at].start}`"
            yield subject.diagnostic(
                at, "times-run-backwards", ERROR, template, start=shown, other=at
            )


def overlaps(subject: Subject, style_guide: StyleGuide) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each cue that begins while an earlier one is still shown."""
    template = N_("Cue {cue} begins {ms} ms before cue {other} has ended.")
    last = 0
    for at in range(1, len(subject.cues)):
        start, ended = subject.starts[at], subject.ends[last]
        if subject.starts[last] <= start < ended:
            early = ended - start
            yield subject.diagnostic(at, "overlap", WARNING, template, ms=early, other=last + 1)
        if subject.ends[at] >= ended:
            last = at


def gap_is_short(subject: Subject, style_guide: StyleGuide) -> Iterator[Diagnostic]:
    """Between two cues should be no gap at all, or one that does not flicker."""
    template = N_(
        "Between cue {other} and cue {cue} is a gap of {ms} ms: at least {limit} ms, or none."
    )
    for at in range(1, len(subject.cues)):
        gap = subject.starts[at] - subject.ends[at - 1]
        if 0 < gap < style_guide.gap:
            yield subject.diagnostic(
                at, "short-gap", WARNING, template, ms=gap, limit=style_guide.gap, other=at
            )


def duration_is_short(subject: Subject, style_guide: StyleGuide) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each cue that is not shown long enough to be noticed."""
    template = N_("Cue {cue} is shown for {seconds} s (limit: {limit} s).")
    for at, length in enumerate(subject.durations):
        if 0 < length < style_guide.shortest:
            values = {"seconds": _seconds(length), "limit": _seconds(style_guide.shortest)}
            yield subject.diagnostic(at, "short-duration", WARNING, template, **values)


def duration_is_long(subject: Subject, style_guide: StyleGuide) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each cue that is shown so long that it is read twice."""
    template = N_("Cue {cue} is shown for {seconds} s (limit: {limit} s).")
    for at, length in enumerate(subject.durations):
        if length > style_guide.longest:
            values = {"seconds": _seconds(length), "limit": _seconds(style_guide.longest)}
            yield subject.diagnostic(at, "long-duration", WARNING, template, **values)


def too_many_lines(subject: Subject, style_guide: StyleGuide) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each cue that has too many lines in a language."""
    template = N_("Cue {cue} has {count} lines in the language {language}: at most {limit}.")
    for at, by in enumerate(subject.lines):
        for language, lines in by.items():
            if len(lines) > style_guide.lines:
                values = {"language": f"`{language}`", "limit": _number(style_guide.lines)}
                yield subject.diagnostic(
                    at, "too-many-lines", WARNING, template, count=len(lines), **values
                )


def line_is_long(subject: Subject, style_guide: StyleGuide) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each line that does not fit on the screen."""
    template = N_(
        "Cue {cue} has a line of {count} characters in the language {language}: at most {limit}."
    )
    for at, by in enumerate(subject.lines):
        for language, lines in by.items():
            limits = style_guide.languages.get(language)
            longest = max(width(line, language) for line in lines)
            if limits and longest > limits.line:
                values = {"count": _number(longest), "limit": _number(limits.line)}
                yield subject.diagnostic(
                    at, "long-line", WARNING, template, language=f"`{language}`", **values
                )


def reads_fast(subject: Subject, style_guide: StyleGuide) -> Iterator[Diagnostic]:
    """There should be time to read a cue, in each of its languages alone."""
    template = N_(
        "Cue {cue} takes {rate} characters a second in the language {language}: at most {limit}."
    )
    for at, (length, by) in enumerate(zip(subject.durations, subject.lines, strict=True)):
        if length <= 0:
            continue
        for language, lines in by.items():
            limits = style_guide.languages.get(language)
            rate = sum(width(line, language) for line in lines) * 1000 / length
            if limits and rate > limits.second:
                values = {"rate": numbers.decimal(rate, 1), "limit": _number(limits.second)}
                yield subject.diagnostic(
                    at, "fast-reading", WARNING, template, language=f"`{language}`", **values
                )


RULES: tuple[Rule, ...] = (
    ends_before_it_starts,
    never_shown,
    runs_backwards,
    overlaps,
    gap_is_short,
    duration_is_short,
    duration_is_long,
    too_many_lines,
    line_is_long,
    reads_fast,
)


def _number(value: float) -> str:
    """Write a number without needless zeros: 16, 16.5."""
    return numbers.significant(value) if value < 1_000_000 else numbers.decimal(value, 0)


def _seconds(ms: float) -> str:
    return numbers.decimal(ms / 1000, 2)
