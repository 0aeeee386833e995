"""An environment for a framework's lessons, made by uv of a pinned list, whole or not at all.

    RUNTIMES/tf.lock                    held by whoever makes, or removes, an environment
    RUNTIMES/tf-<digest of the list>/   env/            the environment
                                        complete.json   written last: the environment may be used

What is there without `complete.json` is never used, and thrown away at the next start; what had
been downloaded is in uv's cache by then. uv shows its own progress, and tells itself what went
wrong: it has our standard error.
"""

import ast
import contextlib
import importlib.metadata
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course.base import files, paths, user_file
from course.base.errors import UserError
from course.base.i18n import _
from course.runs.environment import interpreter, runtime
from course.runs.environment.runtime import COMPLETE, FORMAT, Environment, Recipe

if TYPE_CHECKING:
    from filelock import FileLock

Tell = Callable[[str], None]
"""Called with a sentence for the user, before a wait."""

MARGIN = 200 * 10**6
"""Bytes that must be free beyond what is known to be needed."""
ENVIRONMENT = "env"
"""The virtual environment in the folder of a framework's list."""


def install(
    framework: str,
    *,
    python: str | None = None,
    find_links: str | None = None,
    no_index: bool = False,
    tell: Tell = lambda sentence: None,
) -> tuple[Environment, bool]:
    """Make a framework's environment, unless it is there; and whether it was made just now.

    Args:
        framework: one whose environment is made of a list.
        python: the interpreter to make it with; found on this machine if not given.
        find_links: a folder or page of wheels to take packages from, too.
        no_index: take them from nowhere else.
        tell: called before what takes its time, and is not uv's to tell.

    Raises:
        UserError: it cannot be made here, or could not; nothing half-made is left, but what was
            downloaded is kept for the next start.

    """
    description = runtime.describe(framework)
    recipe = description.recipe
    assert recipe is not None
    with _turn(framework, tell):
        found = read_whole(framework, recipe)
        sources = _sources(find_links, no_index)
        made = found or _make(framework, description.python, recipe, python, sources, tell)
        for folder in _folders(framework):
            if folder != made.folder:
                # Of an older list.
                _discard(folder)
        return made, found is None


def read_whole(framework: str, recipe: Recipe) -> Environment | None:
    """Return the environment made of this very list, if it starts and has all that it had."""
    found = runtime.read_installed(framework, recipe)
    if found is None or interpreter.ask(found.python, "-I") is None:
        return None
    wanted = [f"{name}=={version}" for name, version in found.packages.items()]
    libraries = runtime.libraries(found, wanted)
    return None if libraries.missing or libraries.unfit else found


def is_half_made(framework: str, recipe: Recipe) -> bool:
    """Tell whether the making of an environment was interrupted."""
    folder = runtime.folder_of(framework, recipe)
    return folder.is_dir() and not (folder / COMPLETE).exists()


def installed_size(framework: str) -> int:
    """Count the bytes of all that was installed for a framework, whole, half-made or old."""
    return sum(size_on_disk(folder) for folder in _folders(framework))


def remove(framework: str) -> int:
    """Delete what was installed for a framework, whole, half-made or old.

    Returns:
        The bytes that are free after that: not those of files which uv's cache has as well.

    Raises:
        UserError: it is just being made.

    """
    from filelock import Timeout

    freed = 0
    try:
        with _lock(framework).acquire(timeout=0):
            for folder in _folders(framework):
                freed += size_on_disk(folder, linked=False)
                _discard(folder)
    except Timeout as error:
        sentence = _(
            "The environment for {framework} is being installed now. Try again when it is ready."
        )
        raise UserError(sentence.format(framework=f"`{framework}`")) from error
    return freed


def _lock(framework: str) -> "FileLock":
    from filelock import FileLock

    return FileLock(paths.runtimes() / f"{framework}.lock")


def _turn(framework: str, tell: Tell) -> AbstractContextManager[object]:
    """Be the only one at a framework's environments, after whoever is at them now.

    Raises:
        UserError: they cannot lie where they should.

    """
    from filelock import Timeout

    lock = _lock(framework)
    try:
        paths.runtimes().mkdir(parents=True, exist_ok=True)
        return lock.acquire(timeout=0)
    except Timeout:
        tell(_("Another `course` is working on this environment. Waiting for it …"))
        return lock.acquire()
    except OSError as error:
        sentence = _("{folder} cannot be written ({reason}). Set {variable} to another folder.")
        raise UserError(
            sentence.format(
                folder=f"`{paths.runtimes()}`", reason=error.strerror, variable="`COURSE_RUNTIMES`"
            )
        ) from error


