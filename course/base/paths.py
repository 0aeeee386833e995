"""Where things lie: what ships with the package, and what this user keeps."""

import contextlib
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
SHORT = 60
"""Bytes: a folder for sockets must have a shorter name, since theirs end at 107 (see unix(7))."""


def data() -> Path:
    """Find the folder of `lessons/`, `subtitles/` and `locales/`: a wheel's or the checkout's."""
    shipped = PACKAGE / "data"
    return shipped if shipped.is_dir() else PACKAGE.parent


def is_checkout() -> bool:
    """Whether the data are those of a checkout, whose user can change them."""
    return data() == PACKAGE.parent


def lessons() -> Path:
    """Return the folder of the lessons, the fault catalogue and the embedded hub."""
    return data() / "lessons"


def frameworks() -> list[str]:
    """List the frameworks that there are runtimes for."""
    return sorted(path.stem for path in (lessons() / "runtimes").glob("*.toml"))


def subtitles() -> Path:
    """Return the folder of our transcripts and their reviewed boundaries, one folder a lesson."""
    return data() / "subtitles"


def locales() -> Path:
    """Return the folder of the translations, one folder a language."""
    return data() / "locales"


def probe() -> Path:
    """Return the program that runs inside the learner's process, under any interpreter."""
    return PACKAGE.parent / "course_probe" / "__main__.py"


def cache() -> Path:
    """Return the user's cache folder; `COURSE_CACHE` names another one. It may not exist yet.

    Where there is no home folder at all (a container without a passwd entry, say) it is a folder
    of this user's in the place for temporary files.
    """
    return _of_user("COURSE_CACHE", "cache") or temporary()


def output(of: Path | str) -> Path:
    """Return the file in the cache folder for all the output of a working copy, or of a step.

    It is named after the copy, and there is one for each: paths that differ have files of their
    own. It may not exist yet.
    """
    name = hashlib.sha256(os.path.realpath(of).encode()).hexdigest()[:8]
    return cache() / "output" / f"{Path(of).stem}-{name}.txt"


def state() -> Path:
    """Return the user's folder for lasting data: progress. `COURSE_STATE` names another one."""
    return _of_user("COURSE_STATE", "state") or temporary() / "state"


def runtimes() -> Path:
    """Return the user's folder for environments made here; `COURSE_RUNTIMES` names another.

    They are large, and cost a long download: no cache, which may be cleared at any time.
    """
    return _of_user("COURSE_RUNTIMES", "data", "runtimes") or temporary() / "runtimes"


def _of_user(variable: str, kind: str, inner: str = "") -> Path | None:
    """Return the folder that a variable names, else this user's own; None without a home."""
    named = os.environ.get(variable)
    if named:
        return Path(named).expanduser().absolute()
    import platformdirs

    own = getattr(platformdirs, f"user_{kind}_path")("course", appauthor=False)
    found = Path(own, inner)
    return found if found.is_absolute() else None


def private() -> Path:
    """Return a folder that only this user can enter, for sockets and locks: made if need be.

    There is one for each cache folder, so that two set-ups of one user stay apart. It lies where
    sockets can lie: their names may not be longer than some hundred bytes.

    Raises:
        OSError: somebody else's folder lies there, or none can be made.

    """
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    tops = [Path(runtime) / "course"] if os.path.isabs(runtime) and _is_own(runtime) else []
    tops += [temporary(), Path("/tmp") / temporary().name]
    top = next((t for t in tops if len(os.fsencode(t)) < SHORT), tops[0])
    folder = top / hashlib.sha256(str(cache()).encode()).hexdigest()[:8]
    for each in (top, folder):
        each.mkdir(mode=0o700, exist_ok=True)
        found = each.lstat()
        if not stat.S_ISDIR(found.st_mode):
            raise NotADirectoryError(each)
        if hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & 0o022):
            raise PermissionError(f"{each} can be written by others")
    return folder


@contextlib.contextmanager
def working(kind: str) -> Iterator[Path]:
    """Hold a folder in the private one for as long as it is worked in, then remove it.

    What a process that was killed has left of this kind is cleared away first.

    Raises:
        OSError: as `private`.

    """
    top = private()
    for left in top.glob(f"{kind}-*-*"):
        if os.name == "posix" and not _lives(left.name.split("-")[1]):
            shutil.rmtree(left, ignore_errors=True)
    place = Path(tempfile.mkdtemp(prefix=f"{kind}-{os.getpid()}-", dir=top))
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _lives(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, ValueError):
        return False
    except PermissionError:
        pass
    return True


def _is_own(folder: str) -> bool:
    """Whether a folder is there and this user's: `su` and `sudo` keep the name of another's."""
    return os.path.isdir(folder) and (
        not hasattr(os, "getuid") or os.stat(folder).st_uid == os.getuid()
    )


def temporary() -> Path:
    """Return a folder for this user among the temporary files. It may not exist yet."""
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    return Path(tempfile.gettempdir()) / f"course-{user}"
