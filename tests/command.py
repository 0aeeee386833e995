"""Runs the real command line in a process of its own, as a user would."""

import getpass
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests import documents

ROOT = Path(__file__).parent.parent
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "alone")
"""Which of the processes that share the tests this is: each has warm runtimes of its own."""
USER = getattr(os, "getuid", getpass.getuser)()  # Windows has no numbers for users.
# Those who run tests side by side tell each the width of a terminal that is not ours.
UNWANTED = ("LC_", "LANG", "COURSE_", "HF_", "FORCE_COLOR", "NO_COLOR", "COLUMNS", "LINES")
CLEAN = {
    **{name: value for name, value in os.environ.items() if not name.startswith(UNWANTED)},
    # One cache for all tests: the embedded hub is laid out once, and no user's own is touched.
    "COURSE_CACHE": str(Path(tempfile.gettempdir()) / f"course-tests-{USER}-{WORKER}"),
    # And one place for progress, which is nobody's (conftest.py).
    "COURSE_STATE": os.environ["COURSE_STATE"],
    # And one for environments, which a CI can name to have one installed there beforehand.
    "COURSE_RUNTIMES": os.environ.get("COURSE_RUNTIMES", tempfile.gettempdir()),
    # Told on to every process that a test starts, so that a test can find its own.
    "COURSE_TESTS": str(os.getpid()),
}


def python(
    *words: str, cwd: Path = ROOT, timeout: float = 600, said: str = "", **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run `python WORDS` with a plain environment and what `variables` add to it."""
    return subprocess.run(
        [sys.executable, *words],
        cwd=cwd,
        env={**CLEAN, "PYTHONUTF8": "1", **variables},
        input=said,
        capture_output=True,
        encoding="utf-8",
        timeout=timeout,
    )


def course(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run `course ARGUMENTS` as `python`; a JSON document that it prints fits its schema."""
    done = python("-m", "course", *arguments, **more)
    documents.check(arguments, done.stdout)
    return done


def inside(*words: object, **options: object) -> Any:
    """Run a command in this process and return what its function does; what it raises is raised.

    An option that is True is a flag, and one that is None or False is not given.
    """
    from course.cli import app

    given = [str(word) for word in words]
    for name, value in options.items():
        if value is not None and value is not False:
            given.append("--json" if name == "as_json" else f"--{name.replace('_', '-')}")
            given += [] if value is True else [str(value)]
    with app.make_context("course", given) as context:
        return app.invoke(context)


def listed(lesson: str, fw: str = "pt", **variables: str) -> dict[str, Any]:
    """What `course list` says of one framework of a lesson."""
    found = json.loads(course("list", "--json", **variables).stdout)["lessons"]
    told: dict[str, Any] = {each["lesson"]: each for each in found}[lesson]["frameworks"][fw]
    return told
