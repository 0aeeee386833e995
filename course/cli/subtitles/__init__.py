"""`course subtitles`: transcripts of the course's videos, one file a command."""

from course.cli.subtitles import align, check, export, page, repair, serve
from course.cli.terminal.help import Command, group
from course.i18n import N_

HELP = N_("Check, repair, align, export and play the transcripts of videos.")

app = group()
app.command("check", cls=Command, help=check.HELP, epilog=check.EXAMPLES)(check.check)
app.command("repair", cls=Command, help=repair.HELP, epilog=repair.EXAMPLES)(repair.repair)
app.command("align", cls=Command, help=align.HELP, epilog=align.EXAMPLES)(align.align)
app.command("export", cls=Command, help=export.HELP, epilog=export.EXAMPLES)(export.export)
app.command("page", cls=Command, help=page.HELP, epilog=page.EXAMPLES)(page.page)
app.command("serve", cls=Command, help=serve.HELP, epilog=serve.EXAMPLES)(serve.serve)
