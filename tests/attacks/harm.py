"""Looking, from outside of the box, for what an attack may have brought about."""

import contextlib
import glob
import os
import socket
import sqlite3
import subprocess
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.attacks.catalogue import Attack


@dataclass
class Watch:
    """What stands outside of the box, and what is looked for there after the grading."""

    places: dict[str, str]
    gradebook: Path
    arrived: set[int] = field(default_factory=set)
    beside: "subprocess.Popen[bytes] | None" = None

    def found(self, attack: Attack, said: str) -> list[str]:
        """What the attack has brought about; nothing, if all is well. `said` is its grade."""
        harms = attack.harms
        found = [path for path in harms.files if os.path.lexists(self._real(path))]
        for content in harms.contents:
            for path in glob.glob(self._real(content.file), recursive=True):
                if os.path.isfile(path) and content.word.encode() in Path(path).read_bytes():
                    found.append(f"{path} holds {content.word}")
        found += [name for name in harms.tables if name in self._tables()]
        found += [word for word in harms.words if word in said]
        found += [mark for mark in harms.processes if _runs(mark)]
        found += [f"port {port}" for port in harms.ports if port in self.arrived]
        found += [f"listener {port}" for port in harms.listeners if _listens(port)]
        found += [name for name in harms.sockets if _listens(name.replace("@", "\0", 1))]
        keys = Path("/proc/keys").read_text() if os.path.exists("/proc/keys") else ""
        found += [key for key in harms.keys if key in keys]
        if harms.alive and (self.beside is None or self.beside.poll() is not None):
            found.append("a process beside it is dead")
        return found

    def _real(self, path: str) -> str:
        for name, place in self.places.items():
            path = path.replace(name, place)
        return path

    def _tables(self) -> set[str]:
        with sqlite3.connect(f"file:{self.gradebook}?mode=ro", uri=True) as db:
            return {name for (name,) in db.execute("SELECT name FROM sqlite_master")}


def _runs(mark: str) -> bool:
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if mark.encode() in entry.read_bytes():
                return True
    return False


def _listens(address: int | str) -> bool:
    family = socket.AF_INET if isinstance(address, int) else socket.AF_UNIX
    with socket.socket(family) as line:
        line.settimeout(1)
        return line.connect_ex(("127.0.0.1", address) if isinstance(address, int) else address) == 0


@contextlib.contextmanager
def listening(ports: Iterable[int], arrived: set[int]) -> Iterator[None]:
    """Listen on ports of this machine, and note at which of them anything arrives."""
    over = threading.Event()
    with contextlib.ExitStack() as held:
        for port in ports:
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                line = held.enter_context(socket.socket(socket.AF_INET, kind))
                line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                line.settimeout(0.2)
                line.bind(("0.0.0.0", port))
                if kind == socket.SOCK_STREAM:
                    line.listen()
                listener = threading.Thread(target=_listen, args=(line, port, arrived, over))
                listener.start()
                held.callback(listener.join)
        held.callback(over.set)
        yield


def _listen(line: socket.socket, port: int, arrived: set[int], over: threading.Event) -> None:
    while not over.is_set():
        with contextlib.suppress(TimeoutError):
            if line.type == socket.SOCK_STREAM:
                line.accept()[0].close()
            else:
                line.recv(1)
            arrived.add(port)
