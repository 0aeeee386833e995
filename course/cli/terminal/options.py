"""Arguments and options that several commands share."""

from typing import Annotated

import typer

from course.base import paths
from course.base.i18n import N_

FRAMEWORKS = "|".join(paths.frameworks())
LessonId = Annotated[str, typer.Argument(metavar="LESSON", help=N_("The id of a lesson."))]
CopyPath = Annotated[
    str | None,
    typer.Argument(
        metavar="LESSON|PATH",
        help=N_(
            "Your exercise: its file, its folder, or the id of its lesson. This folder if not "
            "given."
        ),
    ),
]
Framework = Annotated[
    str | None,
    typer.Option(
        "--fw", metavar=FRAMEWORKS, help=N_("The framework; the lesson's first if not given.")
    ),
]
HubName = Annotated[
    str,
    typer.Option(
        "--hub",
        metavar="embedded|online",
        help=N_("Tiny models and our own data, offline, or the real hub."),
    ),
]
Timeout = Annotated[
    float,
    typer.Option(
        metavar="SECONDS", help=N_("Stop a run that takes longer than this many seconds.")
    ),
]
Cold = Annotated[
    bool,
    typer.Option(
        "--cold", help=N_("Load the libraries anew for each run, without a warm runtime.")
    ),
]
DeviceName = Annotated[
    str | None,
    typer.Option(
        "--device",
        metavar="cpu|cuda",
        help=N_(
            "Where to train. If not given: lessons on the CPU, except for steps about a GPU; your "
            "own scripts where they choose."
        ),
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help=N_("Print one JSON document, for programs."))]
