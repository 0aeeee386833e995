"""`course diagnose`: what is wrong with anybody's training script."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from course.base.i18n import N_, _
from course.cli.terminal import consoles
from course.cli.terminal.options import PATH, json_option
from course.diagnosis import checklist, report
from course.diagnosis import diagnosis as diagnoses
from course.diagnosis.diagnosis import Diagnosis
from course.diagnosis.finding import ScriptFinding
from course.diagnosis.text.source_file import SourceFile
from course.diagnosis.user_script import find_diagnosed
from course.exercise import header, practice
from course.render import terminal
from course.runs import hub as hubs

MORE = 3
"""How many times as long is proposed where the time was not enough."""


@click.argument("script", type=PATH, metavar="SCRIPT", help=N_("A script or a notebook."))
@click.argument(
    "arguments", nargs=-1, metavar="[-- ARGS]", help=N_("Arguments for your own script.")
)
@click.option(
    "--seconds",
    type=float,
    default=diagnoses.SECONDS,
    metavar="N",
    help=N_("How many seconds the diagnosis may take, with all its runs."),
)
@click.option(
    "--python",
    metavar="FILE",
    help=N_("The Python for your own script. If not given: that of the active environment."),
)
@click.option(
    "--hub",
    metavar="online|embedded",
    help=N_(
        "Where models and data come from. If not given: the cache, and our own small ones if the "
        "cache does not have them. `online` downloads what is missing. `embedded` uses only our "
        "own small ones."
    ),
)
@click.option("--static", is_flag=True, help=N_("Read the code only; nothing is run."))
@json_option
def diagnose(
    script: Path,
    arguments: tuple[str, ...],
    seconds: float,
    python: str | None,
    hub: str | None,
    static: bool,
    as_json: bool,
) -> int:
    """Name the faults of a script, each part examined by itself; 1 where there is one."""
    diagnoses.check_seconds(seconds)
    source = replace(SourceFile.open(script), arguments=arguments)
    context, beside = find_diagnosed(source.text, python, hub, static=static)
    if static:
        found = diagnoses.read(source, context)
    else:
        with consoles.progress(
            consoles.err(), _("Reading {file} …").format(file=f"`{script}`")
        ) as update:
            found = diagnoses.diagnose(
                source,
                context,
                seconds=seconds,
                download=hub == hubs.ONLINE,
                on_progress=lambda what: update(_(what)),
            )
    own = header.find(source.text)
    is_exam = own is not None and own.exam
    if is_exam:
        # Its fixes are shown after it, as `course fix` says.
        found = replace(found, findings=tuple(replace(f, fix=None) for f in found.findings))
    if as_json:
        consoles.document(_document(source, found))
    else:
        _tell(source, found, seconds, with_fixes=not is_exam)
        if is_exam:
            consoles.paragraph(consoles.out(), _(practice.IN_AN_EXAM), style=consoles.QUIET)
        if beside is not None:
            told = beside.sentence(is_taken=context.runtime.python == beside.python)
            consoles.paragraph(consoles.out(), told, style=consoles.QUIET)
    return 1 if any(finding.certain for finding in found.findings) else 0


def _tell(source: SourceFile, found: Diagnosis, seconds: float, *, with_fixes: bool) -> None:
    console = consoles.out()
    terminal.draw(console, report.faults(source, found.findings, with_fixes=with_fixes))
    terminal.draw(console, report.broken(found))
    done, _wrong, open_ = consoles.marks(console)
    console.print()
    for check, _stage in found.checked:
        consoles.paragraph(console, report.fine(check), style="green", mark=done)
    for check, why in report.not_checked(source, found):
        sentence = report.unchecked(check, why)
        consoles.paragraph(console, sentence, style=consoles.QUIET, mark=open_)
    console.print()
    if found.stood_in:
        consoles.paragraph(console, report.stood_in(source), style=consoles.QUIET)
    if any(why == checklist.NO_TIME for _check, why in found.not_checked):
        more = _("Some checks need more time. {command} runs them.")
        command = f"`{report.command(source, '--seconds', f'{seconds * MORE:g}')}`"
        consoles.paragraph(console, more.format(command=command), style=consoles.QUIET)
    if any(finding.fix for finding in found.findings):
        more = _("{command} makes these changes in the file.")
        command = f"`course fix {shlex.quote(str(source.path))} --apply`"
        consoles.paragraph(console, more.format(command=command), style=consoles.QUIET)
    is_fine = not any(finding.certain for finding in found.findings)
    consoles.paragraph(console, report.count(found), style="green" if is_fine else "bold")


def _document(source: SourceFile, found: Diagnosis) -> dict[str, Any]:
    unchecked = report.not_checked(source, found)
    return {
        "faults": [describe(source, finding) for finding in found.findings],
        "broken": [
            {**consoles.fields_of(each, "invariant", "evidence"), "figures": dict(each.figures)}
            for each in found.broken
        ],
        "checked": [{"check": check, "stage": stage} for check, stage in found.checked],
        "not_checked": [{"check": check, "why": why} for check, why in unchecked],
        "stood_in": found.stood_in,
        "seconds": round(found.seconds, 3),
    }


def describe(source: SourceFile, finding: ScriptFinding) -> dict[str, Any]:
    """Describe a fault of a script for programs."""
    cells, line = source.cells, finding.line
    lines = finding.lines or ((line,) if line else ())
    places = []
    if cells is not None and finding.file is None:
        places = [cells.place(each) or (None, each) for each in lines]
    return {
        **consoles.fields_of(finding, "fault", "certain", "stage"),
        "file": finding.file or str(source.path),
        "line": places[0][1] if places else line,
        "cell": places[0][0] if places else None,
        "lines": [each[1] for each in places] or list(lines),
        "cells": [each[0] for each in places],
        "given": finding.given or None,
        "evidence": finding.evidence,
        "figures": dict(finding.figures),
        "fix": finding.fix,
    }
