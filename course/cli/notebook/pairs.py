"""`course notebook --pair` and `--sync`: a notebook and its script, made and kept in step."""

from pathlib import Path
from typing import TYPE_CHECKING

from course.errors import UserError
from course.i18n import _

if TYPE_CHECKING:
    from course.notebook.pair import Pair
    from course.notebook.sync import Side


def sync(word: str, keep: "Side | None", *, as_json: bool) -> None:
    """Bring the pair of a file, or of a folder's exercise, in step, and say what was done.

    Raises:
        UserError: it is no pair; both have changed, and nobody said which one to keep.

    """
    from course.cli.terminal import consoles
    from course.exercise import working_copy
    from course.notebook import sync as syncing

    found = _pair(working_copy.find(Path(word)))
    done = syncing.sync(found, keep)
    if as_json:
        consoles.document(
            {
                "format": 1,
                "notebook": str(found.notebook.absolute()),
                "script": str(found.script.absolute()),
                "written": str(done.written.absolute()) if done.written else None,
                "kept": str(done.kept.absolute()) if done.kept else None,
            }
        )
        return
    same = _("{script} and {notebook} have the same text.")
    names = {"script": f"`{found.script.name}`", "notebook": f"`{found.notebook.name}`"}
    consoles.paragraph(consoles.out(), done.sentence or same.format(**names))


def paired(text: str) -> str:
    """The text of a new notebook that a script is to lie beside."""
    from course.notebook import pair

    return pair.paired(text)


def write_script(path: Path) -> None:
    """Write the script of a new notebook that is paired.

    Raises:
        UserError: somebody was faster.
        OSError: it can't be written.

    """
    from course.notebook import sync as syncing

    syncing.sync(_pair(path))


def _pair(path: Path) -> "Pair":
    from course.notebook import pair

    if not path.is_file():
        raise UserError(_("There is no file {path}.").format(path=f"`{path}`"))
    found = pair.of(path)
    if found is None:
        said = _("{path} has no paired script or notebook beside it: {command} pairs a notebook.")
        command = f"`jupytext --set-formats ipynb,py:percent {path.with_suffix('.ipynb')}`"
        raise UserError(said.format(path=f"`{path}`", command=command))
    return found
