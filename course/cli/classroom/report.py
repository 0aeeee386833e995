"""`course class report`: what a gradebook holds, as a page, a table, or another program's file."""

from collections.abc import Callable
from pathlib import Path

import click

from course.base.errors import UserError
from course.base.i18n import N_, _, ngettext
from course.base.schema import refused
from course.cli.classroom.options import gradebook_argument
from course.cli.terminal import consoles
from course.cli.terminal.options import PATH
from course.cli.terminal.output import STDOUT, put, write
from course.grading import table_file
from course.grading.gradebook.gradebook import Gradebook
from course.grading.report import class_results, csv_table, feedback, folder, platform_tables
from course.grading.report.class_results import Register
from course.grading.report.code import view
from course.grading.report.page import page

FORMATS = ("html", "web", "csv", "gradescope", "canvas", "moodle", "nbgrader")
TEXTS: dict[str, Callable[[Register], str]] = {
    "html": page.page,
    "csv": csv_table.text,
    "canvas": platform_tables.canvas,
    "moodle": platform_tables.moodle,
    "nbgrader": platform_tables.nbgrader,
}
"""What writes each report that is one file."""


@gradebook_argument
@click.option("--format", "to", required=True, metavar="|".join(FORMATS), help=N_("The format."))
@click.option(
    "-o",
    "output",
    type=PATH,
    metavar="FILE|DIR",
    help=N_(
        "The file to write. If not given: stdout. `gradescope` and `web` need a folder. `html` "
        "also accepts a folder and then writes one file for each student."
    ),
)
def report(gradebook: Path, to: str, output: Path | None) -> None:
    """Write the report, or print it."""
    if to not in FORMATS:
        raise UserError(refused("--format", to, list(FORMATS)))
    with Gradebook.open(gradebook, readonly=True) as book:
        # Whose mark is uncertain is known by what others have handed in, too.
        contents = book.counted_contents(view.SHOWN) if to in ("html", "web", "csv") else {}
        register = class_results.of(book.standings(), book.sessions(), contents)
    if register.unsafe:
        consoles.note(feedback.unsafe())
    # A folder is meant by one that is there, or by a name that no file would have.
    is_folder = output is not None and output != STDOUT and (output.is_dir() or not output.suffix)
    if to in ("gradescope", "web") or (to == "html" and is_folder):
        _folder(register, to, output)
    elif put(TEXTS[to](register), output, "class.html" if to == "html" else "class.csv"):
        consoles.note(_("Written: {path}.").format(path=f"`{output}`"))


def _folder(register: Register, to: str, output: Path | None) -> None:
    """Write a report of many files, each in one step, beside what else is there.

    Raises:
        UserError: no folder is named, or it cannot be made.

    """
    if output is None or output == STDOUT:
        sentence = _(
            "The report {format} has one file for each student. Give a folder with {option}."
        )
        raise UserError(sentence.format(format=f"`{to}`", option="`-o DIR`"))
    try:
        output.mkdir(exist_ok=True)
    except FileNotFoundError as error:
        sentence = _("There is no folder {folder}. Create it first.")
        raise UserError(sentence.format(folder=f"`{output.parent}`")) from error
    files = _files(register, to, output / folder.LINKS)
    for place, text in files.items():
        target = output.joinpath(*place)
        target.parent.mkdir(exist_ok=True, parents=True)
        write(target, text, place[-1])
    consoles.note(_("Written: {path}.").format(path=f"`{output}`"))
    if to == "web":
        sentence = _(
            "Put {folder} on your web space. {links} says which page belongs to whom. Do not "
            "publish {links}."
        )
        words = {"folder": f"`{output / 'pages'}`", "links": f"`{output / folder.LINKS}`"}
        consoles.note(sentence.format(**words))
    if to == "gradescope":
        left = sum(1 for standing in register.standings if standing.score is None)
        if left:
            sentence = ngettext(
                "{n} exercise has no mark yet and no file.",
                "{n} exercises have no mark yet and no file.",
                left,
            )
            consoles.note(sentence.format(n=left))


def _files(register: Register, to: str, links: Path) -> folder.Files:
    """Make the files of a report; `links` are those of the last time, where there is one."""
    if to == "web":
        return folder.web_pages(register, table_file.text(links) if links.is_file() else "")
    return folder.gradescope_files(register) if to == "gradescope" else folder.pages(register)
