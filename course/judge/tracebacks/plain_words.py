"""The class of an exception whose words were quoted without it: Python's own words tell it.

They are those of CPython 3.8 to 3.14 (`Python/ceval.c`, `Objects/*.c`, and what `os` raises).
"""

import re

from course.base.texts import load_table

_FIRST_LINES = 2000
"""Characters of a text in which they are looked for."""
_PATTERNS = {
    kind: re.compile("|".join(words)) for kind, words in load_table("exceptions")["words"].items()
}


def kind(message: str) -> str:
    """Return the class that raises these words; empty where no words of Python's are in them."""
    first = message[:_FIRST_LINES]
    return next((kind for kind, pattern in _PATTERNS.items() if pattern.search(first)), "")
