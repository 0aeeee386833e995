"""What was found among the submissions and could not be taken for one: why, in a sentence."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from course.base.i18n import _, about
from course.base.texts import sentences
from course.grading.collect.found_file import CAPS
from course.grading.collect.submission import REFUSALS

SENTENCES = sentences("unmatched")
"""What each reason means, for the teacher."""
DOCUMENTS = frozenset(["doc", "docx", "htm", "html", "md", "odt", "pages", "pdf", "rtf", "wps"])
ARCHIVES = frozenset(["7z", "bz2", "gz", "rar", "tar", "tgz", "xz"])
"""How the names of files end that can't be a script, whatever they are called."""


@dataclass(frozen=True)
class Unmatched:
    """Something that counts for nobody: where it lay, why, and whose it seems to be, if that.

    `reason` is a key of `SENTENCES` or, of what cannot be read, of `REFUSALS`.
    """

    source: str
    reason: str
    student: str | None = None
    figures: Mapping[str, str | int] = field(default_factory=dict)


class UnmatchedFile(Exception):
    """It cannot be told whose a file is, for this reason."""

    def __init__(self, reason: str, **figures: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.figures = figures


def by_name(name: str) -> str:
    """Why a file in a student's folder is not the exercise, by its name."""
    ending = name.rpartition(".")[2].casefold()
    if ending in DOCUMENTS:
        return "document"
    return "other-archive" if ending in ARCHIVES else "unknown-file"


def refusal(reason: str, cap: str | int | None = None) -> str:
    """Why something is refused, in the language in force; `cap` where it is not a student's."""
    return _(REFUSALS[reason]).format(cap=CAPS.get(reason, 0) if cap is None else cap)


def describe(unmatched: Unmatched) -> str:
    """Make the sentence of a stray in the language in force."""
    source = f"`{unmatched.source}`"
    if unmatched.reason in SENTENCES:
        quoted = {k: _quoted(k, v) for k, v in unmatched.figures.items()}
        sentence = SENTENCES[unmatched.reason]
        return _(sentence).format(source=source, **quoted)
    why = refusal(unmatched.reason, unmatched.figures.get("cap"))
    # Translators: where a file lay, and a sentence on what is wrong with it.
    return about(source, why)


def _quoted(name: str, value: str | int) -> str | int:
    """Return a figure as a sentence has it: each of several file names by itself."""
    if isinstance(value, int):
        return value
    each = value.split() if name == "wanted" else [value]
    return ", ".join(f"`{one}`" for one in each)
