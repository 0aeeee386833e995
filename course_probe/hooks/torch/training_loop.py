"""Hook a training loop written by hand: the steps of its optimizer.

Where a Trainer trains, it reports the training itself (`trainer.py`), and this only measures.
"""

import time
import weakref
from collections.abc import Callable
from typing import Any

from course_probe.event_log import EventLog
from course_probe.events import LossEvent, TrainedEvent, TrainEvent
from course_probe.hooks.measure import count_labels, count_outputs
from course_probe.hooks.torch.dataloader import DataloaderHooks
from course_probe.hooks.torch.distributed import DistributedHooks
from course_probe.hooks.torch.forward import ForwardHooks
from course_probe.hooks.torch.trainer import TrainerHooks
from course_probe.lengths import length
from course_probe.vital_signs.series import is_told, since, total
from course_probe.vital_signs.steps import rate_of

POINTS_A_PASS = 66
"""Points of the loss for one pass over the data: a hand-written loop does not say how many passes
there will be; the course's own makes three."""
ENOUGH = 60
"""Steps before figures are written."""
MOST_POINTS = 300
"""Points of the loss that are written one after the other; from there on ever fewer."""


class TrainingLoopHooks:
    """One script's own training loop; `steps` are those of its optimizer so far."""

    def __init__(
        self,
        log: EventLog,
        trainer: TrainerHooks,
        forward: ForwardHooks,
        dataloader: DataloaderHooks,
        distributed: DistributedHooks,
    ) -> None:
        self._log = log
        self._trainer = trainer
        # A step by hand before a Trainer's training is over when that begins.
        self._trainer.at_begin.insert(0, self.finish)
        self._forward = forward
        self._dataloader = dataloader
        self._dataloader.at_pass.append(self._end_pass)
        self._distributed = distributed
        self._distributed.at_end.append(self.finish)
        self.steps = 0
        self._began = self._cpu = 0.0
        self._optimizer: Callable[[], Any] = _nothing
        self._is_training = False
        self._every = 1
        self._written_losses = self._points = 0
        self._examples = 0
        self._pass_began = 0

    def note_step(self, optimizer: Any) -> None:
        """Take in what an optimizer is about to step with."""
        if self._log.looking or self._trainer.is_active or self._forward.model is None:
            return
        if optimizer is not self._optimizer() or not self._is_training:
            self._begin(optimizer)
        self.steps = steps = self.steps + 1
        if self._distributed.is_hooked:
            self._distributed.count_step(self._forward.losses)
        if steps % self._every == 0:
            self._write_loss()
        if is_told(steps, ENOUGH):
            self._write_figures()
        self._log.check_stop(every=0.02)

    def _begin(self, optimizer: Any) -> None:
        """Begin a training, at the first step of an optimizer."""
        self._optimizer, self.steps = weakref.ref(optimizer), 0
        self._is_training = True
        self._pass_began = self._written_losses = self._points = 0
        self._forward.begin_training()
        self._began, self._cpu = time.perf_counter(), time.process_time()
        dataset = self._dataloader.dataset
        self._examples = length(dataset) or 0
        self._every = max(1, (self._dataloader.batches or 0) // POINTS_A_PASS)
        model = self._forward.model
        labels = count_labels(dataset)
        self._log.write(
            TrainEvent(
                event="train",
                examples=length(dataset),
                batch_size=self._forward.batch_size,
                # A schedule with a warm-up has set the rate of the first step to zero.
                learning_rate=rate_of(optimizer, "initial_lr") or rate_of(optimizer),
                num_labels=getattr(getattr(model, "config", None), "num_labels", None),
                labels=labels,
                device=getattr(getattr(model, "device", None), "type", None),
                optimizer=type(optimizer).__name__,
            )
        )
        self._log.write_figures(count_outputs(model, labels, length(dataset)))

    def _write_loss(self) -> None:
        losses = since(self._forward.losses, self._written_losses)
        if losses:
            self._written_losses = total(self._forward.losses)
            self._points += 1
            if self._points == MOST_POINTS:
                self._points, self._every = MOST_POINTS // 2, 2 * self._every
            mean = sum(float(loss) for loss in losses) / len(losses)
            self._log.write(LossEvent(event="loss", step=self.steps, mean=f"{mean:.6g}"))

    def _write_figures(self) -> None:
        if figures := self._distributed.figures():
            self._log.write_figures(figures)

    def _end_pass(self) -> None:
        """Measure how much of the data this process was given in the pass that is over."""
        seen = self._forward.examples - self._pass_began
        self._pass_began = self._forward.examples
        if seen and self._examples:
            prepared = self._dataloader.is_prepared
            values = {"pass_share": seen / self._examples, "loader_prepared": float(prepared)}
            self._log.write_figures(values)

    def abandon(self) -> None:
        """Give up the training in progress: the next step begins another one."""
        self._is_training = False

    def finish(self) -> None:
        """Write what is left of the training in progress: it has come to its end."""
        if not self._is_training:
            return
        self._end_pass()
        self._forward.write_figures()
        self._write_figures()
        seen = self._forward.examples * self._distributed.processes
        # How much a training that was stopped would have seen is unknown.
        is_known = self._examples and not self._log.is_stop_requested()
        self._log.write(
            TrainedEvent(
                event="trained",
                step=self.steps,
                seconds=round(time.perf_counter() - self._began, 3),
                cpu=round(time.process_time() - self._cpu, 3),
                examples=min(self._examples, seen) if is_known else None,
            )
        )
        self._is_training = False


def _nothing() -> Any:
    """Return None, as a weak reference does whose object is gone."""
