"""The first line of a working copy: which exercise it is. A convenience, never trusted for a grade.

# course: ch8-4 FRAMEWORK format=1 lang=zh bugs=missing-input-ids,length-mismatch
"""

import re
from dataclasses import dataclass

FORMAT = 1
LINES = 40
"""Lines in which the header is looked for: a learner may put something before it."""
NONE = "none"
_LINE = re.compile(
    r"^\s*#\s*course:\s+(?P<lesson>\S+)\s+(?P<framework>\S+)(?P<rest>(\s+\w+=\S*)*)\s*$"
)


@dataclass(frozen=True)
class Header:
    """Lesson, framework, the bugs that were put in (by their faults), and the language."""

    lesson: str
    framework: str
    bugs: tuple[str, ...]
    lang: str
    format: int = FORMAT

    def line(self) -> str:
        """The header as it stands in the file, with its line break."""
        bugs = ",".join(self.bugs) or NONE
        about = f"format={self.format} lang={self.lang} bugs={bugs}"
        return f"# course: {self.lesson} {self.framework} {about}\n"


def find(text: str) -> Header | None:
    """The header of a text; None where there is none, or one that makes no sense."""
    for line in text.removeprefix("\ufeff").splitlines()[:LINES]:
        found = _LINE.match(line)
        if found:
            values = dict(part.split("=", 1) for part in found["rest"].split())
            try:
                number = int(values.get("format", ""))
            except ValueError:
                return None
            bugs = tuple(b for b in values.get("bugs", "").split(",") if b not in ("", NONE))
            return Header(
                found["lesson"], found["framework"], bugs, values.get("lang", "en"), number
            )
    return None
