"""Hook a training in several processes, under `accelerate`.

Only the main process writes; what the others would write is the same, or shows in what it writes.
"""

import functools
import glob
import json
import os
import socket
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from course_probe.event_log import EventLog, Stopped
from course_probe.events import StoppedEvent
from course_probe.guard import noted
from course_probe.hooks.torch.trainer import TrainerHooks
from course_probe.hooks.wrap import ReportFailure
from course_probe.vital_signs.series import Spread, since, total

ACCELERATOR = "accelerate.accelerator"
CALLS = 16
"""Calls that lie, at most, between an accelerator and the hook of what is sent backward."""


class DistributedHooks:
    """The part of one process in a training of several.

    `at_end` is called when it is over, `at_step` before each step of the optimizer. It `is_hooked`
    once there is `accelerate`.
    """

    def __init__(self, log: EventLog, trainer: TrainerHooks, report: ReportFailure) -> None:
        self._log = log
        self._trainer = trainer
        self._report = report
        self.at_end: list[Callable[[], None]] = []
        self.at_step: list[Callable[[], None]] = []
        self.is_hooked = False
        self.first_rows: Callable[[], list[int]] = list
        self.gathered_match = 1.0
        self._gathers = 0
        self._factors = Spread()
        self._sent = 0.0
        self._backwards = {"accelerator": 0, "own": 0}
        self._seen_losses = 0

    @property
    def _state(self) -> Any:
        """Return what all accelerators of this process share; nothing in it before the first."""
        state = sys.modules.get("accelerate.state")
        return state.AcceleratorState._shared_state if state is not None else {}

    @property
    def processes(self) -> int:
        """Return how many processes train together."""
        return int(self._state.get("num_processes", 1))

    def count_gather(self) -> None:
        """Count what the processes put together."""
        self._gathers += not self._log.looking

    def count_backward(self, loss: Any) -> None:
        """Count a loss that is sent backward, by an accelerator or without it."""
        is_scalar = self.is_hooked and getattr(loss, "numel", int)() == 1
        if is_scalar and not self._log.looking and not self._trainer.is_active:
            self._backwards["accelerator" if _is_by_accelerator() else "own"] += 1
            self._sent += float(loss.detach())

    def count_step(self, losses: list[Any]) -> None:
        """Compare the losses sent backward for a step of the optimizer with their mean.

        `losses` are all of the training so far, scalars.
        """
        for call in self.at_step:
            call()
        # Another training has begun where there are fewer than there were.
        first = self._seen_losses if self._seen_losses <= total(losses) else 0
        window = [float(loss) for loss in since(losses, first)]
        self._seen_losses = total(losses)
        mean = sum(window) / len(window) if window else 0.0
        if mean:
            self._factors.append(self._sent / mean)
        self._sent = 0.0

    def figures(self) -> dict[str, float]:
        """Return how the work is divided among the processes; nothing without `accelerate`."""
        if not self.is_hooked:
            return {}
        factors = self._factors[1:]
        return {
            "accelerators": float(bool(self._state)),
            "processes": float(self.processes),
            "gradient_factor": sum(factors) / len(factors) if factors else 1.0,
            "accelerator_backwards": float(self._backwards["accelerator"]),
            "own_backwards": float(self._backwards["own"]),
            "gathers": float(self._gathers),
            "gathered_match": self.gathered_match,
        }

    def hook_launchers(self, module: ModuleType) -> None:
        """Write events of the processes that a script starts by `accelerate.launchers`."""
        for name in ("notebook_launcher", "debug_launcher"):
            launcher = self._wrap_launcher(getattr(module, name))
            for where in (module, sys.modules.get("accelerate")):
                if where is not None and hasattr(where, name):
                    setattr(where, name, launcher)

    def _wrap_launcher(self, launcher: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(launcher)
        def launch(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
            descriptor, events = tempfile.mkstemp()
            os.close(descriptor)
            if launcher.__name__ == "notebook_launcher" and len(arguments) < 4:
                # Two runs at once would meet at the one port that it takes by default.
                named.setdefault("use_port", str(_free_port()))
            try:
                return launcher(self._wrap_worker(function, events), *arguments, **named)
            finally:
                # A notebook gets its processes' events only now; a script's write into its own log.
                self._log.replay(events)
                os.unlink(events)
                noted(self._compare_rows, events)

        return launch

    def _compare_rows(self, events: str) -> None:
        """Compare the rows that the processes have begun with: each has its part of an epoch."""
        kept = sorted(glob.glob(glob.escape(events) + ".*"))
        rows = [{*json.loads(Path(each).read_text())} for each in kept]
        for each in kept:
            os.unlink(each)
        if len(rows) > 1 and rows[0]:
            shared = max(len(rows[0] & others) for others in rows[1:]) / len(rows[0])
            self._log.write_figures({"rows_shared": shared}, lasting=True)

    def _wrap_worker(self, function: Callable[..., Any], events: str) -> Callable[..., Any]:
        @functools.wraps(function)
        def work(*given: Any) -> Any:
            if not self._log.is_shared:
                self._log.divert(events)
            try:
                result = function(*given)
            except Stopped:
                self._log.write(StoppedEvent(event="stopped"))
                raise
            except Exception as error:
                noted(self._report, error, worker=True)
                self._log.yield_to_main_process()
                raise
            else:
                for call in self.at_end:
                    noted(call)
                place = f"{events}.{os.environ.get('RANK', '0')}"
                noted(Path(place).write_text, json.dumps(self.first_rows()))
            return result

        return work


def _is_by_accelerator() -> bool:
    """Return whether a loss is sent backward by an accelerator, a few calls above this one."""
    frame: FrameType | None = sys._getframe(1)
    for _ in range(CALLS):
        if frame is None:
            break
        if frame.f_code.co_name == "backward" and frame.f_globals.get("__name__") == ACCELERATOR:
            return True
        frame = frame.f_back
    return False


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
