"""Real kernels of Jupyter's, each of one framework's runtime, that run the cells of a notebook."""

import html
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

# First, so that what follows loads as fast.
from course.notebook.library import nbformat  # isort: skip
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbclient.util import run_sync

from tests.command import CLEAN, course

WAIT = 300
"""Seconds that a cell may take."""


class Client(NotebookClient):
    """Interrupts the kernel as soon as it displays the text `until`, while there is one."""

    until = ""

    def output(self, outs: list[Any], msg: Any, display_id: Any, cell_index: int) -> Any:
        if self.until and self.until in str(msg["content"].get("data", "")):
            os.kill(self.km.provisioner.pid, signal.SIGINT)
        return super().output(outs, msg, display_id, cell_index)


class Kernel:
    """A kernel that is running; `run` executes one cell and gives its outputs.

    The cell is interrupted once it has displayed the text `until`, if one is given.
    """

    def __init__(self, client: Client) -> None:
        self._client = client

    def restart(self) -> None:
        """Begin anew, as a learner does with the menu's `Restart`."""
        run_sync(self._client.km.restart_kernel)(now=True)
        run_sync(self._client.kc.wait_for_ready)(timeout=WAIT)

    def run(self, source: str, *, until: str = "") -> list[Any]:
        self._client.until = until
        cells = self._client.nb.cells
        cells.append(nbformat.v4.new_code_cell(source))
        with suppress(CellExecutionError):
            self._client.execute_cell(cells[-1], len(cells) - 1)
        return list(cells[-1].outputs)


@contextmanager
def started(framework: str, folder: Path, **variables: str) -> Iterator[Kernel]:
    """Find the kernel of a framework's runtime, as `course runtime kernel` makes it known."""
    data = folder / "jupyter"
    done = course("runtime", "kernel", framework, JUPYTER_DATA_DIR=str(data))
    assert done.returncode == 0, done.stderr
    before = dict(os.environ)
    os.environ["JUPYTER_DATA_DIR"] = str(data)
    os.environ.pop("PYTHONPATH", None)
    try:
        client = Client(
            nbformat.v4.new_notebook(),
            kernel_name=f"course-{framework}",
            timeout=WAIT,
            resources={"metadata": {"path": str(folder)}},
        )
        with client.setup_kernel(env={**CLEAN, **variables}):
            yield Kernel(client)
    finally:
        os.environ.clear()
        os.environ |= before


def error(outputs: list[Any]) -> str | None:
    """Name the exception that a cell ended with, as Jupyter shows it."""
    return next((o.ename for o in outputs if o.output_type == "error"), None)


def pages(outputs: list[Any], form: str = "text/plain") -> list[str]:
    """Return what `course` has displayed."""
    bundles = [o.data for o in outputs if o.output_type == "display_data"]
    return [
        html.unescape(bundle[form])
        for bundle in bundles
        if 'role="note"' in bundle.get("text/html", "")
    ]
