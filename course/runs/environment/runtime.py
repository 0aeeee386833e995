"""Runtimes: interpreters that hold one framework's libraries.

`lessons/runtimes/<framework>.toml` describes one. Without a `[recipe]` table it is the
environment that `course` itself runs in, else one that `install.py` makes; another one can be named
in the place of either (`user_environment.py`).
"""

import functools
import hashlib
import os
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from course.base import files, paths, schema
from course.base.errors import UserError
from course.base.i18n import _, enumerate_words, numbers
from course.base.schema import As

FORMAT = 1
COMPLETE = "complete.json"
"""Written into an environment's folder as the last act of its making: without it, none is used."""
NAMED = "named.json"

Source = Literal["own", "installed", "named"]


@dataclass(frozen=True)
class Runtime:
    """An interpreter, the versions of the libraries it was found to have, its package folders."""

    framework: str
    python: str
    versions: dict[str, str]
    site: tuple[str, ...] = ()


class RuntimeMissing(UserError):
    """The runtime is not installed, or what was installed is no longer whole."""

    def __init__(self, sentence: str, framework: str) -> None:
        super().__init__(sentence)
        self.framework = framework


Megabytes = Annotated[int, As(int, lambda number: number * 10**6)]
"""Bytes, which are megabytes where people write them."""


@dataclass(frozen=True)
class Recipe:
    """How an environment is made: a list of pinned requirements, and what must be known about it.

    Sizes are in bytes. `modules` must be importable in the end.
    """

    pins: Path
    download: Megabytes
    installed: Megabytes
    modules: tuple[str, ...] = ()


@dataclass(frozen=True)
class Description:
    """What `lessons/runtimes/<framework>.toml` says. `python` is the range of versions.

    `cuda` is a program that prints how many CUDA devices the framework finds, `needed_by` a
    pattern of what the text of a script has that needs it.
    """

    python: str
    cuda: str
    recipe: Recipe | None = None
    needed_by: str = ""


@dataclass(frozen=True)
class Environment:
    """Where a runtime's interpreter and packages lie, and how it came to be.

    `version` is that of Python. An installed one has a `folder`, a `size` in bytes, and the
    `packages` that were installed in it, each with its version.
    """

    source: Source
    python: str
    version: str
    site: tuple[str, ...]
    folder: Path | None = None
    size: int | None = None
    packages: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Libraries:
    """What an environment has of the libraries that were asked for, and what it has not."""

    versions: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    unfit: list[str] = field(default_factory=list)


def frameworks() -> list[str]:
    """Return the frameworks that there are runtimes for."""
    return paths.frameworks()


def describe(framework: str) -> Description:
    """Read the description of a framework's runtime that ships.

    Raises:
        ContentError: the file breaks the format.

    """
    source = paths.lessons() / "runtimes" / f"{framework}.toml"
    return schema.read(Description, source, FORMAT)


def find(framework: str, requires: Iterable[str]) -> Runtime:
    """Find a framework's runtime for `requires`, each `name>=x` or `name>=x,<y`.

    Reads what is installed without importing any of it, and without starting an interpreter.

    Raises:
        RuntimeMissing: the runtime has to be installed first; names the command.
        UserError: a library is missing or of the wrong version, or the environment that was named
            is gone; names what mends it.

    """
    environment = locate(framework)
    found = libraries(environment, requires)
    if found.missing or found.unfit:
        raise lacking(framework, environment, found, tuple(requires))
    return Runtime(framework, environment.python, found.versions, environment.site)


def locate(framework: str) -> Environment:
    """Find the environment in which a framework's lessons run: named, installed, or this one.

    Raises:
        RuntimeMissing: it has to be installed first.
        UserError: the one that was named is gone.

    """
    entry = named_entry(framework)
    if entry is not None:
        environment = Environment("named", entry["python"], entry["version"], tuple(entry["site"]))
        if not os.path.isfile(environment.python):
            raise UserError(
                _(
                    "The chosen environment for {framework} no longer exists: {python}. Choose "
                    "another environment with {command}, or use the default one again with {back}."
                ).format(
                    framework=f"`{framework}`",
                    python=f"`{environment.python}`",
                    command=f"`course runtime use {framework} PATH`",
                    back=f"`course runtime use {framework} --default`",
                )
            )
        return environment
    recipe = describe(framework).recipe
    if recipe is None:
        return own()
    installed = read_installed(framework, recipe)
    if installed is None:
        raise RuntimeMissing(
            _(
                "The environment for {framework} is not installed. {command} installs it (about "
                "{download} MB to download, {size} MB on disk)."
            ).format(
                framework=f"`{framework}`",
                command=f"`course runtime install {framework}`",
                download=megabytes(recipe.download),
                size=megabytes(recipe.installed),
            ),
            framework,
        )
    if not os.path.isfile(installed.python):
        raise _damaged(framework, [os.path.realpath(installed.python)])
    return installed


def _damaged(framework: str, problems: list[str]) -> RuntimeMissing:
    sentence = _(
        "The environment for {framework} is damaged ({problem}). {command} creates it again."
    ).format(
        framework=f"`{framework}`",
        problem=enumerate_words(f"`{problem}`" for problem in problems),
        command=f"`course runtime install {framework}`",
    )
    return RuntimeMissing(sentence, framework)


