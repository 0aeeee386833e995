"""Hook a training loop written by hand: the steps of its optimizer, and the gradients.

Where a Trainer trains, it reports the training itself (`trainer.py`), and this only measures.
"""

import time
import weakref
from collections.abc import Callable
from types import ModuleType
from typing import Any

from course_probe.event_log import EventLog
from course_probe.events import LossEvent, StepEvent, TrainedEvent, TrainEvent
from course_probe.guard import noted
from course_probe.hooks.measure import count_examples, count_labels, count_outputs
from course_probe.hooks.torch.dataloader import DataloaderHooks, count_batches
from course_probe.hooks.torch.distributed import DistributedHooks
from course_probe.hooks.torch.forward import ForwardHooks
from course_probe.hooks.torch.lr_schedule import LrScheduleHooks
from course_probe.hooks.torch.trainer import TrainerHooks
from course_probe.hooks.vitals import VitalsHooks
from course_probe.vital_signs.optimization.gradients import rate_of
from course_probe.vital_signs.series import since, total

POINTS_A_PASS = 66
"""Points of the loss for one pass over the data: a hand-written loop does not say how many passes
there will be; the course's own makes three."""
ENOUGH = 60
"""Steps before figures of the learning rate are written."""
MOST_POINTS = 300
"""Points of the loss that are written one after the other; from there on ever fewer."""
CLOSELY, SELDOM = 300, 7
"""Steps that are all looked at closely, and after them the gradients of every how many."""
LONG, RARELY = 2000, 49
"""The same, after so many steps."""
QUICK, MOST_SKIPPED = 0.01, 32
"""Seconds from one look to the next at what is written, and the most steps that may go by."""


