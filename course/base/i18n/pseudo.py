"""A language that nobody speaks: whatever it leaves in plain Latin letters was never marked."""

import gettext
import re

_KEPT = re.compile(r"\{[^{}]*\}|`[^`]*`")
_WIDE = {ord(c): ord(c) + 0xFEE0 for c in map(chr, range(0x21, 0x7F)) if c.isalpha()}
"""Latin letters to their full-width forms: readable, two cells wide (so it tries layouts too)."""


def disguise(text: str) -> str:
    """Widen the letters of `text`, but for `{placeholders}` and quoted `code`."""
    out, end = [], 0
    for kept in _KEPT.finditer(text):
        out += [text[end : kept.start()].translate(_WIDE), kept.group()]
        end = kept.end()
    out.append(text[end:].translate(_WIDE))
    return "".join(out)


class PseudoTranslations(gettext.NullTranslations):
    """Translates each text to its own disguise."""

    def gettext(self, message: str) -> str:
        """Disguise one text."""
        return disguise(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Disguise a text that depends on a number."""
        return disguise(msgid1 if n == 1 else msgid2)
