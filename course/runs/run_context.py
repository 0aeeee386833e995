"""Where runs take place: interpreter, hub, device, and a warm process or none."""

import threading
from dataclasses import dataclass, replace
from functools import partial

from course.base import log
from course.base.errors import UserError
from course.base.schema import refused
from course.runs import process
from course.runs.conversation import Ask, Converse, FrameLook
from course.runs.environment import runtime as runtimes
from course.runs.environment.runtime import Runtime
from course.runs.hub import ONLINE, Hub
from course.runs.process import Enough, Job, Listener, Run
from course.runs.record import HubKind
from course.runs.warm_pool import Warm

DEVICES = ("cpu", "cuda")


def check_device(name: str | None) -> None:
    """Make sure that there is such a kind of device; no name at all is right.

    Raises:
        UserError: there is none; names the nearest.

    """
    if name is not None and name not in DEVICES:
        raise UserError(refused("--device", name, DEVICES))


@dataclass(frozen=True)
class RunContext:
    """Interpreter, hub, the device that the user has chosen, and the seconds a run may take.

    Without a `chosen` device (`cpu` or `cuda`) lessons run on the CPU, where tiny models are
    quicker and runs begin warm, except for steps that are about a GPU; a script of the user's own
    runs where it would. `warm` is where to find a process with the imports done, None to begin each
    run from cold.
    """

    runtime: Runtime
    hub: Hub
    chosen: str | None = None
    timeout: float = process.TIMEOUT
    warm: Warm | None = None

    @property
    def device(self) -> str:
        """Return where a run takes place that asks for no device itself: `cpu` or `cuda`."""
        return self.chosen or "cpu"

    def offers(self, device: str | None) -> bool:
        """Tell whether what needs this device can run here; asks the framework for a GPU once."""
        if device != "cuda":
            return True
        return self.chosen == "cuda" or (self.chosen is None and runtimes.cuda(self.runtime) > 0)

    @property
    def online(self) -> bool:
        """Whether models and data are those of the real hub."""
        return self.hub.name == ONLINE

    def run(
        self,
        job: Job,
        listen: Listener | None = None,
        device: str | None = None,
        cancelled: threading.Event | None = None,
        enough: Enough | None = None,
        converse: Converse | None = None,
    ) -> Run:
        """Run a job here, or on another `device` of this place; see `process.run`."""
        hub: HubKind = "online" if self.online else "embedded"

        def tell_hub(converse: Converse, ask: Ask) -> str | FrameLook | None:
            return converse(replace(ask, record=replace(ask.record, hub=hub)))

        done = process.run(
            self.runtime,
            job,
            environment={**self.hub.environment, **self.hub.pace},
            device=device or self.chosen,
            timeout=self.timeout,
            listen=listen,
            warm=self.warm,
            cancelled=cancelled,
            enough=enough,
            converse=partial(tell_hub, converse) if converse is not None else None,
        )
        for trace in done.record.own_failures:
            log.logger("probe").error("what watches a script has failed:\n%s", trace)
        if done.record.ended_by_us and job.in_place is None:
            raise RuntimeError("what watches the script has failed, and has ended it")
        return replace(done, record=replace(done.record, hub=hub))
