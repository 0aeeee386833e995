"""The notebook of an exercise: the cells of its one script, and those that look into a run."""

from collections.abc import Iterable

from course.base import i18n, texts
from course.base.i18n import N_, _
from course.exercise.header import Header
from course.lesson.bug import Bug
from course.lesson.lesson import Part
from course.notebook import document, looks, setup
from course.notebook.cells import generated
from course.notebook.document import CellDict, cell
from course.notebook.library import jupytext

FORMAT = 1
OPENING = N_(
    "There are bugs in this notebook. Run its cells from the top. When a cell fails, or the model "
    "learns nothing, find the cause, fix the cell, and run it again."
)
CLEAN = N_(
    "This notebook has no bug. Run its cells from the top, or change one and see what happens."
)
HELP = N_(
    "`%course look` inspects the variables of a cell, `%course hint` gives a hint, `%course fix` "
    "shows the next fix, and `%course check` says whether the training is right."
)


def file_name(part: Part) -> str:
    """Return the name of a notebook's file."""
    return f"{part.lesson}-{part.framework}.ipynb"


def text(part: Part, bugs: Iterable[Bug], install: str | None = None, *, exam: bool = False) -> str:
    """Make the text of a new notebook with these bugs, its prose in the language in force.

    `install` is what pip installs where `course` is missing.

    Raises:
        UserError: `install` is not one word that is safe on a command line.

    """
    wanted = tuple(bugs)
    chosen = tuple(b for b in part.known if b in wanted)
    faults = tuple(b.fault for b in chosen)
    header = Header(part.lesson, part.framework, faults, i18n.language(), exam=exam)
    prepare = setup.source(part, header, install)
    title, *rest = _split(texts.translated(part.text(chosen), _))
    cells = [
        title,
        looks.prose(f"{_(OPENING if chosen else CLEAN)}\n\n{_(HELP)}"),
        cell("code", prepare, generated.mark("setup", prepare)),
        *rest,
        *looks.cells(part),
    ]
    about = {
        "format": FORMAT,
        "lesson": part.lesson,
        "framework": part.framework,
        "lang": i18n.language(),
    }
    return document.text(cells, {**document.KERNEL, "course": about})


def _split(script: str) -> list[CellDict]:
    """Split a script in the percent format into its cells."""
    found = jupytext.reads(script, fmt="py:percent")
    return [cell(c.cell_type, c.source, dict(c.metadata)) for c in found.cells]
