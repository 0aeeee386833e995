"""Runtimes: interpreters that hold one framework's libraries."""

import importlib.metadata
import os
import platform
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from packaging.version import Version

from course.errors import UserError
from course.i18n import _, enumerate_words


@dataclass(frozen=True)
class Runtime:
    """An interpreter, and the versions of the libraries it was found to have."""

    framework: str
    python: str
    versions: dict[str, str]


def find(framework: str, requires: Iterable[str]) -> Runtime:
    """The runtime for a framework whose lesson asks for `requires`, each `name>=version`.

    Reads what is installed without importing any of it.

    Raises:
        UserError: a library is missing or too old; names it and the command that mends it.

    """
    versions = {"python": platform.python_version()}
    missing, old = [], []
    for text in requires:
        name, _mark, least = text.partition(">=")
        try:
            found = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            missing.append(text)
            continue
        versions[name] = found
        if Version(found) < Version(least):
            old.append(f"{name} {found} (>={least})")
    # Quoted for every shell: `>` would otherwise be taken for a redirection.
    wishes = " ".join(f'"{text}"' for text in requires)
    command = f"`{sys.executable} -m pip install {wishes}`"
    if missing:
        raise UserError(
            _("This lesson needs {missing}, which is not installed: run {command}.").format(
                missing=enumerate_words(f"`{t}`" for t in missing), command=command
            )
        )
    if old:
        raise UserError(
            _("This lesson cannot run on {found}: run {command}.").format(
                found=enumerate_words(f"`{t}`" for t in old), command=command
            )
        )
    return Runtime(framework, sys.executable, versions)


def cuda(runtime: Runtime) -> bool:
    """Whether the runtime's framework finds a CUDA device; asked once, in a process of its own."""
    import subprocess

    if not _driver():
        return False
    code = "import torch; raise SystemExit(not torch.cuda.is_available())"
    return subprocess.run([runtime.python, "-c", code], capture_output=True).returncode == 0


def _driver() -> bool:
    """Whether a CUDA driver is there at all: without one there is nothing to ask a framework."""
    if sys.platform == "linux":
        # The second is the one of the Windows Subsystem for Linux.
        return any(os.path.exists(device) for device in ("/dev/nvidiactl", "/dev/dxg"))
    import ctypes.util

    return ctypes.util.find_library("nvcuda") is not None
