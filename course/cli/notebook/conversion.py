"""`course notebook FILE`: a notebook as a script, or a script as a notebook."""

from pathlib import Path

from course.base.errors import UserError
from course.base.i18n import _
from course.cli.terminal import consoles
from course.cli.terminal.output import STDOUT, create, show
from course.exercise import working_copy
from course.notebook import convert as forms
from course.notebook.cells import notebook

SUFFIXES = {".ipynb": ".py", ".py": ".ipynb"}
"""Of each form the file's ending, and that of the other form."""


def is_file(word: str) -> bool:
    """Return whether a word means a file of either form: no lesson's id ends like one."""
    return Path(word).suffix.lower() in SUFFIXES


def convert(path: Path, output: Path | None) -> None:
    """Write the other form of a file, to a new file or to stdout.

    Raises:
        UserError: it can't be read, or what it is to become is there already.

    """
    target = output or path.with_suffix(SUFFIXES[path.suffix.lower()])
    if target.suffix.lower() == path.suffix.lower():
        message = _("Give a file name that ends in {suffix}, such as {file}.")
        suffix = SUFFIXES[path.suffix.lower()]
        file = target.with_suffix(suffix)
        raise UserError(message.format(suffix=f"`{suffix}`", file=f"`{file}`"))
    text = working_copy.decode(path)
    if notebook.is_notebook(path.name):
        notebook.read(text, path.name)
        made = forms.to_script(text)
    else:
        made = forms.to_notebook(text)
    if target == STDOUT:
        show(made)
        return
    create(target, made)
    message = _("Written: {path}.")
    consoles.paragraph(consoles.out(), message.format(path=f"`{target}`"), style="green")
