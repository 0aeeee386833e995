"""The embedded hub as it is, for submissions that are run on the lesson's own data."""

import shutil
from pathlib import Path

from course.base import files
from course.runs import hub
from course.runs.environment.runtime import Runtime

LEFT = ("*.lock", "cache-*.arrow", "default_experiment*", "xla")
"""What learners' runs have left in it: it is to be the same for everybody."""


def copy(runtime: Runtime, place: Path) -> None:
    """Copy it into a folder for everybody to read.

    Raises:
        UserError: there is no room for it.
        RuntimeError: the runtime's libraries could not read what ships.

    """
    usual = Path(hub.embedded(runtime).environment["HF_HOME"])
    shutil.copytree(usual, place, ignore=shutil.ignore_patterns(*LEFT), dirs_exist_ok=True)
    files.let_all_read(place)
