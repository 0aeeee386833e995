"""The embedded hub as it is, for submissions that are run on the lesson's own data."""

import os
import shutil
from pathlib import Path

from course.run import hub
from course.run.runtime import Runtime

LEFT = ("*.lock", "cache-*.arrow", "xla")
"""What learners' runs have left in it: it is to be the same for everybody."""


def copy(runtime: Runtime, place: Path) -> None:
    """Copy it into a folder, which must not exist yet, for everybody to read.

    Raises:
        UserError: there is no room for it.
        RuntimeError: the runtime's libraries could not read what ships.

    """
    usual = Path(hub.embedded(runtime).environment["HF_HOME"])
    shutil.copytree(usual, place, ignore=shutil.ignore_patterns(*LEFT))
    for folder, _names, files in os.walk(place):
        for name in (".", *files):
            path = Path(folder, name)
            path.chmod(path.stat().st_mode | (0o055 if path.is_dir() else 0o044))
