"""`course notebook --sync`: a notebook and its script, brought in step."""

from pathlib import Path

from course.cli.terminal import consoles
from course.errors import UserError
from course.exercise import working_copy
from course.i18n import _
from course.notebook import pair
from course.notebook import sync as syncing
from course.notebook.sync import Side


def sync(word: str, keep: "Side | None", *, as_json: bool) -> None:
    """Bring the pair of a file, or of a folder's exercise, in step, and say what was done.

    Raises:
        UserError: it is no pair; both have changed, and no side to keep was named.

    """
    path = working_copy.find(Path(word))
    if not path.is_file():
        raise UserError(_("There is no file {path}.").format(path=f"`{path}`"))
    found = pair.of(path)
    if found is None:
        message = _(
            "{path} has no paired script or notebook beside it: {command} pairs a notebook."
        )
        command = f"`jupytext --set-formats ipynb,py:percent {path.with_suffix('.ipynb')}`"
        raise UserError(message.format(path=f"`{path}`", command=command))
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
