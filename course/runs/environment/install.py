"""An environment for a framework's lessons, made by uv of a pinned list, whole or not at all.

    RUNTIMES/tf.lock                    held by whoever makes, or removes, an environment
    RUNTIMES/tf-<digest of the list>/   env/            the environment
                                        packages/       uv's cache, where the user wants none kept
                                        complete.json   the environment may be used

What is there without `complete.json` is never used, and thrown away at the next start; what had
been downloaded is in uv's cache by then. The environment is made where it stays, not beside it:
compiled modules hold the names of their files, which tracebacks show.
"""

import contextlib
import importlib.metadata
import json
import os
import platform
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from course import files, paths
from course.errors import UserError
from course.i18n import _, enumerate_words
from course.runs.child import kill_tree, own_group
from course.runs.environment import interpreter, package_settings, runtime
from course.runs.environment.interpreter import Interpreter
from course.runs.environment.package_errors import FORBIDDEN, NO_SPACE, explain
from course.runs.environment.package_settings import Supply
from course.runs.environment.runtime import COMPLETE, FORMAT, Description, Environment, Recipe

Phase = Literal["waiting", "preparing", "downloading", "installing", "checking"]
Tell = Callable[[Phase, int, int], None]
"""Told again and again how far it is: the phase, and so many bytes of so many (0 of 0: unknown)."""

MARGIN = 200 * 10**6
"""Bytes that must be free beyond what is known to be needed."""
POLL = 0.2
"""Seconds between two looks at a process that works."""
CHECK = 900.0
"""Seconds that all imports together may take: on a slow disk the first ones do."""
TAIL = 200_000
"""Bytes of a log that are searched for what went wrong."""
ENVIRONMENT, CACHE = "env", "packages"
"""Folders in that of a framework's list."""
IMPORTS = """
import importlib, sys
for name in sys.argv[1:]:
    print(f"import {name}", flush=True)
    importlib.import_module(name)
"""
"""A program that imports modules, and says which one is next."""
WINDOWS_FEATURES = {"avx": 39}
"""Instructions as `IsProcessorFeaturePresent` numbers them."""


@dataclass(frozen=True)
class Making:
    """One making of an environment: what for, where, with what, and whom to tell."""

    description: Description
    recipe: Recipe
    folder: Path
    supply: Supply
    options: list[str]
    variables: dict[str, str]
    cache: Path
    tell: Tell

    @property
    def environment(self) -> Path:
        """Return the folder of the virtual environment."""
        return self.folder / ENVIRONMENT

    @property
    def log(self) -> Path:
        """The words of the programs that were started; kept where something went wrong."""
        return paths.cache() / "logs" / f"runtime-{self.description.framework}.log"


def install(
    framework: str,
    *,
    python: str | None = None,
    supply: Supply | None = None,
    tell: Tell = lambda phase, done, total: None,
) -> tuple[Environment, bool]:
    """Make a framework's environment, unless it is there; and whether it was made just now.

    Args:
        framework: one whose environment is made of a list.
        python: the interpreter to make it with; found on this machine if not given.
        supply: where packages come from besides pip's own settings.
        tell: called with how far it is.

    Raises:
        UserError: it cannot be made here, or could not; nothing half-made is left, but what was
            downloaded is kept for the next start.

    """
    description = runtime.describe(framework)
    recipe = description.recipe
    assert recipe is not None
    folder = runtime.folder_of(framework, recipe)
    supply = _checked(supply or Supply())
    _make_folder(paths.runtimes())
    with _locked(framework, wait=lambda: tell("waiting", 0, 0)):
        found = runtime.read_installed(framework, recipe)
        if found is not None and is_whole(found):
            sweep(framework, recipe)
            return found, False
        _expect_instructions(recipe)
        chosen = interpreter.suitable(description.python, python)
        pip = package_settings.read_pip()
        options = package_settings.uv_options(pip, supply)
        variables = package_settings.uv_environment(pip, folder / CACHE)
        cache = _find_cache(folder, variables)
        making = Making(description, recipe, folder, supply, options, variables, cache, tell)
        made = _make(making, chosen)
        sweep(framework, recipe)
        return made, True


