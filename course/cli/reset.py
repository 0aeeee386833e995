"""`course reset`: start an exercise over, and keep what was there."""

from course.cli.options import CopyPath, Framework
from course.i18n import N_, _

HELP = N_("Start your exercise over, with all its bugs; the text you had is kept beside it.")
EXAMPLES = N_("Example: `course reset ./ch8-4`")


def reset(target: CopyPath = None, fw: Framework = None) -> None:
    """Keep a backup, then write the exercise anew."""
    from course.cli import lookup, screen
    from course.exercise import copy as copies
    from course.exercise import progress

    copy = lookup.find_copy(target, fw)
    kept = copies.reset(copy)
    progress.forget(copy)
    said = _("{path} is back to its first state; your text is kept as {kept}.")
    console = screen.out()
    screen.paragraph(console, said.format(path=f"`{copy.path.name}`", kept=f"`{kept.name}`"))
