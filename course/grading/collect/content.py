"""The script in a file that was handed in: the file itself, or what the cells of a notebook make.

A notebook is only read. Its outputs, the order in which its cells were run, and the cells that we
generated make no difference to its script.
"""

import re

from course.base import encoding
from course.exercise import header, working_copy
from course.exercise.header import Header
from course.exercise.working_copy import CAP
from course.grading.collect.found_file import LARGE, FileRefused, FoundFile
from course.notebook.cells import notebook, script
from course.notebook.cells.notebook import NotebookReason, Unusable

BRACKETS = 500_000
"""Objects and lists that a notebook may have at most: each takes memory, however short it is."""
CELLS = 5_000
REASONS: dict[NotebookReason, str] = {
    "not-json": "notebook-damaged",
    "invalid": "notebook-damaged",
    "conflict": "notebook-conflict",
    "old-format": "notebook-old",
    "foreign-kernel": "notebook-kernel",
    "no-code": "notebook-empty",
    "too-large": "notebook-large",
    "too-much-code": "too-large",
    "magic": "notebook-magic",
    "shell": "notebook-shell",
    "input": "notebook-input",
}
"""Why a notebook is refused, by why it cannot be used."""


def read(found: FoundFile, name: str) -> bytes:
    """Read the script in a file of this name, as it was saved; a `CAP` of bytes at most.

    Raises:
        FileRefused: it cannot be read, is too large, no text, or no notebook that could be run.

    """
    name = re.sub(r"(?i)\.txt$", "", name)
    if not notebook.is_notebook(name):
        data = found.read(CAP)
        try:
            encoding.read_script(data)
        except ValueError as error:
            raise FileRefused("not-text") from error
        return data
    try:
        data = found.read(LARGE)
    except FileRefused as refused:
        reason = "notebook-large" if refused.reason == "too-large" else refused.reason
        raise FileRefused(reason) from refused
    brackets, cells = data.count(b"{") + data.count(b"["), data.count(b'"cell_type"')
    if brackets > BRACKETS or cells > CELLS:
        raise FileRefused("notebook-large")
    return _script(data, name)


def first_line(found: FoundFile, name: str) -> Header | None:
    """Return what a file says of itself in its first line; None where it is no exercise."""
    name = re.sub(r"(?i)\.txt$", "", name)
    is_notebook = notebook.is_notebook(name)
    if not (is_notebook or name.casefold().endswith(".py")):
        return None
    try:
        text = encoding.read_script(found.read(LARGE if is_notebook else CAP))[0]
        return (
            working_copy.header_of(notebook.read(text, name)) if is_notebook else header.find(text)
        )
    except (FileRefused, Unusable, ValueError, RecursionError, MemoryError):
        return None


def _script(data: bytes, name: str) -> bytes:
    """Make the script of the cells of a notebook.

    Raises:
        FileRefused: it cannot be used, or it or the script is no text, or that is too large.

    """
    try:
        text = data.decode()
        made = script.of(notebook.read(text, name)).text if "\0" not in text else text
        # Half of a character, which JSON can hold and no file of text, cannot be encoded.
        code = made.encode()
    except Unusable as why:
        raise FileRefused(REASONS[why.reason]) from why
    except UnicodeError as error:
        raise FileRefused("not-text") from error
    except (RecursionError, MemoryError) as error:
        # Whatever one student hands in, the others' are to be graded.
        raise FileRefused("notebook-damaged") from error
    if "\0" in made:
        raise FileRefused("not-text")
    if len(code) > CAP:
        raise FileRefused("too-large")
    return code
