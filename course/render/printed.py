"""What a script prints, on a terminal: its own lines behind a bar, and libraries' warnings."""

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from course.base.i18n import ngettext
from course.lesson.warning_note import find_note
from course.render.lines import CONTROL, QUIET, paragraph, shows, styled, verbatim
from course.runs.script_output import LibraryWarning, PrintedLine, ScriptOutput

PAGE, COLUMNS = 12, 60
"""Rows of a page that a screen of ordinary size has room for, of so many columns."""

Page = tuple[PrintedLine | LibraryWarning | int, ...]
"""Lines, warnings, and how many lines are left out between two of them."""


def own(console: Console, text: str) -> None:
    """Print one line of the script's own, whole: behind a bar, which tells it from our words."""
    for row in rows(console, text):
        console.print(row, soft_wrap=True)


def rows(console: Console, text: str) -> list[Text]:
    """Return a line of the script's own as rows, folded at a terminal's edge, never in a pipe."""
    mark = "│ " if shows(console, "│") else "| "
    line = Text(verbatim(CONTROL.sub("", text.expandtabs(4))))
    columns = max(10, console.width - len(mark))
    folded = line.wrap(console, columns, overflow="fold") if console.is_terminal else [line]
    return [Text(mark, QUIET).append_text(row) for row in folded or [Text()]]


def warning(console: Console, found: LibraryWarning) -> None:
    """Print a warning of a library, with what it means where that is known."""
    note = find_note(found.message)
    words = note.quoted(found.message) if note is not None else ""
    words = words or " ".join(found.message.split()) or found.category
    words = words.replace("`", "")[:300]
    source = found.module.partition(".")[0]
    paragraph(console, f"! {verbatim(source)}: `{words}`", style="yellow")
    if note is not None:
        paragraph(console, note.text, indent=2)


def left_out(console: Console, count: int, file: str | None = None) -> None:
    """Say that lines are left out, and where they are."""
    if file is None:
        text = ngettext("… {n} more line …", "… {n} more lines …", count).format(n=count)
    else:
        sentence = ngettext(
            "… {n} more line; all of the output is in {file}.",
            "… {n} more lines; all of the output is in {file}.",
            count,
        )
        text = sentence.format(n=count, file=f"`{file}`")
    quiet(console, text)


def quiet(console: Console, text: str) -> None:
    """Print a line of ours between those of a script; a path in it stays in one piece."""
    console.print(styled(console, text, QUIET), soft_wrap=True)


def pages(output: ScriptOutput) -> list[Page]:
    """Cut an output into pieces that a screen has room for; the warnings come last."""
    found: list[Page] = []
    page: Page = ()
    used = 0
    omitted = (output.omitted,) if output.omitted else ()
    for part in (*output.first, *omitted, *output.last, *output.warnings):
        needed = 1
        if isinstance(part, PrintedLine):
            needed += cell_len(part.text) // COLUMNS
        elif isinstance(part, LibraryWarning):
            needed = 4
        if page and used + needed > PAGE:
            found.append(page)
            page, used = (), 0
        page += (part,)
        used += needed
    return [*found, page] if page else found


def draw(console: Console, page: Page, file: str | None = None) -> None:
    """Print a page of an output."""
    for part in page:
        match part:
            case PrintedLine():
                own(console, part.text)
            case LibraryWarning():
                warning(console, part)
            case _:
                left_out(console, part, file)
