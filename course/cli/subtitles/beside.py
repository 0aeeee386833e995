"""What a transcript is laid beside: a lesson, or a document."""

from pathlib import Path
from typing import TYPE_CHECKING

from course.errors import UserError
from course.i18n import _

if TYPE_CHECKING:
    from course.lesson.lesson import Part


def find_beside(lesson: str | None, doc: Path | None, fw: str | None) -> "Part | None":
    """The part of the lesson that is named; None where there is none.

    Raises:
        UserError: there is no such lesson, or the options don't go together.

    """
    from course.cli import lookup

    if lesson is not None and doc is not None:
        said = _(
            "A transcript is aligned to a lesson or to a document: leave out {one} or {other}."
        )
        raise UserError(said.format(one="`--lesson`", other="`--doc`"))
    if lesson is None and fw is not None:
        said = _("{option} belongs to a lesson: add {lesson}.")
        raise UserError(said.format(option="`--fw`", lesson="`--lesson LESSON`"))
    return None if lesson is None else lookup.find_part(lesson, fw)


def document_text(path: Path) -> str:
    """The text of a Markdown file.

    Raises:
        UserError: it cannot be read.

    """
    try:
        return path.read_text("utf-8-sig")
    except OSError as error:
        said = _("{path} cannot be read: {reason}.")
        raise UserError(said.format(path=f"`{path}`", reason=error.strerror)) from error
    except UnicodeDecodeError as error:
        said = _("{path} is not a text in UTF-8: save it as one.")
        raise UserError(said.format(path=f"`{path}`")) from error
