"""A student's question about a mark: a text file that comes back beside the exercise."""

import re
import unicodedata
from dataclasses import dataclass

from course.base import encoding
from course.exercise.working_copy import CAP
from course.grading.collect.found_file import FileRefused, FoundFile

LONGEST = 5_000
"""Characters of a question that are kept."""
FILE = "question.txt"
_NAME = re.compile(
    r"(?:(?P<stem>.+?)[-_ ])?(?:questions?|вопросы?|问题|提问)(?:[-_ ]?\(?\d{1,4}\)?)?\.(?:txt|md)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class AskedQuestion:
    """What a student asks about the mark of an exercise."""

    target: tuple[str, str, str]
    text: str


def stem(name: str) -> str | None:
    """Return which exercise the name of a question is for, "" for any; None for another file."""
    found = _NAME.fullmatch(unicodedata.normalize("NFC", name).strip())
    return found and (found["stem"] or "")


def read(found: FoundFile) -> str:
    """Return the text of a question; "" where it cannot be read."""
    try:
        return encoding.read_script(found.read(CAP))[0].strip("\ufeff \t\r\n")[:LONGEST]
    except (FileRefused, ValueError):
        return ""