def own() -> Environment:
    """Return the environment that this program runs in."""
    import platform
    import site
    import sysconfig

    named = [*site.getsitepackages(), site.getusersitepackages()]
    named += [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    folders = tuple(name for name in dict.fromkeys(named) if os.path.isdir(name))
    return Environment("own", sys.executable, platform.python_version(), folders)


def folder_of(framework: str, recipe: Recipe) -> Path:
    """Where the environment lies that is made of this very list; it may not exist yet."""
    return paths.runtimes() / f"{framework}-{digest(recipe)}"


def digest(recipe: Recipe) -> str:
    """Return a digest of the list of pinned requirements, whatever its line endings."""
    # Read as text: a checkout on Windows may have other line endings than the list was made with.
    return hashlib.sha256(recipe.pins.read_text("utf-8").encode()).hexdigest()[:12]


def read_installed(framework: str, recipe: Recipe) -> Environment | None:
    """Return the environment made of this very list, if its making came to an end."""
    folder = folder_of(framework, recipe)
    noted = files.read_json(folder / COMPLETE, FORMAT) or {}
    try:
        return Environment(
            "installed", noted["python"], noted["version"], tuple(noted["site"]), folder,
            noted["size"], noted["packages"],
        )  # fmt: skip
    except KeyError:
        return None


def named_entry(framework: str) -> dict[str, Any] | None:
    """Return the entry for the environment that the user named for a framework, if any."""
    entry = (files.read_json(paths.runtimes() / NAMED, FORMAT) or {}).get(framework)
    known = isinstance(entry, dict) and {"python", "version", "site"} <= entry.keys()
    return entry if known else None


def libraries(environment: Environment, requires: Iterable[str]) -> Libraries:
    """Which of the libraries an environment has, by what their installers noted in it."""
    import importlib.metadata

    from packaging.specifiers import SpecifierSet
    from packaging.version import InvalidVersion

    found = Libraries({"python": environment.version})
    for text in requires:
        name, range_ = split_requirement(text)
        if environment.source == "own":
            # Also what is found through `PYTHONPATH`.
            where = importlib.metadata.distributions(name=name)
        else:
            where = importlib.metadata.distributions(name=name, path=list(environment.site))
        version = next((d.version for d in where if d.version), None)
        if version is None:
            found.missing.append(text)
            continue
        found.versions[name] = version
        try:
            fits = SpecifierSet(range_).contains(version, prereleases=True)
        except InvalidVersion:
            fits = False
        if not fits:
            found.unfit.append(f"{name} {version} ({range_})")
    return found


def split_requirement(text: str) -> tuple[str, str]:
    """Split a requirement into its name and its range of versions."""
    match = re.match(r"[\w.-]+", text)
    name = match.group() if match else ""
    return name, text[len(name) :]


def _installer(environment: Environment) -> str:
    """Return the command that installs into an environment: `uv pip` where ours has no pip."""
    import importlib.util

    if environment.source == "own" and importlib.util.find_spec("pip") is None:
        return f"uv pip install --python {environment.python}"
    return f"{environment.python} -m pip install"


def lacking(
    framework: str, environment: Environment, found: Libraries, requires: tuple[str, ...]
) -> UserError:
    """Make the error for libraries that are missing or of the wrong version, with its remedy."""
    from packaging.utils import canonicalize_name

    known = {canonicalize_name(name) for name in environment.packages}
    named = (split_requirement(text)[0] for text in (*found.missing, *found.unfit))
    lacking = map(canonicalize_name, named)
    # What the list does not hold was not lost: the user adds it, as anywhere else.
    if known.intersection(lacking):
        return _damaged(framework, [*found.missing, *found.unfit])
    # Quoted for every shell: `>` would otherwise be taken for a redirection.
    wishes = " ".join(f'"{text}"' for text in requires)
    command = f"`{_installer(environment)} {wishes}`"
    if found.missing:
        return UserError(
            _("{name} is not installed: run {command}.").format(
                name=enumerate_words(f"`{t}`" for t in found.missing), command=command
            )
        )
    return UserError(
        _("This lesson cannot run with {found}. Run {command}.").format(
            found=enumerate_words(f"`{t}`" for t in found.unfit), command=command
        )
    )


def megabytes(size: int) -> str:
    """Format bytes as megabytes, in the numbers of the language in force."""
    return numbers.whole(size / 10**6)


def cuda(runtime: Runtime) -> int:
    """Count the CUDA devices that a runtime's framework finds; asked once, in another process."""
    return _count_gpus(runtime.python, describe(runtime.framework).cuda) if _driver() else 0


@functools.cache
def _count_gpus(python: str, code: str) -> int:
    import subprocess

    done = subprocess.run([python, "-c", code], capture_output=True, text=True)
    return int(done.stdout) if done.stdout.strip().isdigit() else 0


def _driver() -> bool:
    """Whether a CUDA driver is there at all: without one there is nothing to ask a framework."""
    if sys.platform == "linux":
        # The second is the one of the Windows Subsystem for Linux.
        return any(os.path.exists(device) for device in ("/dev/nvidiactl", "/dev/dxg"))
    import ctypes.util

    return ctypes.util.find_library("nvcuda") is not None
