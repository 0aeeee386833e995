"""A submission: bytes that somebody handed in, and where they came from."""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from course.base.texts import sentences
from course.notebook.cells.notebook import SENTENCES

REFUSALS: dict[str, str] = {
    "notebook-large": SENTENCES["too-large"],
    "notebook-conflict": SENTENCES["conflict"],
    "notebook-old": SENTENCES["old-format"],
    "notebook-kernel": SENTENCES["foreign-kernel"],
    "notebook-empty": SENTENCES["no-code"],
    "notebook-magic": SENTENCES["magic"],
    "notebook-shell": SENTENCES["shell"],
    "notebook-input": SENTENCES["input"],
    **sentences("refusals"),
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
