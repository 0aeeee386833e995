"""`course reset`: start an exercise over, and keep what was there."""

from course.base.i18n import _
from course.cli.learner.own_copy import find_copy
from course.cli.terminal import consoles
from course.cli.terminal.options import copy_argument, fw_option
from course.exercise import progress
from course.exercise import working_copy as copies
from course.notebook.cells import pairing


@copy_argument
@fw_option
def reset(target: str | None, fw: str | None) -> None:
    """Keep a backup, then write the exercise anew."""
    copy = find_copy(target, fw)
    if copy.script is None:
        kept = copies.reset(copy)
    else:
        from course.notebook import convert, make

        form = pairing.form(copy.script.notebook.metadata)

        def made(copy: copies.Copy) -> str:
            text = make.text(copy.part, copy.bugs, exam=copy.header.exam)
            return text if form is None else convert.paired(text, form)

        kept = copies.reset(copy, made)
    progress.forget(copy)
    sentence = _("{path} is now a fresh copy of the exercise. Your version is in {kept}.")
    console = consoles.out()
    consoles.paragraph(console, sentence.format(path=f"`{copy.path.name}`", kept=f"`{kept.name}`"))
