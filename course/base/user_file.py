"""Files that a user has named: read, or refused in a sentence."""

import os
from pathlib import Path

from course.base.errors import UserError
from course.base.i18n import _, numbers


def read(path: Path, most: int, example: str) -> bytes:
    """Read a file; `example` is what a file in a folder may be called.

    Of more than `most` bytes one more is read: a pipe tells nothing of its length.

    Raises:
        UserError: it is missing, a folder, or can't be read.

    """
    name = f"`{path}`"
    try:
        with path.open("rb") as stream:
            return stream.read(most + 1)
    except FileNotFoundError as error:
        raise UserError(_("There is no file {file}.").format(file=name)) from error
    except (OSError, ValueError) as error:
        sentence = _("{path} cannot be read: {reason}.")
        if os.path.isdir(path):
            sentence = _("{path} is a folder. Give the name of a file in it, such as {file}.")
        reason = getattr(error, "strerror", None) or error
        told = {"path": name, "file": f"`{path / example}`", "reason": reason}
        raise UserError(sentence.format(**told)) from error


def too_large(path: Path, limit: str) -> UserError:
    """Make the error for a file beyond a limit, such as `megabytes(most)`."""
    # Translators: {limit} is a size, or a number of lines or cues.
    sentence = _("{path} is too large: the limit is {limit}.")
    return UserError(sentence.format(path=f"`{path}`", limit=limit))


def no_space(folder: Path, needed: str, variable: str) -> UserError:
    """Make the error for a folder of ours that lacks so many MB; `variable` names another one."""
    sentence = _(
        "There is not enough space in {folder}: {needed} MB are needed. Free some space, or set "
        "{variable} to another folder."
    )
    return UserError(sentence.format(folder=f"`{folder}`", needed=needed, variable=f"`{variable}`"))


def megabytes(size: int) -> str:
    """Write a number of bytes as so many MB."""
    return numbers.amount(size // 1_000_000, "digital-megabyte")
