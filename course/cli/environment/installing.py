"""Questions before something is done that takes long, or can't be undone."""

import sys

from course.base.errors import UserError
from course.base.i18n import _
from course.cli.terminal import consoles
from course.runs.environment import runtime


def can_ask() -> bool:
    """Return whether somebody is there to be asked: stdout may be a file, or a program's input."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def agreed(framework: str) -> bool:
    """Ask whether to install a framework's environment now, naming what it takes."""
    recipe = runtime.describe(framework).recipe
    assert recipe is not None
    question = _(
        "Install the environment for {framework} now? The download is about {download} MB. It "
        "needs {size} MB in {folder}."
    )
    return yes(
        question.format(
            framework=f"`{framework}`",
            download=runtime.megabytes(recipe.download),
            size=runtime.megabytes(recipe.installed),
            folder=f"`{runtime.folder_of(framework, recipe)}`",
        )
    )


def yes(question: str) -> bool:
    """Ask, and return whether the answer is yes; anything else means no.

    Raises:
        UserError: nobody is there to be asked.

    """
    if not can_ask():
        sentence = _(
            "There is no terminal, so the program cannot ask. To continue without the question, "
            "add {option}."
        )
        raise UserError(sentence.format(option="`--yes`"))
    console = consoles.err()
    consoles.paragraph(console, question, style="bold")
    console.print(_("Type y and press Enter to continue, or just press Enter to cancel:"), end=" ")
    return sys.stdin.readline().strip().lower() in consoles.YES
