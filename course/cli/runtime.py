"""`course runtime`: the interpreters that lessons run in."""

from course.cli.help import Command, group
from course.i18n import N_, _

HELP = N_("Manage the interpreters that lessons run in.")
STOP = N_(
    "End the warm runtimes (processes that have the libraries loaded). They also leave by "
    "themselves, after ten idle minutes."
)
STOP_EXAMPLES = N_("Example: `course runtime stop`")

app = group()


@app.callback()
def runtime() -> None:
    """Keep `stop` a word of its own, though it is the only one yet."""


@app.command("stop", cls=Command, help=STOP, epilog=STOP_EXAMPLES)
def stop() -> None:
    """End every warm runtime of this user, and the runs in them."""
    from course.cli import screen
    from course.i18n import ngettext
    from course.run import warm

    ended = warm.stop()
    if ended:
        said = ngettext("{n} warm runtime ended.", "{n} warm runtimes ended.", ended)
        screen.paragraph(screen.out(), said.format(n=ended))
    else:
        screen.paragraph(screen.out(), _("No warm runtime was running."))
