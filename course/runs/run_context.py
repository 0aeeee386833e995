"""Where runs take place: interpreter, hub, device, and a warm process or none."""

import threading
from dataclasses import dataclass, replace

from course.runs import process
from course.runs.conversation import Ask, Converse, FrameLook
from course.runs.environment.runtime import Runtime
from course.runs.hub import ONLINE, Hub
from course.runs.process import Enough, Job, Listener, Run
from course.runs.record import HubKind
from course.runs.warm_pool import Warm


@dataclass(frozen=True)
class RunContext:
    """Interpreter, hub, device (`cpu` or `cuda`), and the seconds a run may take.

    `warm` is where to find a process with the imports done, None to begin each run from cold.
    """

    runtime: Runtime
    hub: Hub
    device: str = "cpu"
    timeout: float = process.TIMEOUT
    warm: Warm | None = None

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
        answer = converse

        def tell_hub(ask: Ask) -> str | FrameLook | None:
            assert answer is not None
            return answer(replace(ask, record=replace(ask.record, hub=hub)))

        done = process.run(
            self.runtime,
            job,
            environment={**self.hub.environment, **self.hub.pace},
            device=device or self.device,
            timeout=self.timeout,
            listen=listen,
            warm=self.warm,
            cancelled=cancelled,
            enough=enough,
            converse=tell_hub if converse is not None else None,
        )
        return replace(done, record=replace(done.record, hub=hub))
