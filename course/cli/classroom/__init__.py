"""`course class`: exercises for a class, its submissions and marks, one file a command."""

from course.cli.classroom import grade, make, override, report
from course.cli.terminal.help import Command, group
from course.i18n import N_

HELP = N_("Give exercises to a class, grade what comes back, and report on it.")

app = group()
app.command("make", cls=Command, help=make.HELP, epilog=make.EXAMPLES)(make.make)
app.command("grade", cls=Command, help=grade.HELP, epilog=grade.EXAMPLES)(grade.grade)
app.command("report", cls=Command, help=report.HELP, epilog=report.EXAMPLES)(report.report)
app.command("regrade", cls=Command, help=grade.AGAIN, epilog=grade.AGAIN_EXAMPLES)(grade.regrade)
app.command("override", cls=Command, help=override.HELP, epilog=override.EXAMPLES)(
    override.override
)
