"""What was found among the submissions and could not be taken for one: why, in a sentence."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from course.base.i18n import N_, _, about
from course.grading.collect.found_file import CAPS
from course.grading.collect.submission import REFUSALS

ONE_STUDENT = N_(
    "{source}: in the roster, the number {number} and the name {who} do not belong to the same "
    "student. The column {column} of the roster must have the numbers that the archive uses."
)
NO_SUCH_FILE = N_("{source}: no file has the name of the student's exercise, {wanted}.")
NO_SCRIPT = N_("{source} is not a script. Ask the student for {wanted}, or for a zip with it.")
SENTENCES: dict[str, str] = {
    "no-student": N_("{source} is not in the folder of a student. Move it to the right one."),
    "unknown-student": N_("{source}: the class has no student {who}."),
    "several-students": N_(
        "{source}: {who} may be one of several students. Add a column {column} to the roster, with "
        "the numbers that the archive uses."
    ),
    "two-students": ONE_STUDENT,
    "other-name": ONE_STUDENT,
    "odd-name": N_("{source}: the file name can be read in two ways. Check whose file this is."),
    "not-given": N_("{source}: this exercise was not given to the student."),
    "unknown-file": NO_SUCH_FILE,
    "document": NO_SCRIPT,
    "other-archive": NO_SCRIPT,
    "empty-archive": NO_SUCH_FILE,
    "nested-archive": N_("{source} is an archive inside a student's archive. It was not opened."),
    "too-many-versions": N_(
        "{source} is an older version and is not kept. Only the newest {cap} versions are kept."
    ),
    "too-many-files": N_("{source} has more than {cap} files. The rest was not examined."),
    "too-deep": N_("{source} has too many folders above it, so it was not examined."),
}
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
