"""Where the words of an input went, told without the reader's own cleaning and parsing."""

import re
import unicodedata
from collections import defaultdict

from course.subtitles.transcript.parser import ParsedTranscript

CLOCK = re.compile(r"(?:[0-9]+ ?[:：] ?){1,2}[0-9]+(?: ?[.,，。] ?[0-9]+)?")
ARROW = re.compile(r"[-–—−]{1,3} ?>|--&gt;|→|,")

ENTITIES = {"&lt;": "<", "&gt;": ">", "&nbsp;": "\xa0", "&lrm;": "\u200e", "&rlm;": "\u200f"}
ENTITIES |= {"&quot;": '"', "&amp;": "&"}
BLOCKS = ("webvtt", "comment", "identifier", "text-outside-cues")
"""Diagnostics that quote whole lines, or several."""


def words(line: str) -> list[str]:
    """Return a line's words, without the control characters that are not shown."""
    seen = []
    for character in line:
        if character.isspace() or character in "\x85\u2028\u2029":
            seen.append(" ")
        elif unicodedata.category(character) != "Cc" and character != "\ufeff":
            seen.append(character)
    return "".join(seen).split()


def unescaped(text: str) -> str:
    """Read WebVTT's entities; the ampersand last, so that nothing is taken for an entity twice."""
    for name, character in ENTITIES.items():
        text = text.replace(name, character)
    return text


def lost(reading: ParsedTranscript) -> list[str]:  # noqa: C901 - one reading of a file, line by line
    """Find what is in the input, and neither in the cue of its line nor quoted by a diagnostic."""
    missing = []
    said: dict[int | None, list[str]] = defaultdict(list)
    quoted = defaultdict(str)
    for diagnostic in reading.diagnostics:
        if diagnostic.line is not None:
            quoted[diagnostic.line] += f" {diagnostic.message} "
    told = [each for each in reading.diagnostics if each.code == "text-beside-times"]
    beside = {each.line: str(each.values["text"]) for each in told}
    begun = {diagnostic.line for diagnostic in reading.diagnostics if diagnostic.code in BLOCKS}
    block = 0
    for line in reading.lines:
        own = words(line.text)
        if line.role in ("text", "time"):
            block = 0
        if line.role == "text":
            said[line.cue] += own
        elif line.role == "number":
            if not re.fullmatch(r"[0-9]+", "".join(own)):
                missing.append(line.text)
        elif line.role == "time":
            seen = " ".join(own)
            if not CLOCK.search(seen) or not ARROW.search(seen):
                missing.append(line.text)
            rest = ARROW.sub(" ", CLOCK.sub(" ", seen)).split()
            for word in rest:
                if word not in quoted[line.number] and not word.isdigit():
                    missing.append(f"{line.number}: {word}")
            said[line.cue] += beside.get(line.number, "").split()
        elif line.role == "blank":
            missing += own
        else:
            # A block outside of all cues is quoted where it begins.
            block = line.number if line.number in begun else block
            missing += [word for word in own if word not in quoted[block]]
    for cue, meant in said.items():
        if cue is None:
            missing += meant
            continue
        text = reading.transcript[cue - 1].text.split()
        if reading.form == "webvtt":
            meant = unescaped(" ".join(meant)).split()
        if text != meant:
            missing.append(f"cue {cue}: {meant} became {text}")
    return missing
