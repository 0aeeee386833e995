"""What the program never says: words that readers whose first language is another stumble at."""

import re
from functools import cache

import pytest

from course.authoring import translations

QUOTED = re.compile(r'`[^`]*`|"[^"]*"|“[^”]*”')
NEVER = {
    "is no X": r"(?<!there )\b(?:is|are) no (?!longer)\w",
    "no Python": r"\bno Python\b(?! in)",
    "stands, for: is written": r"\bstands?\b|\bstood\b",
    "lies, but of files": r"\blies\b",
    "usually": r"\bmostly\b",
    "again": r"\banew\b",
    "instead of": r"\bin (?:the |its |their )?place of\b(?! each …)",
    "randomly initialized": r"\bof chance\b",
    "is observed": r"\bheard\b",
    "derivative": r"\bslopes?\b",
    "needs, of a function": r"\bwants?\b",
    "shows, of a program": r"\btells\b",
    "expected: N": r"\bwhere \S+ (?:is|are) expected\b",
    "the course": r"\bthe document\b",
    "dataset": r"\bdata sets?\b",
    "CPU": r"(?<!image )\bprocessors?\b",
    "image": r"\bpictures?\b",
    "reset to zero": r"\bset back\b",
    "after": r"\bbehind\b",
    "who is meant": r"\bnobody\b|\bwhoever\b",
    "may differ": r"\bneed not\b",
    "once, in the heading": r"^No error is raised, but",
}
"""What to say, and a pattern of what stood for it."""


@cache
def said() -> list[str]:
    """Return each English text of the program and of its lessons, in both numbers."""
    ids = [message.id for message in translations.gather() if message.id]
    return [text for each in ids for text in ([each] if isinstance(each, str) else each)]


@pytest.mark.parametrize("better", NEVER)
def test_what_is_never_said(better: str) -> None:
    found = [text for text in said() if re.search(NEVER[better], QUOTED.sub("x", text), re.I)]
    assert found == []


def test_code_has_the_dots_that_run() -> None:
    assert [
        text for text in said() if any("…" in code for code in re.findall("`[^`]*`", text))
    ] == []
