"""Examine a training that is written out by hand with `tf.GradientTape`, once it has run.

What it has used is remembered: whose weights its optimizer moves, over which data it goes, which
losses it calls. Inside of a `tf.function` these are heard while it is traced.
"""

import functools
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from course_probe.after_import import call_after_import
from course_probe.events import ClaimsEvent
from course_probe.exam.examination import Examination, PartMissing
from course_probe.exam.finished_loop import claims, newest_first
from course_probe.exam.keras import KerasCandidate
from course_probe.hooks.keras.tfdata import MARK, BatchSource

CALLED, ITERATED = 8, 20
"""Models that are remembered, the last ones, and rounds over data."""


def hook(examination: Examination) -> None:
    """Remember the parts of a loop, should there be one."""
    loop = _TapeLoop(examination)
    call_after_import("tf_keras.src.engine.training", loop.hook_models)
    call_after_import("tf_keras.src.optimizers.optimizer", loop.hook_optimizers)
    call_after_import("tf_keras.src.optimizers.legacy.optimizer_v2", loop.hook_legacy)
    call_after_import("tf_keras.src.losses", loop.hook_losses)
    call_after_import("tensorflow.python.data.ops.dataset_ops", loop.hook_data)


class _TapeLoop:
    def __init__(self, examination: Examination) -> None:
        self._examination = examination
        self._depth = 0
        self._called: list[Any] = []
        self.rounds: list[tuple[Any, int]] = []
        """Data that were gone over, and the steps that had been made when a round began."""
        self.model: Any = None
        self.optimizer: Any = None
        self.loss: Any = None

    @property
    def steps(self) -> int:
        """Steps that the optimizer has made."""
        return int(self.optimizer.iterations.numpy()) if self.optimizer is not None else 0

    def hook_models(self, module: ModuleType) -> None:
        """Note the outermost models that are called."""
        call = module.Model.__call__

        @functools.wraps(call)
        def called(model: Any, *arguments: Any, **named: Any) -> Any:
            if not self._depth:
                self._called = newest_first(model, self._called, CALLED)
            self._depth += 1
            try:
                return call(model, *arguments, **named)
            finally:
                self._depth -= 1

        module.Model.__call__ = called

    def hook_optimizers(self, module: ModuleType) -> None:
        """Note whose weights are moved, and by what."""
        self._hook_apply(module.Optimizer)

    def hook_legacy(self, module: ModuleType) -> None:
        """Note the same of the optimizers of before."""
        self._hook_apply(module.OptimizerV2)

    def _hook_apply(self, kind: Any) -> None:
        apply: Callable[..., Any] = kind.apply_gradients

        @functools.wraps(apply)
        def applied(optimizer: Any, grads_and_vars: Any, *arguments: Any, **named: Any) -> Any:
            pairs = list(grads_and_vars)
            if optimizer is not self.optimizer and not self._examination.has_begun:
                self._begin(optimizer, [variable for _gradient, variable in pairs])
            return apply(optimizer, pairs, *arguments, **named)

        kind.apply_gradients = applied

    def _begin(self, optimizer: Any, moved: list[Any]) -> None:
        wanted = {id(variable) for variable in moved}
        for model in self._called:
            if wanted <= {id(variable) for variable in model.trainable_variables}:
                self.model, self.optimizer = model, optimizer
                self._examination.remember_loop(lambda: _TapeCandidate(self))
                return

    def hook_losses(self, module: ModuleType) -> None:
        """Note the loss that is called."""
        call = module.Loss.__call__

        @functools.wraps(call)
        def called(loss: Any, *arguments: Any, **named: Any) -> Any:
            self.loss = loss
            return call(loss, *arguments, **named)

        module.Loss.__call__ = called

    def hook_data(self, module: ModuleType) -> None:
        """Note the data that are gone over, round by round."""
        begin = module.DatasetV2.__iter__

        @functools.wraps(begin)
        def begun(data: Any) -> Any:
            if sys.modules["tensorflow"].executing_eagerly():
                self.rounds = [*self.rounds[1 - ITERATED :], (data, self.steps)]
            return begin(data)

        module.DatasetV2.__iter__ = begun


class _TapeCandidate(KerasCandidate):
    """The parts of a loop that has run: its model, optimizer and loss, and its data."""

    def __init__(self, loop: _TapeLoop) -> None:
        super().__init__(loop.model, None, None)
        self._loop = loop
        self._rounds = list(loop.rounds)
        self._steps = loop.steps

    def _data(self, which: str) -> Any:
        """Return the last data gone over while steps were made, or the last other data."""
        ends = [*(steps for _data, steps in self._rounds[1:]), self._steps]
        made = [end - begin for (_data, begin), end in zip(self._rounds, ends, strict=True)]
        trained = [data for (data, _begin), steps in zip(self._rounds, made, strict=True) if steps]
        if not trained:
            raise PartMissing(which)
        if which == "train":
            return trained[-1]
        others = [data for data, _begin in self._rounds if all(data is not t for t in trained)]
        if not others:
            raise PartMissing(which)
        return others[-1]

    def _optimizer(self) -> Any:
        return self._loop.optimizer

    def _compiled_loss(self) -> Any:
        if self._loop.loss is None:
            raise PartMissing("loss")
        return self._loop.loss

    def _finds_labels_in_inputs(self) -> bool:
        """Return whether the loop has given a loss labels: then it takes batches apart itself."""
        return self._loop.loss is not None

    def claims(self) -> ClaimsEvent:
        """How many examples there are, with which labels, in batches of what size."""
        data = self._data("train")
        source: BatchSource | None = getattr(data, MARK, None)
        rows, size = (source.dataset, source.batch_size) if source else (None, None)
        return claims(rows, size, self._steps, int(data.cardinality().numpy()))
