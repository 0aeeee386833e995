"""Anybody's script or notebook as it lies on the disk, read and written back."""

import errno
import os
import tokenize
from dataclasses import dataclass
from pathlib import Path

from course.base import files
from course.base.errors import UserError
from course.base.i18n import _
from course.diagnosis.text import reading
from course.diagnosis.text.reading import Reading
from course.exercise import working_copy
from course.notebook.cells import notebook, script
from course.notebook.cells.script import Script

UTF8 = "utf-8"


@dataclass(frozen=True)
class SourceFile:
    """A file of Python; of a notebook, `text` is the script of its `cells`.

    `encoding` is that of the file: UTF-8, unless it declares another one as Python wants it.
    `arguments` are those that it is run with.
    """

    path: Path
    text: str
    cells: Script | None = None
    encoding: str = UTF8
    arguments: tuple[str, ...] = ()

    @classmethod
    def open(cls, path: Path) -> "SourceFile":
        """Read a file.

        Raises:
            UserError: it is missing, closed to us, no Python, or a notebook that can't be used.

        """
        encoding = _declared(path)
        if encoding != UTF8:
            # Line endings stay as they are.
            return cls(path, path.read_bytes().decode(encoding), encoding=encoding)
        content = working_copy.decode(path)
        if notebook.is_notebook(path.name):
            cells = script.of(notebook.read(content, path.name))
            return cls(path, cells.text, cells)
        return cls(path, content)

    def read(self) -> Reading:
        """Read the text for its faults."""
        text = self.text.removeprefix("\ufeff")
        return reading.read(self.path.name, text, self.path.absolute().parent)

    def place(self, line: int) -> str:
        """Describe a line as a person finds it: of a file, or of a cell."""
        at = self.cells.place(line) if self.cells is not None else None
        if at is not None:
            return _("cell {cell}, line {line}").format(cell=at[0], line=at[1])
        return _("line {line}").format(line=line)

    def line(self, number: int) -> str:
        """Return the text of a line, or nothing."""
        lines = self.text.splitlines()
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""

    def write(self, text: str) -> None:
        """Replace the script by another text of it, unless the file has changed meanwhile.

        Raises:
            UserError: it was saved meanwhile; nothing has changed then.
            OSError: it can't be written, which is said in one place for all commands.

        """
        if SourceFile.open(self.path).text != self.text:
            raise UserError(
                _("The file has been saved meanwhile, so nothing was changed. Try again.")
            )
        if self.text.startswith("\ufeff"):
            text = "\ufeff" + text
        whole = text
        if self.cells is not None:
            whole = self.cells.notebook.replaced(self.cells.back(text))
        if not self.path.stat().st_mode & 0o222:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self.path))
        files.write(self.path, whole.encode(self.encoding))


def _declared(path: Path) -> str:
    """Find the encoding that a script declares and is in; UTF-8 in all other cases."""
    if notebook.is_notebook(path.name):
        return UTF8
    try:
        with path.open("rb") as stream:
            encoding = tokenize.detect_encoding(stream.readline)[0]
        if encoding.startswith(UTF8) or path.stat().st_size > working_copy.CAP:
            return UTF8
        path.read_bytes().decode(encoding)
    except (OSError, SyntaxError, ValueError):
        return UTF8
    return encoding
