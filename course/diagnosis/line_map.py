"""Which line of a script a line of its mended text comes from."""

from difflib import SequenceMatcher


class LineMap:
    """Lines of an original text by lines of another one, both from 1 on."""

    def __init__(self, original: str, other: str) -> None:
        self._lines: dict[int, int] = {}
        before, after = original.splitlines(), other.splitlines()
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        for _kind, a, b, c, d in matcher.get_opcodes():
            for line in range(c, d):
                self._lines[line + 1] = min(a + line - c, max(a, b - 1)) + 1

    def back(self, line: int) -> int:
        """Return the line of the original text."""
        return self._lines.get(line, line)
