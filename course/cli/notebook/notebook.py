"""`course notebook`: an exercise as a notebook, for Jupyter, VS Code and Colab."""

import json
import os
import shlex
from pathlib import Path

import click

from course.base import shelves
from course.base.errors import UserError
from course.base.i18n import N_, _, language
from course.cli.learner.bug_options import bugs_option, choose, seed_option
from course.cli.notebook.conversion import convert, is_file
from course.cli.terminal import consoles
from course.cli.terminal.options import PATH, either, fw_option, json_option
from course.cli.terminal.output import STDOUT, check_new, create, show, taken
from course.exercise import progress, working_copy
from course.lesson.lesson import Part, find_part
from course.notebook import convert as forms
from course.notebook import execute, make
from course.notebook.kernel import launch
from course.runs.environment import runtime
from course.runs.process import TIMEOUT

SUFFIX = ".ipynb"


@click.argument(
    "lesson",
    metavar="LESSON|PATH",
    help=N_("The id of a lesson, a script (to make a notebook) or a notebook (to make a script)."),
)
@fw_option
@click.option(
    "-o",
    "output",
    type=PATH,
    metavar="FILE",
    help=N_("The file to write; `-` for stdout."),
)
@bugs_option
@seed_option
@click.option(
    "--executed",
    is_flag=True,
    help=N_("Run the cells up to the first fault, and keep their outputs."),
)
@click.option(
    "--install",
    metavar="SPEC",
    help=N_(
        "The package that the first cell installs with pip if `course` is not installed: a wheel "
        "or an address. If not given: a wheel of `course` beside the notebook."
    ),
)
@click.option(
    "--pair",
    "with_script",
    is_flag=True,
    help=N_("Also write a script beside the notebook. jupytext keeps the two in sync."),
)
@json_option
def notebook(
    lesson: str,
    fw: str | None,
    output: Path | None,
    bugs: str | None,
    seed: int | None,
    executed: bool,
    install: str | None,
    with_script: bool,
    as_json: bool,
) -> None:
    """Write the notebook, and say what to do with it."""
    if is_file(lesson):
        convert(Path(lesson), output)
        return
    part = find_part(lesson, fw)
    chosen = choose(part, bugs, seed)
    path = output or Path(make.file_name(part))
    to_stdout = path == STDOUT
    if to_stdout and as_json:
        raise either("-o -", "--json")
    if to_stdout and with_script:
        raise either("--pair", "-o -")
    if not to_stdout:
        _check(path, make.file_name(part))
    script = path.with_suffix(".py") if with_script else None
    if script is not None and (script.exists() or script.is_symlink()):
        raise taken(script)
    text = make.text(part, chosen, install)
    if executed:
        text = _executed(text, part)
    if to_stdout:
        show(text)
        return
    _create(path, text, script)
    if as_json:
        consoles.document(
            {
                "path": str(path.absolute()),
                "script": str(script.absolute()) if script else None,
                "lesson": part.lesson,
                "framework": part.framework,
                "lang": language(),
                "bugs": [b.fault for b in chosen],
                "cells": len(json.loads(text)["cells"]),
            }
        )
        return
    _say(path, part)
    if script is not None:
        message = _(
            "The script of the notebook is {path}. If you edit one, {command} updates the other."
        )
        command = f"`jupytext --sync {shlex.quote(str(path))}`"
        consoles.paragraph(consoles.out(), message.format(path=f"`{script}`", command=command))


def _check(path: Path, usual: str) -> None:
    """Make sure, before anything long is done, that the file can be made.

    Raises:
        UserError: it can't; says what to do.

    """
    if path.suffix.lower() != SUFFIX and not path.is_dir():
        message = _("Give a file name that ends in {suffix}, such as {file}.")
        raise UserError(message.format(suffix=f"`{SUFFIX}`", file=f"`{path.with_suffix(SUFFIX)}`"))
    check_new(path, usual)


def _create(path: Path, text: str, script: Path | None) -> None:
    """Write the file, and its script; what another exercise at its place had come to is forgotten.

    Raises:
        UserError: there is such a file by now.
        OSError: it can't be written; one place reports that for all commands.

    """
    if script is not None:
        text = forms.paired(text)
        create(script, forms.to_script(text))
    create(path, text)
    progress.forget(working_copy.read(path))


def _executed(text: str, part: "Part") -> str:
    """Run the notebook in the part's runtime and return the executed text.

    Raises:
        UserError: it can't be run.

    """
    python = runtime.find(part.framework, part.requires).python
    # Any runtime will do: its kernel is lent this package.
    command = [python, launch.__file__, "-f", "{connection_file}"]
    variables = {"COURSE_LENDS": os.pathsep.join(runtime.own().site), **shelves.environment()}
    with consoles.progress(consoles.err(), _("Running …")):
        return execute.executed(text, command, variables, TIMEOUT)


def _say(path: Path, part: "Part") -> None:
    console = consoles.out()
    consoles.paragraph(console, _("Written: {path}.").format(path=f"`{path}`"), style="bold")
    word = shlex.quote(str(path))
    steps = [
        _("{command} opens the notebook.").format(command=f"`jupyter lab {word}`"),
        _("{run} runs the exercise once and names its fault.").format(run=f"`course run {word}`"),
    ]
    if runtime.describe(part.framework).recipe is not None:
        kernel = f"`course runtime kernel {part.framework}`"
        steps.insert(
            0, _("{command} adds the notebook's kernel to Jupyter.").format(command=kernel)
        )
    for step in steps:
        consoles.paragraph(console, step, indent=2)
