"""What a command writes: a file as a whole, or stdout, or one sentence that says why not."""

import sys
from pathlib import Path

from course.base import files
from course.base.errors import UserError
from course.base.i18n import _
from course.render.lines import CONTROL

STDOUT = Path("-")


def put(text: str, output: Path | None, usual: str) -> bool:
    """Write a text to its file, or to stdout where none is named; whether it is in a file.

    Raises:
        UserError: there is no such folder, or it is one.
        OSError: the file cannot be written, which is said in one place for all commands.

    """
    if output is None or output == STDOUT:
        show(text)
        return False
    write(output, text, usual)
    return True


def show(text: str) -> None:
    """Print a file's text, in UTF-8 whatever the locale; nothing in it may act on a terminal."""
    if sys.stdout.isatty():
        sys.stdout.write(CONTROL.sub("", text))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()


def write(path: Path, text: str, usual: str) -> None:
    """Replace a file's contents, in UTF-8; `usual` is a name that such a file could have.

    Raises:
        UserError: there is no such folder, or it is one.
        OSError: it cannot be written, which is said in one place; nothing has changed then.

    """
    _check_folder(path, usual)
    files.write(path, text.encode())


def check_new(path: Path, usual: str) -> None:
    """Make sure, before anything long is done, that a new file can be made.

    Raises:
        UserError: it can't; says what to do.

    """
    _check_folder(path, usual)
    if path.exists() or path.is_symlink():
        raise taken(path)


def create(path: Path, text: str) -> None:
    """Write a new file, in UTF-8.

    Raises:
        UserError: there is one of this name already; it is left as it is.
        OSError: it can't be written, which is said in one place for all commands.

    """
    try:
        files.create(path, text.encode())
    except FileExistsError as error:
        raise taken(path) from error


def taken(path: Path) -> UserError:
    """Make the error for an output file that exists already; the caller raises it."""
    sentence = _("{path} already exists and was not changed. Choose another name.")
    return UserError(sentence.format(path=f"`{path}`"))


def _check_folder(path: Path, usual: str) -> None:
    if path.is_dir():
        sentence = _("{path} is a folder. Give the name of a file in it, such as {file}.")
        raise UserError(sentence.format(path=f"`{path}`", file=f"`{path / usual}`"))
    if not path.parent.is_dir():
        sentence = _("There is no folder {folder}. Create it first.")
        raise UserError(sentence.format(folder=f"`{path.parent}`"))
