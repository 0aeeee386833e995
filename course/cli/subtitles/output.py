"""The file that a command writes: replaced as a whole, or one sentence says why it is not."""

import errno
from pathlib import Path

from course.errors import UserError
from course.i18n import _


def write(path: Path, text: str, usual: str) -> None:
    """Replace a file's contents, in UTF-8; `usual` is a name that such a file could have.

    Raises:
        UserError: it cannot be written; nothing has changed then.
        OSError: the disk is full, which is said in one place for all commands.

    """
    from course import files

    if path.is_dir():
        said = _("{path} is a folder: name a file in it, such as {file}.")
        raise UserError(said.format(path=f"`{path}`", file=f"`{path / usual}`"))
    if not path.parent.is_dir():
        said = _("There is no folder {folder}: make it first.")
        raise UserError(said.format(folder=f"`{path.parent}`"))
    try:
        files.write(path, text.encode())
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        said = _("{path} cannot be written: {reason}.")
        reason = error.strerror or str(error)
        raise UserError(said.format(path=f"`{path}`", reason=reason)) from error
