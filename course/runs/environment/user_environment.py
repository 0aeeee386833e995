"""Environments that the user has already, named in the place of the one that is usual."""

import os
import sys
from pathlib import Path
from typing import Any

from course.base import files, paths
from course.base.errors import UserError
from course.base.i18n import N_, _, enumerate_words
from course.runs.environment import interpreter, runtime
from course.runs.environment.runtime import FORMAT, NAMED, Environment

NO_PYTHON = N_("{python} is not a Python interpreter, or does not start.")


def use(framework: str, path: str, requires: tuple[str, ...]) -> Environment:
    """Have a framework's lessons run in the environment at `path`: a folder, or its Python.

    Raises:
        UserError: it does not start, or lacks what the lessons need; nothing has changed then.

    """
    from packaging.specifiers import SpecifierSet

    python = _python_in(Path(path).expanduser())
    found = interpreter.ask(str(python))
    if found is None:
        raise UserError(_(NO_PYTHON).format(python=f"`{python}`"))
    # Not what it says itself: in some environments that is the Python they were made with.
    environment = Environment("named", str(python), found.release, found.site)
    lacking = runtime.libraries(environment, requires)
    least = runtime.describe(framework).python.split(",")[0]
    unfit = [*lacking.missing, *lacking.unfit]
    if found.release not in SpecifierSet(least):
        unfit.insert(0, f"python {found.release} ({least})")
    if unfit:
        sentence = _(
            "The environment of {python} does not have what the lessons need ({problem}). Install "
            "what is missing in this environment, or create another one with {command}."
        )
        raise UserError(
            sentence.format(
                python=f"`{python}`",
                problem=enumerate_words(f"`{text}`" for text in unfit),
                command=f"`course runtime install {framework}`",
            )
        )
    _change(framework, {"python": str(python), "version": found.release, "site": found.site})
    return Environment("named", str(python), found.release, found.site)


def forget(framework: str) -> bool:
    """Go back to the usual environment; whether another one had been named."""
    known = runtime.named_entry(framework) is not None
    if known:
        _change(framework, None)
    return known


def _python_in(path: Path) -> Path:
    """Find the interpreter that is meant by an environment's folder, or by its own name."""
    if path.is_dir():
        inside = (
            [Path("Scripts") / "python.exe", Path("python.exe")]
            if sys.platform == "win32"
            else [Path("bin") / "python", Path("bin") / "python3"]
        )
        path = next((path / name for name in inside if (path / name).is_file()), path)
    if not path.is_file():
        raise UserError(_(NO_PYTHON).format(python=f"`{path}`"))
    # Links are kept: an environment's own Python is one to that which made it.
    return Path(os.path.abspath(path))


def _change(framework: str, entry: dict[str, Any] | None) -> None:
    """Note an environment, or strike it out."""
    known = {name: runtime.named_entry(name) for name in runtime.frameworks()}
    known[framework] = entry
    kept = {name: found for name, found in known.items() if found is not None}
    files.write_json(paths.runtimes() / NAMED, FORMAT, kept)
