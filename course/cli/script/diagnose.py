"""`course diagnose`: what is wrong with anybody's training script."""

import shlex
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from course.cli.script import findings
from course.cli.terminal import consoles
from course.cli.terminal.options import AsJson
from course.i18n import N_, _
from course.lesson.catalogue import catalogue
from course.reading import reading as readings
from course.reading.reading import Reading
from course.reading.source_file import SourceFile
from course.reading.text_fault import TextFault
from course.render import terminal

EXAMPLES = N_(
    "Examples: `course diagnose train.py --static`, for programs `course diagnose train.py "
    "--static --json`"
)


RUN = "run"
NOT_RUN = N_("it was read and not run; {command} watches a run of it")


def diagnose(
    script: Annotated[Path, typer.Argument(metavar="SCRIPT", help=N_("A script or a notebook."))],
    static: Annotated[
        bool, typer.Option("--static", help=N_("Read the text only; nothing is run."))
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Name the faults that a script's text shows; 1 where there is one."""
    begun = time.monotonic()
    source = SourceFile.open(script)
    found = source.read()
    if as_json:
        consoles.document(_document(source, found, time.monotonic() - begun))
    else:
        _tell(source, found)
    return 1 if found.faults else 0


def _tell(source: SourceFile, found: Reading) -> None:
    console = consoles.out()
    terminal.draw(console, findings.faults(source, found))
    done, _wrong, open_ = consoles.marks(console)
    console.print()
    for check, _stage in found.checked:
        consoles.paragraph(console, f"{done} {readings.sentence(check)}", style="green")
    for check, why in _not_checked(source, found):
        told = _("Not checked, {check}: {why}.").format(check=f"`{check}`", why=why)
        consoles.paragraph(console, f"{open_} {told}", style=consoles.QUIET)
    console.print()
    if any(fault.mechanical for fault in found.faults):
        more = _("{command} mends what can be mended in the text.")
        command = f"`course fix {source.path} --apply`"
        consoles.paragraph(console, more.format(command=command), style=consoles.QUIET)
    if not found.faults:
        done = _("The text shows no fault.")
        consoles.paragraph(console, done, style="green")


def _not_checked(source: SourceFile, found: Reading) -> list[tuple[str, str]]:
    """What could not be checked, each with the reason; a run always is among it."""
    watch = f"`course run {shlex.quote(str(source.path))}`"
    run = (RUN, _(NOT_RUN).format(command=watch))
    return [*((check, _(why)) for check, why in found.not_checked), run]


def _document(source: SourceFile, found: Reading, seconds: float) -> dict[str, Any]:
    return {
        "format": 1,
        "faults": [describe(source, found, fault) for fault in found.faults],
        "checked": [{"check": check, "stage": stage} for check, stage in found.checked],
        "not_checked": [{"check": check, "why": why} for check, why in _not_checked(source, found)],
        "seconds": round(seconds, 3),
    }


def describe(source: SourceFile, found: Reading, fault: TextFault) -> dict[str, Any]:
    """A fault of a text for programs."""
    place = source.cells.place(fault.line) if source.cells is not None else None
    return {
        "fault": fault.fault,
        "certain": fault.certain,
        "stage": catalogue()[fault.fault].stage,
        "file": str(source.path),
        "line": place[1] if place else fault.line,
        "cell": place[0] if place else None,
        "evidence": fault.sentence,
        "figures": {},
        "fix": found.diff(fault),
    }
