"""Interpreters on this machine: found, and asked what they are."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from course.errors import UserError
from course.i18n import N_, _, enumerate_words

ANSWER = 60.0
"""Seconds that an interpreter may take to say what it is: the first start from a network drive."""
NEWEST = 30
"""The highest minor version of Python 3 that is looked for."""
DROPPED = ("PYTHON", "__PYVENV_LAUNCHER__")
"""How variables begin that would have one interpreter start as another."""
TOO_NEW = N_("too new")
TOO_OLD = N_("too old")
NO_VENV = N_("without venv")
OTHER_KIND = N_("not a plain 64-bit CPython")

QUESTION = """
import sys
if sys.path[:1] == [""]:
    sys.path.pop(0)  # the current folder, whose modules would be found first
import importlib.util, json, os, platform, sysconfig
inner = {os.path.realpath(sysconfig.get_path(n)) for n in ("stdlib", "platstdlib")}
outer = [p for p in sys.path if os.path.isdir(p) and os.path.realpath(p) not in inner]
print(json.dumps({
    "python": sys.executable,
    "base": getattr(sys, "_base_executable", None) or sys.executable,
    "version": list(sys.version_info[:3]),
    "plain": platform.python_implementation() == "CPython" and sys.maxsize > 2**32
        and not sysconfig.get_config_var("Py_GIL_DISABLED"),
    "venv": all(importlib.util.find_spec(n) for n in ("venv", "ensurepip")),
    "site": [p for p in outer if os.path.basename(p) != "lib-dynload"],
}))
"""


@dataclass(frozen=True)
class Interpreter:
    """What an interpreter says of itself.

    `base` is the one that its environment was made with; `is_standard` means CPython, 64 bits, with
    the GIL: what wheels are made for. `venv` is whether it can make an environment, `site` where
    its packages lie.
    """

    python: str
    base: str
    version: tuple[int, int, int]
    is_standard: bool
    venv: bool
    site: tuple[str, ...]

    @property
    def release(self) -> str:
        """Its version, as in `3.12.1`."""
        return ".".join(map(str, self.version))


def ask(*command: str) -> Interpreter | None:
    """Start an interpreter and have it say what it is; None where that fails, however it does.

    It is started as runs are, with whatever packages the user's variables lead to; `-I` as part of
    the command does without them.
    """
    with contextlib.suppress(OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError):
        done = subprocess.run(
            [*command, "-c", QUESTION],
            env={**os.environ, "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=ANSWER,
            check=True,
        )
        sentence = json.loads(done.stdout.decode("utf-8").strip().splitlines()[-1])
        major, minor, micro = sentence["version"]
        return Interpreter(
            python=sentence["python"],
            base=sentence["base"],
            version=(int(major), int(minor), int(micro)),
            is_standard=sentence["plain"],
            venv=sentence["venv"],
            site=tuple(sentence["site"]),
        )
    return None


def environment() -> dict[str, str]:
    """Our own variables, less what would have another interpreter start as ours."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(DROPPED)}
    return {**kept, "PYTHONUTF8": "1"}


def suitable(versions: str, named: str | None = None) -> Interpreter:
    """An interpreter in a range of versions that can make an environment.

    Args:
        versions: the range, as in `>=3.11,<3.14`.
        named: the only one to look at; else our own, and then whatever is found on this machine.

    Raises:
        UserError: there is none; says which ones were found.

    """
    found: dict[str, str] = {}
    for command in [[named]] if named is not None else _candidates(versions):
        interpreter = ask(*command, "-I")
        if interpreter is None:
            continue
        reason = _unfit(interpreter, versions)
        if not reason:
            return interpreter
        found.setdefault(f"Python {interpreter.release}", reason)
    if named is not None and not found:
        raise UserError(_("{python} is no Python that starts.").format(python=f"`{named}`"))
    if not found:
        sentence = _(
            "No Python was found ({range} is needed): install one, and name it with {option}."
        )
        raise UserError(sentence.format(range=f"`{versions}`", option="`--python PATH`"))
    known = [f"`{name}` ({_(reason)})" for name, reason in found.items()]
    raise UserError(
        _(
            "This needs a Python {range} with venv, and found only {found}: install a fitting one "
            "(on Debian and Ubuntu also its package `python3-venv`), or name it with {option}."
        ).format(range=f"`{versions}`", found=enumerate_words(known), option="`--python PATH`")
    )


def _unfit(interpreter: Interpreter, versions: str) -> str:
    """Why no environment can be made with an interpreter; nothing where one can."""
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

    if not SpecifierSet(versions).contains(interpreter.release):
        lowest = min((Version(s.version) for s in SpecifierSet(versions)), default=Version("0"))
        return TOO_OLD if Version(interpreter.release) < lowest else TOO_NEW
    if not interpreter.is_standard:
        return OTHER_KIND
    return "" if interpreter.venv else NO_VENV


def _candidates(versions: str) -> Iterator[list[str]]:
    """Commands that may start a fitting interpreter, our own first; each file once."""
    from packaging.specifiers import SpecifierSet

    range_ = SpecifierSet(versions)
    # A range such as `>=3.11.4` counts as well: its lowest minor version is asked, too.
    minors = [m for m in range(NEWEST, 5, -1) if any(f"3.{m}.{p}" in range_ for p in (0, 99))]
    seen = set()
    for path in (sys.executable, getattr(sys, "_base_executable", ""), *_files(minors)):
        real = os.path.realpath(path) if path else ""
        if real not in seen and os.path.isfile(real):
            seen.add(real)
            yield [path]
    if sys.platform == "win32":
        yield from (["py", f"-3.{minor}"] for minor in minors)


def _files(minors: list[int]) -> Iterator[str]:
    """Where interpreters lie: on the PATH, and where version managers and installers put them."""
    folders = [f for f in os.environ.get("PATH", "").split(os.pathsep) if f]
    names = [f"python3.{minor}" for minor in minors]
    suffix = ".exe" if sys.platform == "win32" else ""
    for name in names:
        yield from (os.path.join(folder, name + suffix) for folder in folders)
    for name in ("python3", "python"):
        yield from (os.path.join(folder, name + suffix) for folder in folders)
    home = Path.home() if "HOME" in os.environ or sys.platform == "win32" else Path("/")
    managed = [
        Path(os.environ.get("PYENV_ROOT") or home / ".pyenv") / "versions",
        Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or home / ".local/share/uv/python"),
        Path("/Library/Frameworks/Python.framework/Versions"),
    ]
    if sys.platform == "win32":
        managed.append(Path(os.environ.get("APPDATA", "")) / "uv" / "python")
    for minor in minors:
        for folder in managed:
            pattern = f"*3.{minor}*"
            for found in sorted(folder.glob(pattern)):
                yield str(found / ("python.exe" if suffix else f"bin/python3.{minor}"))
