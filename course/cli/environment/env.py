"""`course env`: the embedded hub for a shell, so that `python exercise.py` finds it."""

import os
import shlex
import sys
from collections.abc import Callable

import click

from course.base.errors import UserError
from course.base.i18n import N_, _
from course.base.schema import refused
from course.cli.environment.run_place import place_hub
from course.cli.terminal import consoles
from course.cli.terminal.help import entries
from course.cli.terminal.options import FRAMEWORKS
from course.lesson.lesson import parts_in
from course.runs.environment import runtime

SHELLS: dict[str, Callable[[str, str], str]] = {
    "bash": lambda name, value: f"export {name}={shlex.quote(value)}",
    "fish": lambda name, value: f"set -gx {name} {_fish(value)}",
    "powershell": lambda name, value: f"$env:{name} = {_powershell(value)}",
}
"""How each shell sets a variable for the programs it starts."""
ALIKE = {"sh": "bash", "dash": "bash", "ksh": "bash", "zsh": "bash", "pwsh": "powershell"}
"""Shells that read what is written for another one."""


def _fish(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _powershell(value: str) -> str:
    doubled = value.replace("'", "''")
    return f"'{doubled}'"


@click.option(
    "--fw", default=FRAMEWORKS.split("|")[0], metavar=FRAMEWORKS, help=N_("The framework.")
)
@click.option(
    "--shell", metavar="bash|fish|powershell", help=N_("The shell that the commands are for.")
)
def env(fw: str, shell: str | None) -> None:
    """Print commands that set the variables."""
    chosen = shell or _guess(os.environ)
    chosen = ALIKE.get(chosen, chosen)
    if chosen not in SHELLS:
        raise UserError(refused("--shell", chosen, list(SHELLS)))
    part = parts_in(fw)[0]
    found = runtime.find(fw, part.requires)
    hub = place_hub(found, "embedded", consoles.err())
    variables = dict(hub.environment)
    if sys.platform == "darwin":
        # Apple's GPU may raise nothing for a label out of range, and the lesson is about just that.
        variables["ACCELERATE_USE_CPU"] = "1"
    for name, value in variables.items():
        print(SHELLS[chosen](name, value))
    if sys.stdout.isatty():
        example = entries("course")["env"].example
        consoles.note(
            _("These commands were only printed, not run. {example}").format(example=_(example))
        )
        if found.python != sys.executable:
            sentence = _("Run the scripts of this framework with {python}.")
            consoles.note(sentence.format(python=f"`{found.python}`"))


def _guess(environ: "os._Environ[str]") -> str:
    """Guess the shell that started this process, as far as its environment tells."""
    if os.path.basename(environ.get("SHELL", "")) == "fish":
        return "fish"
    return "powershell" if os.name == "nt" and "SHELL" not in environ else "bash"