class TrainingLoopHooks:
    """One script's own training loop; `steps` are those of its optimizer so far."""

    def __init__(
        self,
        log: EventLog,
        trainer: TrainerHooks,
        forward: ForwardHooks,
        dataloader: DataloaderHooks,
        lr_schedule: LrScheduleHooks,
        distributed: DistributedHooks,
        vitals: VitalsHooks,
    ) -> None:
        self._log = log
        self._vitals = vitals
        self._trainer = trainer
        # A step by hand before a Trainer's training is over when that begins.
        self._trainer.at_begin.insert(0, self.finish)
        self._forward = forward
        self._dataloader = dataloader
        self._dataloader.at_pass.append(lambda _loader: self._end_pass())
        self._lr_schedule = lr_schedule
        self._lr_schedule.at_step.append(self._look_ahead)
        self._known: dict[str, float] = {}
        self._ends: dict[str, float] = {}
        self._distributed = distributed
        self._distributed.at_end.append(self.finish)
        self.steps = 0
        self._loader: Callable[[], Any] = _nothing
        self._batches: int | None = None
        self._began = self._cpu = 0.0
        self._optimizer: Callable[[], Any] = _nothing
        self._is_training = False
        self._every = 1
        self._cleared_before = vitals.clears
        self._rate: float | None = None
        self._next_look = self._gap = self._next_gradient = 1
        self._looked_at = 0.0
        self._left_over = LeftOver()
        self._weight: Callable[[], Any] = _nothing
        self._awaited: Any = None
        self._zero_rate = 0
        self._written_losses = self._points = 0
        self._examples = 0
        self._pass_began = 0

    def hook(self, module: ModuleType) -> None:
        """Observe each step of any optimizer of `torch.optim.optimizer`.

        See https://docs.pytorch.org/docs/stable/optim.html, `register_optimizer_step_pre_hook`.
        """

        def before_step(optimizer: Any, _arguments: Any, _named: Any) -> None:
            noted(self._step, optimizer)

        module.register_optimizer_step_pre_hook(before_step)

    def _step(self, optimizer: Any) -> None:
        """Take in what an optimizer is about to step with."""
        if self._log.looking or self._trainer.is_active or self._forward.model is None:
            return
        loader = self._dataloader.current
        if loader is not self._loader():
            self._loader = weakref.ref(loader) if loader is not None else _nothing
            self._batches = count_batches(loader)
        if optimizer is not self._optimizer() or not self._is_training:
            self._begin(optimizer)
        self.steps = steps = self.steps + 1
        if steps >= self._next_gradient:
            self._await_gradient()
        self._rate = rate = rate_of(optimizer, first=True)
        if rate is not None:
            self._lr_schedule.note_rate(rate)
            self._zero_rate = self._zero_rate + 1 if rate <= 0.0 else 0
        if self._distributed.is_hooked:
            self._distributed.count_step(self._forward.losses)
        if steps % self._every == 0:
            self._write_loss()
        if steps >= self._next_look:
            self._plan_look()
            self._write_progress()

    def _plan_look(self) -> None:
        """Have the steps of a small network go by, some at a time, once it has made many."""
        now = time.monotonic()
        is_quick = self.steps > CLOSELY and now - self._looked_at < QUICK
        self._gap = min(MOST_SKIPPED, 2 * self._gap) if is_quick else max(1, self._gap // 2)
        self._looked_at, self._next_look = now, self.steps + self._gap

    def _write_progress(self) -> None:
        """Write what is known by now, unless that was just done; leave if no more is wanted."""
        planned = self._lr_schedule.planned
        if planned is not None:
            # Only a schedule knows how many steps there are to be.
            epoch = self._forward.examples / self._examples if self._examples else 0.0
            step = StepEvent(event="step", step=self.steps, of=planned, epoch=epoch)
            self._log.write_seldom(step, every=0.2)
        if self.steps >= ENOUGH:
            self._write_figures()
        else:
            self._look_ahead()
        self._log.check_stop(every=0.02)

    def _begin(self, optimizer: Any) -> None:
        """Begin a training, at the first step of an optimizer."""
        self._optimizer, self.steps = weakref.ref(optimizer), 0
        self._is_training = True
        self._known, self._ends = {}, {}
        self._left_over, self._cleared_before, self._zero_rate = LeftOver(), self._vitals.clears, 0
        self._next_look = self._gap = self._next_gradient = 1
        self._lr_schedule.begin_training()
        self._pass_began = self._written_losses = self._points = 0
        self._forward.begin_training()
        self._began, self._cpu = time.perf_counter(), time.process_time()
        dataset = getattr(self._loader(), "dataset", None)
        self._examples = count_examples(dataset) or 0
        self._every = max(1, (self._batches or 0) // POINTS_A_PASS)
        model = self._forward.model
        labels = count_labels(dataset)
        self._log.write(
            TrainEvent(
                event="train",
                examples=count_examples(dataset),
                batch_size=self._forward.batch_size,
                learning_rate=rate_of(optimizer, first=True),
                num_labels=getattr(getattr(model, "config", None), "num_labels", None),
                labels=labels,
                device=getattr(getattr(model, "device", None), "type", None),
                optimizer=type(optimizer).__name__,
            )
        )
        self._log.write_figures(count_outputs(model, labels, count_examples(dataset)))
        self._watch_gradients(optimizer)

    def _watch_gradients(self, optimizer: Any) -> None:
        """Watch the smallest weight that learns: is its gradient empty when a new one comes?"""
        if self._awaited is not None:
            self._awaited.remove()
            self._awaited = None
        weights = [w for g in optimizer.param_groups for w in g["params"] if w.requires_grad]
        weight = min(weights, key=lambda w: w.numel(), default=None)
        self._weight = weakref.ref(weight) if weight is not None else _nothing

    def _await_gradient(self) -> None:
        """Set a hook for the first gradient since a step; one that stays would cost more."""
        weight = self._weight()
        every = RARELY if self.steps >= LONG else SELDOM if self.steps > CLOSELY else 1
        self._next_gradient = self.steps + every
        if self._awaited is not None or weight is None or not weight.requires_grad:
            return

        reference = weakref.ref(weight)

        def arriving(gradient: Any) -> None:
            noted(note, reference(), gradient)

        def note(weight: Any, gradient: Any) -> None:
            if self._log.looking or self._awaited is None or gradient is None or weight is None:
                # A function of the script's own may give none.
                return
            self._awaited.remove()
            self._awaited = None
            before = 0.0 if weight.grad is None else float(weight.grad.norm())
            new = float(gradient.norm())
            if before + new > 0:
                self._left_over.add(before / (before + new))

        # A network may be saved while this waits: PyTorch would warn of a hook that it can't save.
        arriving.__torch_unserializable__ = True  # type: ignore[attr-defined]
        self._awaited = weight.register_hook(arriving)

    def _write_loss(self) -> None:
        losses = since(self._forward.losses, self._written_losses)
        if losses:
            self._written_losses = total(self._forward.losses)
            self._points += 1
            if self._points == MOST_POINTS:
                self._points, self._every = MOST_POINTS // 2, 2 * self._every
            mean = sum(float(loss) for loss in losses) / len(losses)
            self._log.write(LossEvent(event="loss", step=self.steps, mean=f"{mean:.6g}"))

    def _gradient_figures(self) -> dict[str, float]:
        return {
            "zero_grad_calls": float(self._vitals.clears - self._cleared_before),
            "gradient_left_over": self._left_over.mean,
        }

    def _write_figures(self, *, final: bool = False) -> None:
        if self._left_over.seen:
            self._vitals.left_over = self._left_over.mean
        self._look_ahead()
        self._log.measure("loop", 0.0 if final else 0.1, self._known)

    def _look_ahead(self) -> None:
        """Take in what would be written if this were the end.

        What a function has made is gone once it returns: its optimizer, its schedule.
        """
        optimizer = self._optimizer()
        if self._is_training and optimizer is not None and self.steps:
            self._known = self._figures()
            self._ends = self._lr_schedule.end_figures(self.steps, optimizer)

    def _figures(self) -> dict[str, float]:
        found = {**self._gradient_figures(), **self._distributed.figures()}
        if self._rate is None:
            return found
        return {
            **found,
            "zero_rate_steps": float(self._zero_rate),
            **self._lr_schedule.figures(
                self._rate,
                self.steps,
                self._batches,
                self._forward.examples / self._examples if self._examples else None,
                self._optimizer(),
            ),
        }

    def _end_pass(self) -> None:
        """Measure how much of the data this process was given in the pass that is over."""
        seen = self._forward.examples - self._pass_began
        self._pass_began = self._forward.examples
        if seen and self._examples:
            prepared = self._dataloader.is_prepared(self._loader())
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
        optimizer = self._optimizer()
        if optimizer is not None:
            self._rate = rate_of(optimizer, first=True)
        self._write_figures(final=True)
        if not self._log.is_stop_requested():
            self._log.write_figures(self._ends)
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


class LeftOver:
    """How much of a gradient was there before a new one came, as a mean of shares.

    Not of the first two: they may be of what the script has tried out before its training.
    """

    def __init__(self) -> None:
        self._sum = 0.0
        self._added = 0

    def add(self, share: float) -> None:
        """Take in one step's."""
        self._added += 1
        if self._added > 2:
            self._sum += share

    @property
    def seen(self) -> int:
        """Return the number of steps that count."""
        return max(0, self._added - 2)

    @property
    def mean(self) -> float:
        """Return the mean; 0 before any step that counts."""
        return self._sum / self.seen if self.seen else 0.0