def is_whole(environment: Environment) -> bool:
    """Whether an installed environment starts, and has all that was installed in it."""
    if environment.folder is None or interpreter.ask(environment.python, "-I") is None:
        return False
    packages = json.loads((environment.folder / COMPLETE).read_text("utf-8")).get("packages", {})
    wanted = [f"{name}=={version}" for name, version in packages.items()]
    found = runtime.libraries(environment, wanted)
    return not (found.missing or found.unfit)


def is_half_made(framework: str, recipe: Recipe) -> bool:
    """Whether the making of an environment was interrupted."""
    folder = runtime.folder_of(framework, recipe)
    return folder.is_dir() and not (folder / COMPLETE).exists()


def installed_size(framework: str) -> int:
    """The bytes that all takes which was installed for a framework, whole, half-made or old."""
    return sum(size_on_disk(folder) for folder in _folders(framework))


def remove(framework: str) -> int:
    """Delete what was installed for a framework, whole, half-made or old.

    Returns:
        The bytes that are free after that: not those of files which uv's cache has as well.

    Raises:
        UserError: it is in use, or being made.

    """
    from filelock import Timeout

    freed = 0
    if not _folders(framework):
        return freed
    try:
        with _locked(framework):
            folders = _folders(framework)
            used = [folder for folder in folders if _in_use(folder)]
            if used:
                sentence = _(
                    "The environment in {folder} is in use: end what runs in it, and try again."
                )
                raise UserError(sentence.format(folder=f"`{used[0]}`"))
            for folder in folders:
                (folder / COMPLETE).unlink(missing_ok=True)
                freed += size_on_disk(folder, linked=False)
                _discard(folder)
    except Timeout as error:
        sentence = _("The environment for {framework} is just being made: try again after that.")
        raise UserError(sentence.format(framework=f"`{framework}`")) from error
    return freed


def sweep(framework: str, recipe: Recipe) -> None:
    """Delete what is of no use any more: environments of older lists, unless they are in use."""
    current = runtime.folder_of(framework, recipe)
    for folder in _folders(framework):
        if folder != current and not _in_use(folder):
            _discard(folder)
    _clear(current, ENVIRONMENT, COMPLETE)


def _checked(supply: Supply) -> Supply:
    """A folder of wheels by its full name, since pip is started elsewhere.

    Raises:
        UserError: there is no such folder.

    """
    if supply.find_links is None or "://" in supply.find_links:
        return supply
    folder = Path(supply.find_links).expanduser().absolute()
    if not folder.exists():
        sentence = _("There is no folder {folder}: {option} names the one that holds the wheels.")
        raise UserError(sentence.format(folder=f"`{folder}`", option="`--find-links`"))
    return replace(supply, find_links=str(folder))


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".{secrets.token_hex(4)}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        sentence = _("{folder} cannot be written ({reason}): name another folder in {variable}.")
        raise UserError(
            sentence.format(
                folder=f"`{folder}`", reason=error.strerror, variable="`COURSE_RUNTIMES`"
            )
        ) from error


