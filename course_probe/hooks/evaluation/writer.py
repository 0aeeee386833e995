"""Write what a loop by hand comes to in one evaluation."""

from collections.abc import Mapping
from typing import Any

from course_probe.event_log import EventLog
from course_probe.events import EvaluateEvent
from course_probe.hooks.torch.distributed import DistributedHooks
from course_probe.hooks.torch.training_loop import TrainingLoopHooks
from course_probe.lengths import length


class EvaluationWriter:
    """Writes the evaluations of one script, with the step after which each was made."""

    def __init__(
        self, log: EventLog, distributed: DistributedHooks, training_loop: TrainingLoopHooks
    ) -> None:
        self._log = log
        self._distributed = distributed
        self._training_loop = training_loop

    def write(
        self,
        values: dict[str, Any],
        labels: Mapping[str, int],
        dataset: Any,
        *,
        rows: int | None = None,
    ) -> None:
        """Write the `values`, how often each label was scored, and which share of the data.

        `rows` is how many examples were scored, where not each has brought its label along.
        """
        rows = sum(labels.values()) if rows is None else rows
        examples = length(dataset)
        if examples:
            share = {"evaluated_share": rows / examples}
            self._log.write_figures({**share, **self._distributed.figures()})
        self._log.write(
            EvaluateEvent(
                event="evaluate",
                step=self._training_loop.steps,
                values=values,
                examples=rows,
                labels=dict(labels),
            )
        )