def expect_room(framework: str, recipe: Recipe) -> None:
    """Make sure that there is room for an environment.

    Raises:
        UserError: there is not; says how much is needed.

    """
    # Nothing for the download: uv unpacks it as it comes, and links what its cache holds.
    folder = runtime.folder_of(framework, recipe)
    there = shutil.disk_usage(next(each for each in folder.parents if each.is_dir())).free
    needed = recipe.installed + MARGIN
    if there < needed:
        size = runtime.megabytes(needed)
        raise user_file.no_space(paths.runtimes(), size, "COURSE_RUNTIMES")


def _make(
    framework: str,
    versions: str,
    recipe: Recipe,
    python: str | None,
    sources: list[str],
    tell: Tell,
) -> Environment:
    """Make the environment from its beginning; packages come from uv's cache where it has them.

    Raises:
        UserError: it could not be made.

    """
    folder = runtime.folder_of(framework, recipe)
    _discard(folder)
    expect_room(framework, recipe)
    folder.mkdir()
    try:
        own = _make_environment(folder / ENVIRONMENT, python, versions)
        _install(own, recipe, sources)
        tell(_("Starting Python and its libraries …"))
        for module in recipe.modules:
            _check(own, module)
        _note(framework, recipe, folder, own)
    finally:
        if not (folder / COMPLETE).exists():
            _discard(folder)
    made = runtime.read_installed(framework, recipe)
    assert made is not None
    return made


def _make_environment(folder: Path, python: str | None, versions: str) -> str:
    """Make a virtual environment without packages, and return the path of its interpreter.

    Raises:
        UserError: uv could not.

    """
    from packaging.specifiers import SpecifierSet

    if python is None:
        # Our own, if it is one of these; else what uv finds.
        is_own = SpecifierSet(versions).contains(platform.python_version())
        python = sys.executable if is_own else f"cpython{versions}"
    if _uv(
        folder.parent, "venv", "--quiet", "--no-python-downloads", "--python", python, str(folder)
    ):
        sentence = _(
            "uv could not create an environment with {python}. The reason is above. These lessons "
            "need Python {range}. Choose one with {option}."
        )
        raise UserError(
            sentence.format(python=f"`{python}`", range=f"`{versions}`", option="`--python PATH`")
        )
    inside = "Scripts/python.exe" if sys.platform == "win32" else "bin/python"
    return str(folder / inside)


def _install(own: str, recipe: Recipe, sources: list[str]) -> None:
    """Install the list in the environment of an interpreter, compiled: the first run need not then.

    Raises:
        UserError: uv could not.

    """
    words = ["--python", own, "--no-deps", "--require-hashes", "--only-binary", ":all:"]
    # pip takes the file that fits from whichever index has it. The danger in that, a stranger's
    # package of the same name, does not exist here: every file must have a hash that is pinned.
    words += ["--index-strategy", "unsafe-best-match", "--compile-bytecode", *sources]
    if _uv(Path(own).parent, "pip", "install", *words, "--requirement", str(recipe.pins)):
        raise UserError(
            _(
                "uv could not install the packages. The reason is above. Check the network, the "
                "mirror (`PIP_INDEX_URL`), the proxy (`PIP_PROXY`), the certificate (`PIP_CERT`) "
                "and the free space. Then run the command again: the installation continues where "
                "it stopped."
            )
        )


