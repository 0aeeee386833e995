"""Rules that cues are held to: their times must make sense, their text should be readable.

Each rule is a function of its own, from the cues and a profile to findings. What breaks a limit of
the profile is a warning; times that no player can follow are an error.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from course.i18n import N_, numbers
from course.subtitles.cue import Cue, Transcript
from course.subtitles.transcript import timing
from course.subtitles.transcript.diagnostic import ERROR, WARNING, Finding
from course.subtitles.transcript.languages import tracks
from course.subtitles.transcript.style_guide import Profile, width


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

    def finding(
        self, at: int, code: str, severity: str, template: str, **values: str | int
    ) -> Finding:
        """A finding about the cue at this place, counted from 0."""
        line = self.cues[at].line or None
        return Finding(line, at + 1, code, severity, template, {"cue": at + 1, **values})


Rule = Callable[[Subject, Profile], Iterator[Finding]]


def examine(transcript: Transcript, profile: Profile) -> list[Finding]:
    """What breaks a rule, in the order of the cues."""
    texts = tracks(transcript).texts
    lines = [{k: text.split("\n") for k, text in by.items()} for by in texts]
    starts = [cue.start.ordinal for cue in transcript]
    subject = Subject(transcript, starts, [cue.end.ordinal for cue in transcript], lines)
    found = [finding for rule in RULES for finding in rule(subject, profile)]
    return sorted(found, key=lambda finding: finding.cue or 0)


def ends_before_it_starts(subject: Subject, profile: Profile) -> Iterator[Finding]:
    """A cue's end must not be before its beginning."""
    said = N_("Cue {cue} ends before it begins: {times}.")
    for at, length in enumerate(subject.durations):
        if length < 0:
            cue = subject.cues[at]
            times = f"`{timing.written(cue.start, cue.end)}`"
            yield subject.finding(at, "ends-before-it-begins", ERROR, said, times=times)


def never_shown(subject: Subject, profile: Profile) -> Iterator[Finding]:
    """A cue must last."""
    said = N_("Cue {cue} is never shown: it ends in the moment in which it begins.")
    for at, length in enumerate(subject.durations):
        if length == 0:
            yield subject.finding(at, "zero-length", ERROR, said)


def runs_backwards(subject: Subject, profile: Profile) -> Iterator[Finding]:
    """A cue must not begin before the one above it."""
    said = N_("Cue {cue} begins at {start}, before cue {other} above it.")
    for at in range(1, len(subject.cues)):
        if subject.starts[at] < subject.starts[at - 1]:
            shown = f"`{subject.cues[at].start}`"
            yield subject.finding(at, "times-run-backwards", ERROR, said, start=shown, other=at)


def overlaps(subject: Subject, profile: Profile) -> Iterator[Finding]:
    """A cue should not begin while an earlier one is still shown."""
    said = N_("Cue {cue} begins {ms} ms before cue {other} has ended.")
    last = 0
    for at in range(1, len(subject.cues)):
        start, ended = subject.starts[at], subject.ends[last]
        if subject.starts[last] <= start < ended:
            early = ended - start
            yield subject.finding(at, "overlap", WARNING, said, ms=early, other=last + 1)
        if subject.ends[at] >= ended:
            last = at


def gap_is_short(subject: Subject, profile: Profile) -> Iterator[Finding]:
    """Between two cues should be no gap at all, or one that does not flicker."""
    said = N_(
        "Between cue {other} and cue {cue} is a gap of {ms} ms: at least {limit} ms, or none."
    )
    for at in range(1, len(subject.cues)):
        gap = subject.starts[at] - subject.ends[at - 1]
        if 0 < gap < profile.gap:
            yield subject.finding(
                at, "short-gap", WARNING, said, ms=gap, limit=profile.gap, other=at
            )


def duration_is_short(subject: Subject, profile: Profile) -> Iterator[Finding]:
    """A cue should be shown long enough to be noticed."""
    said = N_("Cue {cue} is shown for {seconds} s: at least {limit} s.")
    for at, length in enumerate(subject.durations):
        if 0 < length < profile.shortest:
            values = {"seconds": _seconds(length), "limit": _seconds(profile.shortest)}
            yield subject.finding(at, "short-duration", WARNING, said, **values)


def duration_is_long(subject: Subject, profile: Profile) -> Iterator[Finding]:
    """A cue should not be shown so long that it is read twice."""
    said = N_("Cue {cue} is shown for {seconds} s: at most {limit} s.")
    for at, length in enumerate(subject.durations):
        if length > profile.longest:
            values = {"seconds": _seconds(length), "limit": _seconds(profile.longest)}
            yield subject.finding(at, "long-duration", WARNING, said, **values)


def too_many_lines(subject: Subject, profile: Profile) -> Iterator[Finding]:
    """A cue should have few lines in each language."""
    said = N_("Cue {cue} has {count} lines in the language {language}: at most {limit}.")
    for at, by in enumerate(subject.lines):
        for language, lines in by.items():
            if len(lines) > profile.lines:
                values = {"language": f"`{language}`", "limit": _number(profile.lines)}
                yield subject.finding(
                    at, "too-many-lines", WARNING, said, count=len(lines), **values
                )


def line_is_long(subject: Subject, profile: Profile) -> Iterator[Finding]:
    """A line should fit on the screen."""
    said = N_(
        "Cue {cue} has a line of {count} characters in the language {language}: at most {limit}."
    )
    for at, by in enumerate(subject.lines):
        for language, lines in by.items():
            limits = profile.languages.get(language)
            longest = max(width(line, language) for line in lines)
            if limits and longest > limits.line:
                values = {"count": _number(longest), "limit": _number(limits.line)}
                yield subject.finding(
                    at, "long-line", WARNING, said, language=f"`{language}`", **values
                )


def reads_fast(subject: Subject, profile: Profile) -> Iterator[Finding]:
    """There should be time to read a cue, in each of its languages alone."""
    said = N_(
        "Cue {cue} takes {rate} characters a second in the language {language}: at most {limit}."
    )
    for at, (length, by) in enumerate(zip(subject.durations, subject.lines, strict=True)):
        if length <= 0:
            continue
        for language, lines in by.items():
            limits = profile.languages.get(language)
            rate = sum(width(line, language) for line in lines) * 1000 / length
            if limits and rate > limits.second:
                values = {"rate": numbers.decimal(rate, 1), "limit": _number(limits.second)}
                yield subject.finding(
                    at, "fast-reading", WARNING, said, language=f"`{language}`", **values
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
    """A number as it is said: 16, 16.5."""
    return numbers.significant(value) if value < 1_000_000 else numbers.decimal(value, 0)


def _seconds(ms: float) -> str:
    return numbers.decimal(ms / 1000, 2)
