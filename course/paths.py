"""Where things lie: what ships with the package, and what this user keeps."""

import os
import tempfile
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def data() -> Path:
    """The folder that holds `lessons/` and `locales/`: inside a wheel, or the checkout's root."""
    shipped = PACKAGE / "data"
    return shipped if shipped.is_dir() else PACKAGE.parent


def lessons() -> Path:
    """The folder of the lessons, the fault catalogue and the embedded hub."""
    return data() / "lessons"


def locales() -> Path:
    """The folder of the translations, one folder a language."""
    return data() / "locales"


def probe() -> Path:
    """The program that runs inside the learner's process, under any interpreter."""
    return PACKAGE / "probe" / "__main__.py"


def cache() -> Path:
    """The user's cache folder; `COURSE_CACHE` names another one. It may not exist yet.

    Where there is no home folder at all (a container without a passwd entry, say) it is a folder
    of this user's in the place for temporary files.
    """
    named = os.environ.get("COURSE_CACHE")
    if named:
        return Path(named).expanduser().absolute()
    import platformdirs

    found = Path(platformdirs.user_cache_path("course", appauthor=False))
    return found if found.is_absolute() else temporary()


def temporary() -> Path:
    """A folder for this user among the temporary files. It may not exist yet."""
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    return Path(tempfile.gettempdir()) / f"course-{user}"
