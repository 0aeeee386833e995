"""Why a file cannot be written, in a sentence."""

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

from course.base.errors import UserError
from course.base.i18n import _


@contextlib.contextmanager
def explaining(path: Path) -> Iterator[None]:
    """Say in a sentence why a file or a folder cannot be written.

    Raises:
        UserError: it cannot be, for this reason.
        OSError: the disk is full, which is said in one place for all commands.

    """
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        sentence = _("{path} cannot be written: {reason}.")
        named, reason = error.filename or path, error.strerror or str(error)
        raise UserError(sentence.format(path=f"`{named}`", reason=reason)) from error
