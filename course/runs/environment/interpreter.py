"""Interpreters on this machine, asked what they are."""

import contextlib
import json
import os
import subprocess
from dataclasses import dataclass

ANSWER = 60.0
"""Seconds that an interpreter may take to say what it is: the first start from a network drive."""

QUESTION = """
import sys
if sys.path[:1] == [""]:
    sys.path.pop(0)  # the current folder, whose modules would be found first
import json, os, platform, sysconfig
inner = {os.path.realpath(sysconfig.get_path(n)) for n in ("stdlib", "platstdlib")}
outer = [p for p in sys.path if os.path.isdir(p) and os.path.realpath(p) not in inner]
print(json.dumps({
    "release": platform.python_version(),
    "site": [p for p in outer if os.path.basename(p) != "lib-dynload"],
}))
"""


@dataclass(frozen=True)
class Interpreter:
    """What an interpreter says of itself: its version, as in `3.12.1`, and its package folders."""

    release: str
    site: tuple[str, ...]


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
        answer = json.loads(done.stdout.decode("utf-8").strip().splitlines()[-1])
        return Interpreter(answer["release"], tuple(answer["site"]))
    return None
