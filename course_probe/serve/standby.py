"""Where there is no fork: an interpreter that has the imports done and waits for one run.

It listens at an address that it files in a folder of the user's, `{"address", "key",
"fingerprint"}`; the client that takes the file away has it. The request is the one of `warm`, the
answers `{"pid"}` and `{"exit"}`; messages are JSON, never pickles. It leaves when no client came in
time, and dies with its client. After an answer `{"exit", "leaves": true}` the script's process is
still at its end, which is over when it hangs up.
"""

import _thread
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from typing import NoReturn, TypedDict

from course_probe.serve import preload, script, warm


class StandbyOrder(TypedDict):
    """The file to put the offer into, its `key` in hexadecimal digits; the rest as in `warm`."""

    file: str
    key: str
    fingerprint: str
    modules: list[str]
    idle: float
    stop: str


def wait(order: StandbyOrder) -> NoReturn:
    """Wait for one run, do it, and end the process."""
    preload.prepare(order["modules"], order["stop"])
    entry = Path(order["file"])
    with Listener(_address(entry.parent), authkey=bytes.fromhex(order["key"])) as listener:
        idle = _thread.allocate_lock()
        idle.acquire()
        filed = {
            "address": listener.address,
            "key": order["key"],
            "fingerprint": order["fingerprint"],
        }
        # Of another suffix: who looks for offers must not find half of one.
        unfinished = entry.with_suffix(".new")
        unfinished.write_text(json.dumps(filed))
        unfinished.replace(entry)
        _thread.start_new_thread(_leave_after, (order["idle"], idle, entry, listener))
        connection = listener.accept()
    idle.release()
    request = json.loads(connection.recv_bytes(warm.REQUEST_CAP))
    if request["do"] != "run":
        os._exit(0)
    name = preload.shadows(request["beside"])
    if name is not None:
        connection.send_bytes(json.dumps({"shadowed": name}).encode())
        os._exit(0)
    connection.send_bytes(json.dumps({"pid": os.getpid()}).encode())
    # Not a `Thread`: the script may look through those, count them and wait for all.
    _thread.start_new_thread(_die_with, (connection,))
    job = warm.enter(request)
    answer = {"leaves": True} if "own" in job else {}

    def last(status: int) -> None:
        with contextlib.suppress(OSError):
            connection.send_bytes(json.dumps({"exit": status, **answer}).encode())

    script.main(job, last, is_alone=True)


def _address(folder: Path) -> str | None:
    """Return a socket in the user's own folder; the default would leave a folder behind."""
    if sys.platform == "win32":
        return None
    path = folder / f"{os.getpid()}.line"
    path.unlink(missing_ok=True)
    return str(path)


def _leave_after(seconds: float, wanted: _thread.LockType, entry: Path, listener: Listener) -> None:
    """Withdraw the offer and end the process, unless a client comes, or is just connecting."""
    if wanted.acquire(timeout=min(seconds, threading.TIMEOUT_MAX)):
        return
    with contextlib.suppress(OSError):
        entry.unlink()
        listener.close()
        os._exit(0)


def _die_with(connection: "Connection") -> None:
    """End this process and all it has started when the client goes away."""
    with contextlib.suppress(EOFError, OSError):
        connection.recv_bytes(1)
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(os.getpid())], check=False)
    else:
        os.killpg(os.getpgrp(), signal.SIGKILL)
