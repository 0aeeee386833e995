"""Listening to a training in several processes, under `accelerate`.

Only the main process tells; what the others would say is the same, or shows in what it says.
"""

import functools
import os
import socket
import sys
import tempfile
from collections.abc import Callable
from types import ModuleType
from typing import Any

from course_probe.hooks import Failed
from course_probe.journal import Journal, Stopped


class Share:
    """What one process has of a training that several share."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.made = 0
        self.processes = 1
        self.gathers = 0
        self._inside = 0
        self._windows: list[float] = []
        self._sent = 0.0
        self._backwards = {"accelerator": 0, "own": 0}
        self._from = 0

    def backward(self, compute: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Backpropagate by way of the accelerator."""
        self._inside += 1
        try:
            return compute(*arguments, **named)
        finally:
            self._inside -= 1

    def propagating(self, loss: Any) -> None:
        """A loss is sent backward, by whichever way."""
        if self._journal.looking or self._journal.trainer or getattr(loss, "numel", int)() != 1:
            return
        self._backwards["accelerator" if self._inside else "own"] += 1
        self._sent += float(loss.detach())

    def stepped(self, losses: list[Any]) -> None:
        """The optimizer has stepped: what was sent backward for it, beside the mean loss."""
        # Another training has begun where there are fewer than there were.
        first = self._from if self._from <= len(losses) else 0
        window = [float(loss) for loss in losses[first:]]
        self._from = len(losses)
        mean = sum(window) / len(window) if window else 0.0
        if mean:
            self._windows.append(self._sent / mean)
        self._sent = 0.0

    def figures(self) -> dict[str, float]:
        """How the work is shared out."""
        seen = self._windows[1:]
        return {
            "accelerators": float(self.made),
            "processes": float(self.processes),
            "gradient_factor": sum(seen) / len(seen) if seen else 1.0,
            "accelerator_backwards": float(self._backwards["accelerator"]),
            "own_backwards": float(self._backwards["own"]),
            "gathers": float(self.gathers),
        }


def listen(module: ModuleType, journal: Journal, failed: Failed) -> None:
    """Hear of what an accelerator is asked to do."""
    kind = module.Accelerator
    share = journal.ears.setdefault("share", Share(journal))
    plain_init, plain_backward = kind.__init__, kind.backward

    @functools.wraps(plain_init)
    def made(accelerator: Any, *arguments: Any, **named: Any) -> None:
        plain_init(accelerator, *arguments, **named)
        if not journal.trainer:
            share.made += 1
            share.processes = int(accelerator.num_processes)

    @functools.wraps(plain_backward)
    def backward(*arguments: Any, **named: Any) -> Any:
        return share.backward(plain_backward, *arguments, **named)

    kind.__init__, kind.backward = made, backward
    for name in ("gather", "gather_for_metrics", "reduce"):
        _count(kind, name, share, journal)
    tensor = sys.modules["torch"].Tensor
    plain = tensor.backward

    @functools.wraps(plain)
    def propagate(loss: Any, *arguments: Any, **named: Any) -> Any:
        share.propagating(loss)
        return plain(loss, *arguments, **named)

    tensor.backward = propagate


def _count(kind: Any, name: str, share: Share, journal: Journal) -> None:
    plain = getattr(kind, name)

    @functools.wraps(plain)
    def called(*arguments: Any, **named: Any) -> Any:
        share.gathers += not journal.looking
        return plain(*arguments, **named)

    setattr(kind, name, called)


def listen_launchers(module: ModuleType, journal: Journal, failed: Failed) -> None:
    """Listen in the processes that a script starts of itself, from a function."""
    for name in ("notebook_launcher", "debug_launcher"):
        launched = _launched(getattr(module, name), journal, failed)
        for where in (module, sys.modules.get("accelerate")):
            if where is not None and hasattr(where, name):
                setattr(where, name, launched)


def _launched(launcher: Callable[..., Any], journal: Journal, failed: Failed) -> Callable[..., Any]:
    @functools.wraps(launcher)
    def launch(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        descriptor, told = tempfile.mkstemp()
        os.close(descriptor)

        @functools.wraps(function)
        def heard(*given: Any) -> Any:
            if not journal.is_shared:
                journal.divert(told)
            try:
                result = function(*given)
            except Stopped:
                journal.write("stopped")
                raise
            except Exception as error:
                journal.in_worker = True
                failed(error)
                journal.let_main_process_tell()
                raise
            else:
                journal.finish()
            finally:
                journal.tell_last_figures()
            return result

        if launcher.__name__ == "notebook_launcher" and len(arguments) < 4:
            # Two runs at once would meet at the one port that it takes by default.
            named.setdefault("use_port", str(_free_port()))
        journal.tell_last_figures()
        try:
            return launcher(heard, *arguments, **named)
        finally:
            # A notebook hears its processes only now; a script's write where it does itself.
            journal.replay(told)
            os.unlink(told)

    return launch


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
