"""How a framework's runtime is: what it has, and what is wrong with it."""

from dataclasses import dataclass, field
from typing import Literal

from course.base.errors import UserError
from course.base.i18n import _, enumerate_words
from course.runs.environment import install, interpreter, runtime
from course.runs.environment.runtime import Environment, RuntimeMissing, Source

Word = Literal["ok", "missing", "incomplete", "broken"]


@dataclass(frozen=True)
class Health:
    """What is known of a runtime. `problem` is a sentence, there unless `word` is `ok`.

    `size` is in bytes; None for an environment that is not ours, whose packages others use too.
    """

    framework: str
    source: Source
    word: Word
    problem: str = ""
    python: str | None = None
    versions: dict[str, str] = field(default_factory=dict)
    size: int | None = None


def examine(framework: str, requires: tuple[str, ...]) -> Health:
    """See whether a framework's lessons, which need `requires`, can run here; loads no library."""
    try:
        environment = runtime.locate(framework)
    except RuntimeMissing as why:
        return _not_there(framework, str(why))
    except UserError as why:
        entry = runtime.named_entry(framework)
        python = entry["python"] if entry else None
        return Health(framework, "named", "broken", str(why), python)
    found = runtime.libraries(environment, requires)
    word, problem = _judge(framework, environment, found, requires)
    return Health(
        framework, environment.source, word, problem, environment.python, found.versions,
        environment.size,
    )  # fmt: skip


def _not_there(framework: str, why: str) -> Health:
    """Return the health of an environment that is not installed: at all, in full, or any more."""
    recipe = runtime.describe(framework).recipe
    assert recipe is not None
    noted = runtime.read_installed(framework, recipe)
    if noted is not None:
        return Health(framework, "installed", "broken", why, noted.python, size=noted.size)
    if install.is_half_made(framework, recipe):
        sentence = _("The installation was interrupted. {command} continues it.")
        sentence = sentence.format(command=f"`course runtime install {framework}`")
        size = install.size_on_disk(runtime.folder_of(framework, recipe))
        return Health(framework, "installed", "incomplete", sentence, size=size)
    return Health(framework, "installed", "missing", why)


def _judge(
    framework: str, environment: Environment, found: runtime.Libraries, requires: tuple[str, ...]
) -> tuple[Word, str]:
    if found.missing or found.unfit:
        # Our own environment has not been given them yet; another one has lost them.
        word: Word = "missing" if environment.source == "own" and found.missing else "broken"
        return word, str(runtime.lacking(framework, environment, found, requires))
    if environment.source != "own" and interpreter.ask(environment.python) is None:
        sentence = _("{python} does not start. Run {command}.")
        if environment.source == "named":
            command = f"`course runtime use {framework} --default`"
        else:
            command = f"`course runtime install {framework}`"
        return "broken", sentence.format(python=f"`{environment.python}`", command=command)
    return "ok", ""


def words(versions: dict[str, str]) -> str:
    """Join the names and versions of libraries into an enumeration."""
    return enumerate_words(f"{name} {version}" for name, version in versions.items())