@contextlib.contextmanager
def _locked(framework: str, wait: Callable[[], None] | None = None) -> Iterator[None]:
    """Be the only one at a framework's environments; `wait` is called before a wait for others.

    Raises:
        Timeout: somebody else is at it, and nobody wants to wait.

    """
    from filelock import FileLock, Timeout

    lock = FileLock(paths.runtimes() / f"{framework}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        if wait is None:
            raise
        wait()
        lock.acquire(poll_interval=POLL)
    try:
        yield
    finally:
        lock.release()


def _expect_instructions(recipe: Recipe) -> None:
    """Make sure that the processor has the instructions that the libraries are built with.

    Raises:
        UserError: it lacks one. A machine that does not tell is given the benefit of the doubt.

    """
    known = _instructions()
    lacking = [name for name in recipe.instructions if known and name not in known]
    if lacking:
        raise UserError(
            _(
                "This processor lacks the instructions {names}, which the libraries are built "
                "with: this framework's lessons need another machine."
            ).format(names=enumerate_words(f"`{name.upper()}`" for name in lacking))
        )


def _instructions() -> set[str]:
    """The instructions that the processor says it has; nothing where it can't be asked."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        # Libraries for other processors are built without any of these.
        return set()
    with contextlib.suppress(OSError, subprocess.SubprocessError, AttributeError):
        if sys.platform == "win32":
            import ctypes

            present = ctypes.windll.kernel32.IsProcessorFeaturePresent
            return {"x86", *(name for name, n in WINDOWS_FEATURES.items() if present(n))}
        if sys.platform == "darwin":
            words = ["sysctl", "-n", "machdep.cpu.features", "machdep.cpu.leaf7_features"]
            done = subprocess.run(words, capture_output=True, text=True, timeout=10)
            return {name.partition("1.0")[0] for name in done.stdout.lower().split()}
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
            name, _colon, value = line.partition(":")
            if name.strip() == "flags":
                return set(value.split())
    return set()


def expect_room(framework: str, recipe: Recipe) -> None:
    """Make sure that there is room for an environment and its download.

    Raises:
        UserError: there is not; says how much is needed.

    """
    # Nothing for the download: uv unpacks it as it comes, and links what its cache holds.
    needed, there = recipe.installed + MARGIN, _free(runtime.folder_of(framework, recipe))
    if there < needed:
        raise UserError(
            _(
                "The environment needs {needed} MB in {folder}, where {free} MB are free: free "
                "some, or name another folder in {variable}."
            ).format(
                needed=runtime.megabytes(needed),
                free=runtime.megabytes(there),
                folder=f"`{paths.runtimes()}`",
                variable="`COURSE_RUNTIMES`",
            )
        )


def _make(making: Making, python: Interpreter) -> Environment:
    """Make the environment from its beginning; packages come from uv's cache where it has them."""
    making.tell("preparing", 0, 0)
    # First the word that all is well: what is deleted after it may be half gone at any moment.
    (making.folder / COMPLETE).unlink(missing_ok=True)
    # An own cache of packages is gone on with; whatever else is there was left unfinished.
    _clear(making.folder, CACHE)
    expect_room(making.description.framework, making.recipe)
    _make_folder(making.folder)
    making.log.parent.mkdir(parents=True, exist_ok=True)
    making.log.write_bytes(b"")
    try:
        return _fill(making, python)
    finally:
        _clear_cache(making.cache)
        if not (making.folder / COMPLETE).exists():
            _discard(making.environment)
            if not list(making.folder.glob(f"{CACHE}/archive-*/*")):
                _discard(making.folder)


def _fill(making: Making, python: Interpreter) -> Environment:
    """Make a virtual environment, install the list in it, and see whether it works.

    Raises:
        UserError: one of these failed.

    """
    framework, folder = making.description.framework, making.environment
    words = [_find_uv(), "venv", "--no-project", "--python", python.base, str(folder)]
    if _run(making, words, lambda: None):
        # A disk that is full, or a cache that can't be written, is told as that.
        if any(pattern.search(_tail(making.log)) for pattern in (NO_SPACE, FORBIDDEN)):
            raise _uv_failed(making, python)
        sentence = _("No environment could be made with {python}: {log} says why.")
        raise UserError(sentence.format(python=f"`{python.base}`", log=f"`{making.log}`"))
    inside = "Scripts/python.exe" if sys.platform == "win32" else "bin/python"
    own = str(folder / inside)
    _install(making, python, own)
    found = interpreter.ask(own, "-I")
    if found is None:
        sentence = _("The Python of the new environment does not start: {log} holds what it said.")
        raise UserError(sentence.format(log=f"`{making.log}`"))
    packages = {
        each.name: each.version for each in importlib.metadata.distributions(path=[*found.site])
    }
    # For what the user adds; it is not one of the packages that make the environment whole.
    _run(making, [own, "-I", "-m", "ensurepip"], lambda: making.tell("checking", 0, 0))
    _check(making, own)
    noted = {
        "format": FORMAT,
        "framework": framework,
        "python": own,
        "version": found.release,
        "site": found.site,
        "digest": runtime.digest(making.recipe),
        "size": size_on_disk(folder),
        "when": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "packages": packages,
    }
    with contextlib.suppress(OSError):
        making.log.unlink()
    files.write(making.folder / COMPLETE, json.dumps(noted, indent=2).encode())
    made = runtime.read_installed(framework, making.recipe)
    assert made is not None
    return made


def _install(making: Making, python: Interpreter, own: str) -> None:
    """Fetch what is not in the cache yet, unpack it, and compile it: the first run need not then.

    Raises:
        UserError: uv failed.

    """
    recipe = making.recipe
    total: dict[Phase, int] = {"downloading": recipe.download, "installing": recipe.installed}
    # By the free space: counting tens of thousands of files takes too long.
    watched = {"downloading": making.cache, "installing": making.folder}
    before = {phase: _free(path) for phase, path in watched.items()}
    highest = dict.fromkeys(watched, 0)
    began = making.log.stat().st_size

    def tell(phase: Phase) -> None:
        grown = before[phase] - _free(watched[phase])
        if phase == "downloading":
            # uv unpacks what it fetches at once.
            grown = grown * recipe.download // recipe.installed
        highest[phase] = max(highest[phase], min(total[phase], grown))
        making.tell(phase, highest[phase], total[phase])

    def look() -> None:
        prepared = re.search(rb"^(?:Prepared|Installed) ", making.log.read_bytes()[began:], re.M)
        tell("installing" if prepared else "downloading")

    words = [
        _find_uv(), "pip", "install", "--python", own, "--no-deps", "--require-hashes",
        "--only-binary", ":all:", "--compile-bytecode", *making.options,
        "--requirement", str(recipe.pins),
    ]  # fmt: skip
    tell("downloading")
    if _run(making, words, look):
        raise _uv_failed(making, python)
    tell("installing")


def _check(making: Making, own: str) -> None:
    """Import what lessons import, in a process of its own, since it may die of it.

    Raises:
        UserError: it did, or an import failed.

    """
    start = making.log.stat().st_size
    status = _run(
        making,
        [own, "-I", "-c", IMPORTS, *making.recipe.modules],
        lambda: making.tell("checking", 0, 0),
        CHECK,
    )
    if status == 0:
        return
    output = making.log.read_bytes()[start:].decode("utf-8", "replace")
    imports = [line for line in output.splitlines() if line.startswith("import ")]
    module = imports[-1].split()[1] if imports else making.recipe.modules[0]
    named = {"module": f"`{module}`", "log": f"`{making.log}`"}
    if status == 128 + getattr(signal, "SIGILL", 4):
        sentence = _(
            "{module} was installed, but uses instructions that this processor lacks, so the "
            "environment was removed: this framework's lessons need another machine."
        )
    elif status is None:
        sentence = _(
            "{module} was installed, but takes too long to load here, so the environment was "
            "removed; {log} says more."
        )
    else:
        sentence = _(
            "{module} was installed, but cannot be loaded here, so the environment was removed: "
            "{log} says why."
        )
    raise UserError(sentence.format(**named))


def _tail(log: Path) -> str:
    return log.read_bytes()[-TAIL:].decode("utf-8", "replace")


def _uv_failed(making: Making, python: Interpreter) -> UserError:
    output = _tail(making.log).rpartition("\n$ ")[2].partition("\n")[2]
    return UserError(
        explain(output, making.folder, making.cache, python.release, making.supply, making.log)
    )


def _run(
    making: Making, words: list[str], tell: Callable[[], None], limit: float | None = None
) -> int | None:
    """Run a program to its end; its status, None where it was stopped after `limit` seconds.

    Its output goes to the log. It and all it has started are gone when this returns or raises, and
    also when we are killed (see `parent_watch`).
    """
    deadline = None if limit is None else time.monotonic() + limit
    with making.log.open("ab") as log:
        log.write(f"\n$ {' '.join(words)}\n".encode())
        log.flush()
        watch = str(Path(__file__).with_name("parent_watch.py"))
        process = subprocess.Popen(
            [sys.executable, "-I", watch, str(os.getpid()), *words],
            cwd=making.folder,
            env=making.variables,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            **own_group(),
        )
        try:
            while process.poll() is None:
                if deadline is not None and time.monotonic() > deadline:
                    return None
                tell()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(POLL)
        finally:
            kill_tree(process.pid, gone=process.poll() is not None)
            process.wait()
    return process.returncode


def _find_uv() -> str:
    """The program uv that was installed beside `course`."""
    from uv import find_uv_bin

    return os.fspath(find_uv_bin())


def _find_cache(folder: Path, variables: dict[str, str]) -> Path:
    """The folder in which uv keeps packages."""
    listing = subprocess.run(
        [_find_uv(), "cache", "dir"], env=variables, stdin=subprocess.DEVNULL,
        capture_output=True, text=True,
    )  # fmt: skip
    # Where it can't say, its next words are the ones that are explained.
    return Path(listing.stdout.strip() or variables.get("UV_CACHE_DIR") or folder / CACHE)


def _free(path: Path) -> int:
    """The bytes that are free where a folder lies, or will lie."""
    return shutil.disk_usage(next(p for p in (path, *path.parents) if p.is_dir())).free


def _clear_cache(cache: Path) -> None:
    """Delete what a uv that was killed was just unpacking in its cache.

    uv keeps such folders until somebody empties the cache. Whoever works in it holds a shared
    lock on it: as long as others do, these folders may be theirs, and stay.
    """
    if sys.platform == "win32":
        return
    import fcntl

    with contextlib.suppress(OSError), (cache / ".lock").open("rb") as lock:
        # One of ours that was killed may need a moment to go.
        for _look in range(10):
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                for left in cache.glob(".tmp*"):
                    shutil.rmtree(left, ignore_errors=True)
                return
            time.sleep(POLL)


def _clear(folder: Path, *keep: str) -> None:
    """Delete what lies in a folder, but for what has these names."""
    for path in [*folder.iterdir()] if folder.is_dir() else []:
        if path.name not in keep:
            _discard(path)


def _folders(framework: str) -> list[Path]:
    """The folders of a framework's environments, whatever list they were made of."""
    # What begins with a dot is being deleted; a start that was killed at it goes on here.
    return [
        path
        for pattern in (f"{framework}-*", f".{framework}-*")
        for path in sorted(paths.runtimes().glob(pattern))
        if path.is_dir()
    ]


def _in_use(folder: Path) -> bool:
    """Whether a process runs that was started with an interpreter in this folder."""
    needle = os.fsencode(folder) + os.fsencode(os.sep)
    if sys.platform == "linux":
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and entry.name != str(os.getpid()):
                with contextlib.suppress(OSError):
                    if (entry / "cmdline").read_bytes().startswith(needle):
                        return True
        return False
    if sys.platform == "win32":
        # A file in use cannot be moved there.
        aside = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
        try:
            folder.rename(aside)
            aside.rename(folder)
        except OSError:
            return True
        return False
    done = subprocess.run(["ps", "-axww", "-o", "command="], capture_output=True)
    return any(line.startswith(needle) for line in done.stdout.splitlines())


def _discard(path: Path) -> None:
    """Delete a folder: first its name, so that what is left of it is never taken for it."""
    if not path.exists():
        return
    aside = path
    if not path.name.startswith("."):
        aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        with contextlib.suppress(OSError):
            path.rename(aside)
        if path.exists():
            aside = path
    shutil.rmtree(aside, ignore_errors=True)


def size_on_disk(path: Path, *, linked: bool = True) -> int:
    """The bytes that a file, or all in a folder, takes on the disk; nothing where it is gone.

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
