"""Started by file name under a runtime's own Python: a kernel in which `course` can be imported.

The runtime's environment holds a framework and nothing of ours. So our packages are lent to it, and
what they write numbers and messages with, unless it has these; nothing else, as the libraries of
two environments must not be mixed.
`COURSE_LENDS` are the folders to lend from.
"""

import os
import sys
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent.parent
LENT = (PACKAGE.name, "course_probe", "babel", "jinja2", "markupsafe")


class Lender:
    """Finds the modules that are lent, where the environment has none of its own."""

    def __init__(self, folders: list[str]) -> None:
        self._folders = [str(PACKAGE.parent), *folders]

    def find_spec(
        self, name: str, path: Any = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find what is lent as Python would, and nothing else."""
        return PathFinder.find_spec(name, self._folders) if name in LENT else None


def main() -> None:
    """Start the IPython kernel; borrowed packages are importable after the environment's own."""
    # The folder of this file, whose modules would be found first.
    sys.path.pop(0)
    folders = os.environ.get("COURSE_LENDS", "").split(os.pathsep)
    sys.meta_path.append(Lender([name for name in folders if name]))
    from ipykernel.kernelapp import launch_new_instance

    launch_new_instance()


if __name__ == "__main__":
    main()
