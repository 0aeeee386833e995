"""Arguments, options and descriptions that the commands for a class share."""

import click

from course.base.errors import UserError
from course.base.i18n import N_, _
from course.cli.terminal.options import FRAMEWORKS, PATH

gradebook_argument = click.argument(
    "gradebook", type=PATH, metavar="GRADEBOOK", help=N_("The gradebook.")
)
rubric_option = click.option(
    "--rubric", type=PATH, metavar="FILE", help=N_("A TOML file with your own points and limits.")
)
who_option = click.option(
    "--who", metavar="NAME", help=N_("Your name. It is saved with the change.")
)
lesson_option = click.option("--lesson", metavar="LESSON", help=N_("The id of a lesson."))
fw_option = click.option("--fw", metavar=FRAMEWORKS, help=N_("The framework."))


def expect_reason(reason: str | None, who: str | None) -> tuple[str, str]:
    """Return why something is changed, and who does it.

    Raises:
        UserError: one of them is missing.

    """
    if not (reason and reason.strip() and who and who.strip()):
        sentence = _("Give the reason and your name: add {reason} and {who}.")
        raise UserError(sentence.format(reason="`--reason TEXT`", who="`--who NAME`"))
    return reason, who


def describe_target(target: tuple[str, str, str]) -> dict[str, str]:
    """Describe whose exercise it is, and which, for a JSON document."""
    return dict(zip(("student", "lesson", "framework"), target, strict=True))
