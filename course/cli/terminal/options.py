"""Arguments and options that several commands share."""

import math
from pathlib import Path

import click

from course.base import paths
from course.base.errors import UserError
from course.base.i18n import N_, _, about

PATH = click.Path(path_type=Path)


def time_limit(text: str | float) -> float:
    """Read the seconds that a run may take.

    Raises:
        UserError: they are none, or without end.

    """
    seconds = float(text)
    if not (math.isfinite(seconds) and seconds > 0):
        sentence = _("Give a number of at least {n}.")
        raise UserError(about("`--timeout`", sentence.format(n=1)))
    return seconds


def either(first: str, second: str) -> UserError:
    """Make the error for options of which one must be given, and not the other."""
    sentence = _("Give either {first} or {second}, not both.")
    return UserError(sentence.format(first=f"`{first}`", second=f"`{second}`"))


HUB = N_(
    "Use the embedded hub (tiny models and our own data, offline) or the real hub. If not given: "
    "lessons use the embedded hub, and your own scripts use the hub that they ask for."
)
SECONDS = N_(
    "Stop a run after this number of seconds. If not given: 600 for lessons, no limit for your own "
    "scripts."
)
FRAMEWORKS = "|".join(paths.frameworks())
lesson_argument = click.argument("lesson", metavar="LESSON", help=N_("The id of a lesson."))
copy_argument = click.argument(
    "target",
    required=False,
    metavar="LESSON|PATH",
    help=N_(
        "Your exercise: its file, its folder, or the id of its lesson. If not given: this folder."
    ),
)
fw_option = click.option(
    "--fw", metavar=FRAMEWORKS, help=N_("The framework. If not given: the lesson's first one.")
)
hub_option = click.option(
    "--hub",
    default="embedded",
    metavar="embedded|online",
    help=HUB,
)
timeout_option = click.option(
    "--timeout",
    type=time_limit,
    default=600,
    metavar="SECONDS",
    help=SECONDS,
)
cold_option = click.option(
    "--cold",
    is_flag=True,
    help=N_(
        "Load the libraries again for each run. Do not use a warm runtime (a process that has "
        "loaded them already)."
    ),
)
device_option = click.option(
    "--device",
    metavar="cpu|cuda",
    help=N_(
        "Where to train. If not given: lessons train on the CPU, except steps about a GPU. Your "
        "own scripts choose the device themselves."
    ),
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help=N_("Print one JSON document, for programs.")
)
yes_option = click.option("--yes", "-y", is_flag=True, help=N_("Do not ask questions."))
