"""Arguments and options that several commands share."""

from typing import Annotated

import typer

from course.i18n import N_

LessonId = Annotated[str, typer.Argument(metavar="LESSON", help=N_("The id of a lesson."))]
Framework = Annotated[
    str | None,
    typer.Option(
        "--fw", metavar="pt|tf", help=N_("The framework; the lesson's first if not given.")
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help=N_("Print one JSON document, for programs."))]