def _check(own: str, module: str) -> None:
    """Import what lessons import, in a process of its own, since it may die of it.

    Raises:
        UserError: it did, or the import failed.

    """
    done = subprocess.run(
        [own, "-I", "-c", f"import {module}"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace",
    )  # fmt: skip
    if done.returncode == -getattr(signal, "SIGILL", 4):
        sentence = _(
            "{module} was installed, but it uses instructions that this CPU does not have. So the "
            "environment was removed. The lessons of this framework need another machine."
        )
        raise UserError(sentence.format(module=f"`{module}`"))
    if done.returncode:
        sentence = _(
            "{module} was installed but cannot be loaded, so the environment was removed. The "
            "reason: {reason}"
        )
        reason = done.stdout.strip().rpartition("\n")[2] or done.returncode
        raise UserError(sentence.format(module=f"`{module}`", reason=reason))


def _note(framework: str, recipe: Recipe, folder: Path, own: str) -> None:
    """Note what was made, by which it may be used."""
    found = interpreter.ask(own, "-I")
    assert found is not None
    packages = {
        each.name: each.version for each in importlib.metadata.distributions(path=[*found.site])
    }
    # For what the user adds; it is not one of the packages that make the environment whole.
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    _carry_out([own, "-I", "-m", "ensurepip"], **quiet)
    noted = {
        "framework": framework,
        "python": own,
        "version": found.release,
        "site": found.site,
        "digest": runtime.digest(recipe),
        "size": size_on_disk(folder),
        "when": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "packages": packages,
    }
    files.write_json(folder / COMPLETE, FORMAT, noted)


def _uv(place: Path, *words: str) -> int:
    """Run uv in a folder where it finds no project's settings, and return its exit status.

    Raises:
        UserError: it is not there.

    """
    try:
        from uv import find_uv_bin

        program = find_uv_bin()
    except (ImportError, FileNotFoundError) as error:
        sentence = _("{name} is not installed: run {command}.")
        command = f"`{sys.executable} -m pip install uv`"
        raise UserError(sentence.format(name="uv", command=command)) from error
    # Our standard output is ours: a JSON document may follow.
    return _carry_out([program, *words], cwd=place, env=_uv_variables(), stdout=sys.stderr)


def _carry_out(command: list[str], **how: Any) -> int:
    """Run a program that writes into an environment, and return its exit status.

    Where we are interrupted it ends, with the workers that it has started: what they write into is
    about to be deleted.
    """
    group = None if sys.platform == "win32" else 0
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, process_group=group, **how)
    try:
        return process.wait()
    except BaseException:
        if sys.platform == "win32":
            process.kill()
        else:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise


def _sources(find_links: str | None, no_index: bool) -> list[str]:
    """Return the options that say where packages come from besides the user's own settings."""
    options = ["--no-index"] if no_index else []
    if find_links is not None:
        # uv works in another folder.
        place = find_links if "://" in find_links else os.path.abspath(find_links)
        options += ["--find-links", place]
    return options


def _uv_variables() -> dict[str, str]:
    """Add to our variables what the user has told pip of indexes, the proxy and certificates."""
    # pip knows where its settings lie; where it is not installed, its variables hold all the same.
    listing = subprocess.run(
        [sys.executable, "-P", "-m", "pip", "config", "list"], stdin=subprocess.DEVNULL,
        capture_output=True, text=True, errors="replace",
    )  # fmt: skip
    settings = dict(line.split("=", 1) for line in listing.stdout.splitlines() if "=" in line)

    def told(name: str) -> str:
        variable = os.environ.get(f"PIP_{name.upper().replace('-', '_')}")
        setting = settings.get(f"install.{name}") or settings.get(f"global.{name}")
        return variable or str(ast.literal_eval(setting or "''"))

    handed_on = {
        # Not as options: they may hold a password, which everybody could read there.
        "UV_DEFAULT_INDEX": told("index-url"),
        "UV_INDEX": " ".join(told("extra-index-url").split()),
        "SSL_CERT_FILE": told("cert"),
        # The names in small letters go before those in capitals.
        **dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), told("proxy")),
    }
    # As pip does, uv trusts what this machine trusts.
    trust = {"UV_SYSTEM_CERTS": "true"} if _has_certificates() else {}
    # uv compiles with an interpreter that would find the modules of ours.
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**trust, **own, **{name: value for name, value in handed_on.items() if value}}


def _has_certificates() -> bool:
    """Tell whether this machine has certificates of its own; else those that uv brings must do."""
    import ssl

    if sys.platform != "linux":
        return True
    known = ssl.get_default_verify_paths()
    return bool(known.cafile or (known.capath and os.listdir(known.capath)))


def _folders(framework: str) -> list[Path]:
    """List the folders of a framework's environments, whatever list they were made of."""
    return [path for path in sorted(paths.runtimes().glob(f"{framework}-*")) if path.is_dir()]


def _discard(folder: Path) -> None:
    """Delete an environment: first what says that it may be used."""
    (folder / COMPLETE).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def size_on_disk(path: Path, *, linked: bool = True) -> int:
    """Count the bytes that a file, or all in a folder, takes on the disk; none where it is gone.

    Without `linked` only what its deletion frees: files that have no other name.
    """
    total = 0
    try:
        found = path.lstat()
        if path.is_dir() and not path.is_symlink():
            with os.scandir(path) as entries:
                total += sum(size_on_disk(Path(entry.path), linked=linked) for entry in entries)
        elif found.st_nlink > 1 and not linked:
            return 0
        total += getattr(found, "st_blocks", 0) * 512 or found.st_size
    except OSError:
        # Just deleted by whoever it belongs to.
        pass
    return total
