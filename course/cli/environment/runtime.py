"""`course runtime`: the interpreters that lessons run in."""

import sys
from typing import Any

import click

from course.base import paths
from course.base.errors import UserError
from course.base.i18n import N_, _, enumerate_words, ngettext, numbers
from course.base.schema import suggest_or_list
from course.cli.environment import installing
from course.cli.terminal import consoles
from course.cli.terminal.help import Commands, entries
from course.cli.terminal.options import FRAMEWORKS, either, json_option, yes_option
from course.lesson import lesson
from course.notebook.kernel import spec
from course.runs import warm_pool
from course.runs.environment import install as installs
from course.runs.environment import runtime, status, user_environment
from course.runs.environment.status import Health

framework_argument = click.argument("framework", metavar=FRAMEWORKS, help=N_("The framework."))

app = Commands(entries("runtime"))


@json_option
def list_runtimes(as_json: bool) -> None:
    """Print what there is for each framework."""
    found = [
        (status.examine(framework, _requires(framework)), _lessons(framework))
        for framework in runtime.frameworks()
    ]
    if as_json:
        documents = [_document(each, lessons) for each, lessons in found]
        consoles.document({"runtimes": documents})
        return
    for each, lessons in found:
        _show(each, lessons)


@framework_argument
@click.option(
    "--python",
    metavar="PATH",
    help=N_(
        "The Python for the new environment. If not given: the program looks for a suitable one."
    ),
)
@click.option(
    "--find-links", metavar="DIR", help=N_("A folder with wheels. Packages are taken from it.")
)
@click.option(
    "--no-index",
    is_flag=True,
    help=N_("Use only packages from the folder with wheels, without the network."),
)
@yes_option
@json_option
def install(
    framework: str,
    python: str | None,
    find_links: str | None,
    no_index: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Install a framework's environment, unless it is there already."""
    recipe = runtime.describe(_known(framework)).recipe
    if recipe is None:
        # Says which command of pip's is wanted, if one is.
        environment, made = runtime.own(), False
        found = runtime.libraries(environment, _requires(framework))
        if found.missing or found.unfit:
            raise runtime.lacking(framework, environment, found, _requires(framework))
    else:
        if installs.read_whole(framework, recipe) is None:
            installs.expect_room(framework, recipe)
            if not (yes or installing.agreed(framework)):
                return
        environment, made = installs.install(
            framework, python=python, find_links=find_links, no_index=no_index, tell=consoles.note
        )
    if as_json:
        document = {
            "framework": framework,
            "python": environment.python,
            "size": environment.size,
            "made": made,
        }
        consoles.document(document)
        return
    sentence = _("The environment for {framework} is ready: {python} (Python {version}).")
    named = {"framework": f"`{framework}`", "python": f"`{environment.python}`"}
    consoles.paragraph(consoles.out(), sentence.format(**named, version=environment.version))
    if runtime.named_entry(framework) is not None:
        sentence = _(
            "But the lessons still run in the environment that you chose earlier. {command} "
            "switches to the new one."
        )
        consoles.note(sentence.format(command=f"`course runtime use {framework} --default`"))


@framework_argument
@click.argument(
    "path", required=False, metavar="PATH", help=N_("The environment's folder, or its Python.")
)
@click.option("--default", is_flag=True, help=N_("Use the default environment again."))
def use(framework: str, path: str | None, default: bool) -> None:
    """Name an environment for a framework, or go back to the usual one."""
    requires = _requires(_known(framework))
    if (path is None) == (not default):
        raise either("PATH", "--default")
    if path is None:
        user_environment.forget(framework)
        sentence = _("The lessons of {framework} now run in the default environment.")
        consoles.paragraph(consoles.out(), sentence.format(framework=f"`{framework}`"))
        return
    environment = user_environment.use(framework, path, requires)
    sentence = _("The lessons of {framework} now run in {python} ({versions}).")
    versions = status.words(runtime.libraries(environment, requires).versions)
    consoles.paragraph(
        consoles.out(),
        sentence.format(
            framework=f"`{framework}`", python=f"`{environment.python}`", versions=versions
        ),
    )


@framework_argument
@yes_option
def remove(framework: str, yes: bool) -> None:
    """Delete what was installed for a framework."""
    if runtime.describe(_known(framework)).recipe is None:
        sentence = _(
            "The libraries of {framework} are in the environment of `course` itself. To remove "
            "them, use pip in that environment."
        )
        raise UserError(sentence.format(framework=f"`{framework}`"))
    size = installs.installed_size(framework)
    if size == 0:
        sentence = _("Nothing is installed for {framework}.")
        consoles.paragraph(consoles.out(), sentence.format(framework=f"`{framework}`"))
        return
    question = _("Delete the environment for {framework} ({size} MB in {folder})?").format(
        framework=f"`{framework}`", size=runtime.megabytes(size), folder=f"`{paths.runtimes()}`"
    )
    if not (yes or installing.yes(question)):
        return
    warm_pool.stop(framework)
    with consoles.progress(consoles.err(), _("Deleting …")):
        freed = installs.remove(framework)
    sentence = _("The environment for {framework} was deleted. This freed {size} MB.")
    named = {"framework": f"`{framework}`", "size": runtime.megabytes(freed)}
    consoles.paragraph(consoles.out(), sentence.format(**named))
    if runtime.megabytes(size - freed):
        sentence = _(
            "uv keeps the downloaded packages ({size} MB) for other environments. To delete them, "
            "run {command}."
        )
        command = f"`{sys.executable} -m uv cache clean`"
        consoles.note(sentence.format(size=runtime.megabytes(size - freed), command=command))


def stop() -> None:
    """End every warm runtime of this user, and the runs in them."""
    ended = warm_pool.stop()
    sentence = ngettext("{n} warm runtime ended.", "{n} warm runtimes ended.", ended)
    consoles.paragraph(consoles.out(), sentence.format(n=ended))


@framework_argument
@json_option
def kernel(framework: str, as_json: bool) -> None:
    """Write the description of the kernel."""
    path = spec.install(_known(framework))
    if as_json:
        consoles.document({"kernel": spec.name(framework), "path": str(path)})
        return
    sentence = _("The kernel {name} was added to Jupyter. Its description is in {path}.")
    name = f"`{spec.name(framework)}`"
    consoles.paragraph(consoles.out(), sentence.format(name=name, path=f"`{path}`"), style="green")


def _known(framework: str) -> str:
    """Check that there is a framework of this name, and return it.

    Raises:
        UserError: there is none of this name; names the nearest.

    """
    if framework not in runtime.frameworks():
        sentence = _("There is no framework {name}.")
        raise UserError(suggest_or_list(sentence, framework, runtime.frameworks()))
    return framework


def _lessons(framework: str) -> list[str]:
    """List the lessons that come in a framework."""
    return [name for name in lesson.ids() if framework in lesson.load(name).parts]


def _requires(framework: str) -> tuple[str, ...]:
    """Return the requirements of all lessons of a framework together."""
    parts = [lesson.load(name).parts[framework] for name in _lessons(framework)]
    return tuple(dict.fromkeys(text for part in parts for text in part.requires))


def _document(found: "Health", lessons: list[str]) -> dict[str, Any]:
    return {
        **consoles.fields_of(found, "framework", "source", "python", "versions"),
        "lessons": lessons,
        "size": found.size,
        "health": found.word,
        "problem": found.problem or None,
    }


SOURCES = {
    "own": N_("the environment of `course` itself"),
    "installed": N_("an environment that `course` makes"),
    "named": N_("an environment that you chose"),
}


def _show(found: "Health", lessons: list[str]) -> None:
    """Print one runtime: its name and mark, where it lies, what it has, what is wrong."""
    console = consoles.out()
    good, bad, none = consoles.marks(console)
    mark, style = {"ok": (good, "green"), "broken": (bad, "red")}.get(found.word, (none, ""))
    line = consoles.styled(console, f"{mark} `{found.framework}`  ", style)
    line.append_text(consoles.styled(console, _(SOURCES[found.source])))
    if found.size:
        line.append("  ").append(numbers.amount(found.size / 10**6, "digital-megabyte"))
    console.print(line, soft_wrap=True)
    if found.python:
        consoles.code(console, found.python, indent=2)
    if found.versions:
        consoles.paragraph(console, status.words(found.versions), 2, consoles.QUIET)
    if lessons:
        sentence = _("Lessons: {lessons}").format(
            lessons=enumerate_words(f"`{x}`" for x in lessons)
        )
        consoles.paragraph(console, sentence, indent=2)
    if found.problem:
        consoles.paragraph(console, found.problem, indent=2)
