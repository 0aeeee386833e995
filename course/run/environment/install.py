"""An environment for a framework's lessons, made of a pinned list, whole or not at all.

    RUNTIMES/tf.lock                    held by whoever makes, or removes, an environment
    RUNTIMES/tf-<digest of the list>/   env/            the environment
                                        wheels/         downloaded, and which chunks are whole
                                        temporary/      what pip is just fetching
                                        complete.json   the environment may be used

What is there without `complete.json` is never used: `env` and `temporary` are thrown away at the
next start, and `wheels` gone on with.
"""

import contextlib
import hashlib
import json
import os
import platform
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
from course.run.child import kill_tree, own_group
from course.run.environment import interpreter, pip, runtime
from course.run.environment.interpreter import Interpreter
from course.run.environment.pip import Supply
from course.run.environment.runtime import COMPLETE, FORMAT, Description, Environment, Recipe

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
WINDOWS_FEATURES = {"avx": 39}
"""Instructions as `IsProcessorFeaturePresent` numbers them."""


@dataclass(frozen=True)
class Making:
    """One making of an environment: what for, where, with what, and whom to tell."""

    description: Description
    recipe: Recipe
    folder: Path
    supply: Supply
    tell: Tell

    @property
    def environment(self) -> Path:
        """The environment itself."""
        return self.folder / "env"

    @property
    def wheels(self) -> Path:
        """What has been downloaded."""
        return self.folder / "wheels"

    @property
    def temporary(self) -> Path:
        """What is being downloaded."""
        return self.folder / "temporary"

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
    making = Making(description, recipe, folder, _checked(supply or Supply()), tell)
    _make_folder(paths.runtimes())
    with _locked(framework, wait=lambda: tell("waiting", 0, 0)):
        found = runtime.read_installed(framework, recipe)
        if found is not None and is_whole(found):
            sweep(framework, recipe)
            return found, False
        _expect_instructions(recipe)
        chosen = interpreter.suitable(description.python, python)
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


def remove(framework: str) -> None:
    """Delete what was installed for a framework, whole, half-made or old.

    Raises:
        UserError: it is in use, or being made.

    """
    from filelock import Timeout

    if not _folders(framework):
        return
    try:
        with _locked(framework):
            folders = _folders(framework)
            used = [folder for folder in folders if _in_use(folder)]
            if used:
                said = _(
                    "The environment in {folder} is in use: end what runs in it, and try again."
                )
                raise UserError(said.format(folder=f"`{used[0]}`"))
            for folder in folders:
                (folder / COMPLETE).unlink(missing_ok=True)
                _discard(folder)
    except Timeout as error:
        said = _("The environment for {framework} is just being made: try again after that.")
        raise UserError(said.format(framework=f"`{framework}`")) from error


def sweep(framework: str, recipe: Recipe) -> None:
    """Delete what is of no use any more: environments of older lists, unless they are in use."""
    current = runtime.folder_of(framework, recipe)
    for folder in _folders(framework):
        if folder != current and not _in_use(folder):
            _discard(folder)
    for left in (current / "wheels", current / "temporary", *current.glob(".*")):
        _discard(left)


def free(framework: str, recipe: Recipe) -> tuple[int, int]:
    """The bytes that a making needs, and those that are free there."""
    folder = runtime.folder_of(framework, recipe)
    fetched = size_on_disk(folder / "wheels")
    # Twice the download: pip keeps what it fetched in its own cache, too.
    needed = recipe.installed + max(0, 2 * recipe.download - fetched) + MARGIN
    place = next(p for p in (folder, *folder.parents) if p.is_dir())
    return needed, shutil.disk_usage(place).free


