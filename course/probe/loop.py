"""Listening to a training loop written by hand: the steps of its optimizer, and the gradients.

Where a Trainer trains, it tells of the training itself (`trainer.py`), and this only measures.
"""

import functools
import sys
import time
from types import ModuleType
from typing import Any

from course_probe import loaders, schedule
from course_probe.hooks import Failed, head, labels, length
from course_probe.journal import Journal
from course_probe.passes import Passes

POINTS_A_PASS = 66
"""Points of the loss for one pass over the data: a hand-written loop says nowhere how many passes
there will be; the course's own makes three."""
ENOUGH = 60
"""Steps before anything is said of the learning rate."""


class Loop:
    """One script's own training loop."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.passes: Passes = journal.ears.setdefault("passes", Passes(journal))
        self.steps = 0
        self._loaders = loaders.of(journal)
        self._loaders.at_pass.append(self._end_pass)
        self._schedule = schedule.of(journal)
        self._loader: Any = None
        self._began = self._cpu = 0.0
        self._optimizer: Any = None
        self._every = 1
        self._cleared = 0
        self._left_over: list[float] = []
        self._fresh = True
        self._zero_rate = 0
        self._told_losses = 0
        self._examples = 0
        self._pass_began = 0

    def before_step(self, optimizer: Any) -> None:
        """An optimizer is about to step: what it steps with is all there now."""
        if self.journal.looking or self.journal.trainer or self.passes.model is None:
            return
        self._loader = self._loaders.walked
        if optimizer is not self._optimizer:
            self._begin(optimizer)
        self.steps += 1
        self._fresh = True
        rate = _rate(optimizer)
        self._zero_rate = self._zero_rate + 1 if rate <= 0.0 else 0
        share = self.journal.ears.get("share")
        if share is not None:
            share.stepped(self.passes.losses)
        if self.steps % self._every == 0:
            self._tell_loss()
        epoch = self.passes.examples / self._examples if self._examples else 0.0
        planned = self._schedule.planned
        if planned is not None:
            # Only a schedule knows how many steps there are to be.
            self.journal.write_seldom("step", 0.2, step=self.steps, of=planned, epoch=epoch)
        if self.steps >= ENOUGH:
            self._tell_figures(rate)
        self.journal.check_stop()

    def _begin(self, optimizer: Any) -> None:
        """The first step of an optimizer begins a training."""
        self._optimizer, self.steps = optimizer, 0
        self._left_over, self._cleared, self._zero_rate = [], 0, 0
        self._schedule.begin()
        self._pass_began = self._told_losses = 0
        self.passes.begin()
        self._began, self._cpu = time.perf_counter(), time.process_time()
        dataset = getattr(self._loader, "dataset", None)
        self._examples = length(dataset) or 0
        self._every = max(1, (loaders.batches(self._loader) or 0) // POINTS_A_PASS)
        model = self.passes.model
        self.journal.write(
            "train",
            examples=length(dataset),
            batch_size=self.passes.batch_size,
            learning_rate=_rate(optimizer),
            num_labels=getattr(getattr(model, "config", None), "num_labels", None),
            labels=labels(dataset),
            device=getattr(getattr(model, "device", None), "type", None),
            optimizer=type(optimizer).__name__,
        )
        self.journal.write("figures", values=head(model, labels(dataset)))
        self._watch_gradients(optimizer)

    def _watch_gradients(self, optimizer: Any) -> None:
        """Listen to the smallest weight that learns: is its gradient empty when a new one comes?"""
        weights = [w for g in optimizer.param_groups for w in g["params"] if w.requires_grad]
        if not weights:
            return
        weight = min(weights, key=lambda w: w.numel())

        def arriving(gradient: Any) -> None:
            if not self._fresh or self.journal.looking:
                return
            self._fresh = False
            before = 0.0 if weight.grad is None else float(weight.grad.norm())
            new = float(gradient.norm())
            if before + new > 0:
                self._left_over.append(before / (before + new))

        weight.register_hook(arriving)

    def _tell_loss(self) -> None:
        losses = self.passes.losses[self._told_losses :]
        if losses:
            self._told_losses = len(self.passes.losses)
            mean = sum(float(loss) for loss in losses) / len(losses)
            self.journal.write("loss", step=self.steps, mean=f"{mean:.6g}")

    def _tell_figures(self, rate: float, *, final: bool = False) -> None:
        values = {
            "zero_grad_calls": float(self._cleared),
            "gradient_left_over": _mean(self._left_over[2:]),
            "zero_rate_steps": float(self._zero_rate),
            **self._schedule.figures(rate, self.steps, loaders.batches(self._loader)),
        }
        share = self.journal.ears.get("share")
        if share is not None:
            values |= share.figures()
        every = 0.0 if final else 0.1
        self.journal.measure("loop", every, values)

    def cleared(self) -> None:
        """The gradients were set back, by the optimizer or by the model."""
        if not self.journal.looking:
            self._cleared += 1

    def _end_pass(self) -> None:
        """How much of the data this process was given in the pass that is over."""
        seen = self.passes.examples - self._pass_began
        self._pass_began = self.passes.examples
        if seen and self._examples:
            prepared = self._loaders.is_prepared(self._loader)
            values = {"pass_share": seen / self._examples, "loader_prepared": float(prepared)}
            self.journal.write("figures", values=values)

    def abandon(self) -> None:
        """Whatever was being trained is not any more: the next step begins another training."""
        self._optimizer = None

    def finish(self) -> None:
        """The script has come to its end."""
        if self._optimizer is None:
            return
        self._end_pass()
        self._tell_figures(_rate(self._optimizer), final=True)
        share = self.journal.ears.get("share")
        stopped = self.journal.stop_is_wanted()
        seen = self.passes.examples * (share.processes if share is not None else 1)
        self.journal.write(
            "trained",
            step=self.steps,
            seconds=round(time.perf_counter() - self._began, 3),
            cpu=round(time.process_time() - self._cpu, 3),
            # Of a training that was stopped nobody knows how much it would have seen.
            examples=min(self._examples, seen) if self._examples and not stopped else None,
        )
        self._optimizer = None


def _loop(journal: Journal) -> Loop:
    loop: Loop | None = journal.ears.get("loop")
    if loop is None:
        loop = journal.ears["loop"] = Loop(journal)
        journal.at_end.append(loop.finish)
    return loop


def listen(module: ModuleType, journal: Journal, failed: Failed) -> None:
    """Hear of each step of any optimizer, and of gradients that are set back.

    See https://docs.pytorch.org/docs/stable/optim.html, `register_optimizer_step_pre_hook`.
    """
    loop = _loop(journal)

    def stepping(optimizer: Any, arguments: Any, named: Any) -> None:
        loop.before_step(optimizer)

    module.register_optimizer_step_pre_hook(stepping)
    _after(module.Optimizer, "zero_grad", loop.cleared)
    _after(sys.modules["torch"].nn.Module, "zero_grad", loop.cleared)


def _after(kind: Any, name: str, then: Any) -> None:
    plain = getattr(kind, name)

    @functools.wraps(plain)
    def called(*arguments: Any, **named: Any) -> Any:
        result = plain(*arguments, **named)
        then()
        return result

    setattr(kind, name, called)


def _rate(optimizer: Any) -> float:
    return float(optimizer.param_groups[0]["lr"])


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0
