"""A submission: bytes that somebody handed in, and where they came from."""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from course.base.i18n import N_
from course.notebook.cells.notebook import SENTENCES

DAMAGED = N_("The file is damaged: hand in an undamaged copy.")
REFUSALS: dict[str, str] = {
    "not-regular": N_("The submission is a link or a special file, not a regular one."),
    "too-large": N_("The file is larger than {cap} kB, the limit for an exercise."),
    "too-many": N_("The archive holds more than {cap} files."),
    "outside": N_("The path of a file in the archive leads out of the folder."),
    "not-text": N_("The file is not text: its bytes are not UTF-8."),
    "encrypted": N_("The archive is locked with a password."),
    "damaged": DAMAGED,
    "unreadable": N_("The file cannot be read."),
    "archive-large": N_("The archive is larger than {cap} MB."),
    "notebook-large": SENTENCES["too-large"],
    "notebook-damaged": DAMAGED,
    "notebook-conflict": SENTENCES["conflict"],
    "notebook-old": SENTENCES["old-format"],
    "notebook-kernel": SENTENCES["foreign-kernel"],
    "notebook-empty": SENTENCES["no-code"],
    "notebook-magic": SENTENCES["magic"],
    "notebook-shell": SENTENCES["shell"],
    "notebook-input": SENTENCES["input"],
}
"""Why a submission is not examined at all, by the id of the reason."""


@dataclass(frozen=True)
class Submission:
    """One file that a student handed in.

    `content` is a script, of a notebook the one that its cells make; None where it is `refused`,
    which is the id of the reason. `source` tells a person where it lay. `submitted` is when it was
    handed in, in UTC, as far as that is known; `late` is after the deadline.
    """

    student: str
    lesson: str
    framework: str
    content: bytes | None
    source: str
    submitted: datetime | None = None
    late: bool = False
    refused: str | None = None

    @property
    def digest(self) -> str:
        """What changes when the content does; of a refused one, when the reason does."""
        content = self.content if self.content is not None else f"refused: {self.refused}".encode()
        return hashlib.sha256(content).hexdigest()