def _checked(supply: Supply) -> Supply:
    """A folder of wheels by its full name, since pip is started elsewhere.

    Raises:
        UserError: there is no such folder.

    """
    if supply.find_links is None or "://" in supply.find_links:
        return supply
    folder = Path(supply.find_links).expanduser().absolute()
    if not folder.exists():
        said = _("There is no folder {folder}: {option} names the one that holds the wheels.")
        raise UserError(said.format(folder=f"`{folder}`", option="`--find-links`"))
    return replace(supply, find_links=str(folder))


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".{secrets.token_hex(4)}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        said = _("{folder} cannot be written ({reason}): name another folder in {variable}.")
        raise UserError(
            said.format(folder=f"`{folder}`", reason=error.strerror, variable="`COURSE_RUNTIMES`")
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
    needed, there = free(framework, recipe)
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
    """Make the environment from its beginning, or from what had been downloaded."""
    making.tell("preparing", 0, 0)
    # First the word that all is well: what is deleted after it may be half gone at any moment.
    (making.folder / COMPLETE).unlink(missing_ok=True)
    for unfinished in (making.environment, making.temporary, *making.folder.glob(".*")):
        _discard(unfinished)
    expect_room(making.description.framework, making.recipe)
    _make_folder(making.wheels)
    _make_folder(making.temporary)
    making.log.parent.mkdir(parents=True, exist_ok=True)
    making.log.write_bytes(b"")
    try:
        return _made(making, python)
    finally:
        _discard(making.temporary)
        if not (making.folder / COMPLETE).exists():
            _discard(making.environment)
            if not list(making.wheels.glob("*.done")):
                _discard(making.folder)


def _made(making: Making, python: Interpreter) -> Environment:
    framework, folder = making.description.framework, making.environment
    words = ["venv", "--clear", str(folder)]
    work = _Work(making, python.base, pip.installing(making.temporary), words)
    if work.run(lambda: None):
        said = _("No environment could be made with {python}: {log} says why.")
        raise UserError(said.format(python=f"`{python.base}`", log=f"`{making.log}`"))
    inside = "Scripts/python.exe" if sys.platform == "win32" else "bin/python"
    own = str(folder / inside)
    pins = pip.pins(making.recipe.pins, python)
    _download(making, python, own, pins)
    _install(making, python, own, pins)
    _check(making, own)
    found = interpreter.ask(own, "-I")
    if found is None:
        said = _("The Python of the new environment does not start: {log} holds what it said.")
        raise UserError(said.format(log=f"`{making.log}`"))
    size = size_on_disk(folder)
    noted = {
        "format": FORMAT,
        "framework": framework,
        "python": own,
        "version": found.release,
        "site": found.site,
        "digest": runtime.digest(making.recipe),
        "size": size,
        "when": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "packages": {pin.name: pin.version for pin in pins},
    }
    with contextlib.suppress(OSError):
        making.log.unlink()
    files.write(making.folder / COMPLETE, json.dumps(noted, indent=2).encode())
    made = runtime.read_installed(framework, making.recipe)
    assert made is not None
    return made


def _download(making: Making, python: Interpreter, own: str, pins: list[pip.Pin]) -> None:
    """Fetch what has not been fetched, chunk by chunk."""
    total = making.recipe.download
    environment = pip.fetching(making.temporary)

    def tell() -> None:
        # What pip has under way bears the wheel's name; what it keeps beside it does not.
        sizes: dict[str, int] = {}
        for path in wheels(making.wheels, making.temporary):
            sizes[path.name] = max(sizes.get(path.name, 0), size_on_disk(path))
        making.tell("downloading", min(total, sum(sizes.values())), total)

    for chunk in pip.chunks(pins, making.recipe.alone):
        text = "".join(f"{pin.line}\n" for pin in chunk)
        key = hashlib.sha256(f"{python.version[:2]} {platform.machine()} {text}".encode())
        done = making.wheels / f"{key.hexdigest()[:16]}.done"
        if done.exists():
            continue
        requirements = making.temporary / "requirements.txt"
        requirements.write_text(text, "utf-8")
        words = pip.download(making.wheels, requirements, making.supply)
        if _Work(making, own, environment, words).run(tell):
            if pip.is_unclear(_tail(making.log)):
                # At its most talkative it says which page it could not read, and why.
                _Work(making, own, environment, [*words, "-vv"]).run(tell)
            raise _pip_failed(making, python)
        done.touch()


def wheels(*folders: Path) -> Iterator[Path]:
    """Wheels on all levels of folders from which pip takes others away meanwhile."""
    for top in folders:
        # Unlike `rglob` it says nothing of a folder that has gone between two looks.
        for folder, _names, held in os.walk(top):
            yield from (Path(folder, name) for name in held if name.endswith(".whl"))


def _install(making: Making, python: Interpreter, own: str, pins: list[pip.Pin]) -> None:
    """Unpack what was fetched, and compile it: the first run would have to wait for that."""
    total = making.recipe.installed
    before = shutil.disk_usage(making.folder).free
    high = 0

    def tell() -> None:
        # By the free space, since counting tens of thousands of files takes too long.
        nonlocal high
        high = max(high, min(total, before - shutil.disk_usage(making.folder).free))
        making.tell("installing", high, total)

    environment = pip.installing(making.temporary)
    requirements = making.temporary / "requirements.txt"
    requirements.write_text("".join(f"{pin.line}\n" for pin in pins), "utf-8")
    if _Work(making, own, environment, pip.install(making.wheels, requirements)).run(tell):
        # A wheel that is damaged or gone must be fetched again.
        for done in making.wheels.glob("*.done"):
            done.unlink()
        raise _pip_failed(making, python)
    # Some packages carry files for other versions of Python, which do not compile, and need not.
    words = ["compileall", "-q", "-j", "0", str(making.environment)]
    _Work(making, own, environment, words).run(tell)


def _check(making: Making, own: str) -> None:
    """Import what lessons import, in a process of its own, since it may die of it.

    Raises:
        UserError: it did, or an import failed.

    """
    making.tell("checking", 0, 0)
    environment = pip.installing(making.temporary) | {"CUDA_VISIBLE_DEVICES": ""}
    words = ["--import", *making.recipe.modules]
    start = making.log.stat().st_size
    status = _Work(making, own, environment, words).run(
        lambda: making.tell("checking", 0, 0), CHECK
    )
    if status == 0:
        return
    said = making.log.read_bytes()[start:].decode("utf-8", "replace")
    imports = [line for line in said.splitlines() if line.startswith("import ")]
    module = imports[-1].split()[1] if imports else making.recipe.modules[0]
    named = {"module": f"`{module}`", "log": f"`{making.log}`"}
    if status == -getattr(signal, "SIGILL", 4):
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


def _pip_failed(making: Making, python: Interpreter) -> UserError:
    said = _tail(making.log)
    return UserError(pip.explain(said, making.folder, python, making.supply, making.log))


@dataclass(frozen=True)
class _Work:
    """A program under an interpreter, whose words go to the log."""

    making: Making
    python: str
    environment: dict[str, str]
    words: list[str]

    def run(self, tell: Callable[[], None], limit: float | None = None) -> int | None:
        """Run it to its end; its status, None where it was stopped after `limit` seconds.

        It and all it has started are gone when this returns or raises, and also when we are
        killed (see `tied`).
        """
        deadline = None if limit is None else time.monotonic() + limit
        with self.making.log.open("ab") as log:
            log.write(f"\n$ {' '.join(self.words)}\n".encode())
            log.flush()
            process = subprocess.Popen(
                [self.python, "-I", str(Path(__file__).with_name("tied.py")), str(os.getpid()),
                 *self.words],
                cwd=self.making.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                **own_group(),
            )  # fmt: skip
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


def size_on_disk(path: Path) -> int:
    """The bytes that a file, or all in a folder, takes on the disk; nothing where it is gone."""
    total = 0
    try:
        found = path.lstat()
        total += getattr(found, "st_blocks", 0) * 512 or found.st_size
        if path.is_dir() and not path.is_symlink():
            with os.scandir(path) as entries:
                for entry in entries:
                    total += size_on_disk(Path(entry.path))
    except OSError:
        # Just deleted by whoever it belongs to.
        pass
    return total
