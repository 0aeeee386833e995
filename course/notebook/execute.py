"""A notebook run in a kernel of its own, as far as it goes: the same one with its real outputs."""

import asyncio
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from course.base.errors import UserError
from course.base.i18n import _
from course.notebook.cells import generated
from course.notebook.library import nbformat

if TYPE_CHECKING:
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient

NAME = "course"
"""What the kernel is called while it runs."""


def executed(
    text: str, command: Sequence[str], variables: Mapping[str, str], timeout: float
) -> str:
    """Return the text of a notebook after its cells have run, up to the first that fails.

    The looks are left out: they are for the learner. `command` starts the kernel, with
    `{connection_file}` where the name of that file goes, and `variables` in its environment;
    `timeout` are the seconds that a cell may take. The cells run in an empty folder.

    Raises:
        UserError: there is no such kernel, it was lost, a cell took too long, or it is one of
            ours that failed.

    """
    try:
        import ipykernel  # noqa: F401
        from jupyter_core.utils import run_sync
        from nbclient import NotebookClient
    except ImportError as error:
        message = _("{name} is not installed: run {command}.")
        needed = "`pip install nbclient ipykernel`"
        raise UserError(message.format(name="`nbclient`", command=needed)) from error
    notebook: Any = nbformat.reads(text, as_version=nbformat.NO_CONVERT)  # type: ignore[no-untyped-call]
    with TemporaryDirectory(prefix="course-kernel-") as name, _explained(command[0], timeout):
        manager = _manager(Path(name, "kernels"), command)
        client = NotebookClient(notebook, km=manager, timeout=int(timeout), record_timing=False)
        place = Path(name, "work")
        place.mkdir()
        try:
            _run(client, str(place), {**os.environ, **variables})
        finally:
            run_sync(_stop)(client, manager)
    done: str = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    return done.rstrip("\n") + "\n"


@contextmanager
def _explained(python: str, timeout: float) -> Iterator[None]:
    """Say in a sentence what became of the kernel."""
    from nbclient.exceptions import CellTimeoutError

    try:
        yield
    except CellTimeoutError as error:
        message = _("A cell of the notebook ran for more than {n} seconds, so it was stopped.")
        raise UserError(message.format(n=int(timeout))) from error
    except RuntimeError as error:
        # A kernel that died raises the same error, early or late, whatever the cause.
        message = _("The kernel of {python} was lost: make sure that {package} is installed there.")
        raise UserError(message.format(python=f"`{python}`", package="`ipykernel`")) from error


def _run(client: "NotebookClient", folder: str, environment: dict[str, str]) -> None:
    """Run the cells in their order; the first that fails is the last."""
    # What the kernel itself has to say is for those who develop it.
    with (
        open(os.devnull, "w") as nowhere,
        client.setup_kernel(cwd=folder, env=environment, stderr=nowhere),
    ):
        for index, cell in enumerate(client.nb.cells):
            kind = generated.kind(cell.metadata, cell.source)
            if cell.cell_type == "code" and kind != "look" and not _runs(client, index, kind):
                break
        client.set_widgets_metadata()


def _runs(client: "NotebookClient", index: int, kind: generated.CellKind | None) -> bool:
    """Run one cell; whether it has not failed.

    Raises:
        UserError: it is one of ours that has.

    """
    from nbclient.exceptions import CellExecutionError

    try:
        client.execute_cell(client.nb.cells[index], index)
    except CellExecutionError as error:
        if kind is not None:
            message = _("The notebook's first cell failed: {reason}.")
            raise UserError(message.format(reason=f"{error.ename}: {error.evalue}")) from error
        return False
    return True


async def _stop(client: "NotebookClient", manager: "AsyncKernelManager") -> None:
    """End the kernel, in whatever it was interrupted."""
    waiting = asyncio.all_tasks() - {asyncio.current_task()}
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    if client.kc is not None:
        client.kc.stop_channels()
    if manager.has_kernel:
        await manager.shutdown_kernel(now=True)


def _manager(folder: Path, command: Sequence[str]) -> "AsyncKernelManager":
    """Make what starts the kernel; the user's Jupyter settings don't change which one it is."""
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager

    described = {"argv": list(command), "display_name": NAME, "language": "python"}
    place = folder / NAME
    place.mkdir(parents=True)
    (place / "kernel.json").write_text(json.dumps(described), "utf-8")
    specs = KernelSpecManager(kernel_dirs=[str(folder)], ensure_native_kernel=False)
    return AsyncKernelManager(kernel_name=NAME, kernel_spec_manager=specs)
