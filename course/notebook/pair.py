"""A notebook and a script beside it that are two forms of one text, as jupytext pairs them."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from course.errors import UserError
from course.exercise import working_copy as copies
from course.ipynb import notebook, pairing


@dataclass(frozen=True)
class Pair:
    """A notebook and the script beside it; `form` is the script's format, by jupytext's name."""

    notebook: Path
    script: Path
    form: str


def of(path: Path) -> Pair | None:
    """Find the pair that a file belongs to, the other one of which may be missing; None for none.

    The notebook tells; for one that can't be read, its script does.
    """
    if notebook.is_notebook(path.name):
        book, script = path, path.with_suffix(".py")
    elif path.suffix.lower() == ".py":
        book, script = path.with_suffix(".ipynb"), path
    else:
        return None
    form = None
    try:
        form = pairing.form(notebook.read(copies.decode(book), book.name).metadata)
    except UserError:
        with suppress(UserError):
            form = _form_of_script(copies.decode(script))
    return Pair(book, script, form) if form is not None else None


def whole(path: Path) -> Pair | None:
    """Find the pair that a file belongs to, if both of its files are there."""
    other = path.with_suffix(".py" if notebook.is_notebook(path.name) else ".ipynb")
    # The other's name may be too long for a file: that is none, too.
    return of(path) if os.path.isfile(path) and os.path.isfile(other) else None


def paired(text: str, form: str = pairing.FORM) -> str:
    """Write the text of a new notebook, paired with a script of this format beside it."""
    from course.notebook import document

    content = document.loads(text)
    return document.dumps(
        content | {"metadata": {**content["metadata"], "jupytext": pairing.metadata(form)}}
    )


def _form_of_script(script: str) -> str | None:
    """The format of a script whose header says that it is paired with a notebook beside it."""
    from course.notebook.library import jupytext

    with suppress(Exception):
        # A header may be any YAML, or none.
        return pairing.form(jupytext.formats.read_metadata(script.removeprefix("\ufeff"), ".py"))
    return None
