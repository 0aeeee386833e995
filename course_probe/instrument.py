"""Put hooks into each framework, the moment it is imported."""

import functools
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from course_probe.after_import import call_after_import
from course_probe.event_log import EventLog
from course_probe.forked import know_threads
from course_probe.guard import FAILED, forget, noted
from course_probe.hooks import backward
from course_probe.hooks.evaluation.gathering import GatheringHooks
from course_probe.hooks.evaluation.metric import MetricHooks
from course_probe.hooks.evaluation.writer import EvaluationWriter
from course_probe.hooks.torch import dataset_map
from course_probe.hooks.torch.dataloader import DataloaderHooks
from course_probe.hooks.torch.distributed import DistributedHooks
from course_probe.hooks.torch.forward import ForwardHooks
from course_probe.hooks.torch.trainer import TrainerHooks
from course_probe.hooks.torch.training_loop import TrainingLoopHooks
from course_probe.hooks.vitals import VitalsHooks
from course_probe.hooks.wrap import ReportFailure


class Instrument:
    """The hooks of one process. Each set owns its state, and is given the others that it reads.

    `report` is called with each exception that leaves a method that trains or evaluates: a script
    may catch it and go on as if nothing had happened. Where a script is `examined`, answers tell
    what the vital signs would: those that take work of their own are left out. `at_end` is called
    when a process that trains beside others comes to its end, `at_early` after some first steps.
    """

    def __init__(
        self,
        log: EventLog,
        report: ReportFailure,
        *,
        examined: bool = False,
        at_early: Callable[[], None] = lambda: None,
        at_end: Callable[[], None] = lambda: None,
    ) -> None:
        know_threads()
        forget()
        self._is_examined = examined
        self._log = log
        self._report = report
        self._reported: BaseException | None = None
        self._trainer = TrainerHooks(log, self.report_once)
        self._vitals = VitalsHooks(log, examined=examined)
        self._trainer.at_begin.append(self._vitals.begin_training)
        self._trainer.at_evaluation.append(self._vitals.note_said)
        self._trainer.at_end.append(self._vitals.write)
        self._forward = ForwardHooks(log, self._trainer, self._vitals)
        self._dataloader = DataloaderHooks(log)
        self._dataloader.at_pass.append(self._vitals.begin_pass)
        self._dataloader.at_batch.append(self._vitals.note_batch)
        self._distributed = DistributedHooks(log, self._trainer, self.report_once)
        self._distributed.at_end.append(self._vitals.write)
        self._distributed.first_rows = self._vitals.first_rows
        self._distributed.at_end.append(at_end)
        self._vitals.at_early.append(at_early)
        self._vitals.at_backward.append(self._distributed.count_backward)
        self._training_loop = TrainingLoopHooks(
            log,
            self._trainer,
            self._forward,
            self._dataloader,
            self._distributed,
        )
        writer = EvaluationWriter(log, self._distributed, self._training_loop)
        self._gathering = GatheringHooks(
            log, self._trainer, self._dataloader, self._distributed, self._vitals, writer
        )
        self._metric = MetricHooks(
            log, self._trainer, self._dataloader, self._vitals, self._gathering, writer
        )

    def install(self) -> None:
        """Install the hooks in each framework, at once or when it is imported."""
        hooks: dict[str, Callable[[ModuleType], object]] = {
            "transformers.trainer": self._trainer.hook,
            "tf_keras.src.engine.training": self._measure_tf_keras,
            # Who makes data for Keras has TensorFlow.
            "tensorflow": lambda _module: call_after_import(
                "datasets.arrow_dataset", functools.partial(noted, self._hook_datasets)
            ),
            "torch": self._forward.hook_modules,
            "transformers.modeling_utils": self._forward.hook_models,
            "torch.optim.optimizer": self._hook_optimizers,
            "torch.utils.data.dataloader": self._dataloader.hook,
            "evaluate.module": self._metric.hook,
            "accelerate.accelerator": self._hook_accelerator,
            "accelerate.launchers": self._distributed.hook_launchers,
        }
        if not self._is_examined:
            # No question asks which texts the ids hold.
            hooks["datasets.dataset_dict"] = lambda m: dataset_map.hook(m, self._log, self._vitals)
        for name, hook in hooks.items():
            # A release that has no such class is measured less, and imported as it is.
            call_after_import(name, functools.partial(noted, hook))

    def _measure_tf_keras(self, module: ModuleType) -> None:
        from course_probe.hooks.keras import callback
        from course_probe.hooks.keras.vitals import KerasVitals

        vitals = KerasVitals(self._log, self._vitals)
        make = functools.partial(callback.make_reporter, self._log, vitals)
        callback.hook(module.Model, self.report_once, make)

    def _hook_datasets(self, module: ModuleType) -> None:
        from course_probe.hooks.keras import tfdata

        tfdata.hook(module)

    def _hook_accelerator(self, module: ModuleType) -> None:
        self._distributed.is_hooked = True
        self._gathering.hook(module)

    def _hook_optimizers(self, module: ModuleType) -> None:
        """Hear of each step of an optimizer, and of each loss that is sent backward.

        See https://docs.pytorch.org/docs/stable/optim.html, `register_optimizer_step_pre_hook`.
        """

        def before_step(optimizer: Any, _arguments: Any, _named: Any) -> None:
            noted(self._vitals.note_step, optimizer)
            noted(self._training_loop.note_step, optimizer)

        def after_step(optimizer: Any, _arguments: Any, _named: Any) -> None:
            noted(self._vitals.note_stepped, optimizer)

        module.register_optimizer_step_pre_hook(before_step)
        module.register_optimizer_step_post_hook(after_step)
        backward.hook(sys.modules["torch"].autograd, self._vitals.note_backward)

    def report_once(self, error: BaseException, *, worker: bool = False) -> None:
        """Report an exception, if it is another one than before.

        `train` calls `evaluate`: the same exception leaves both.
        """
        if error is not self._reported:
            self._reported = error
            self._report(error, worker=worker)

    def finish(self, *, ended: bool = True) -> None:
        """Write what the hooks have kept: the script has come to its end without an error.

        Of a notebook, where only a cell has `ended`, what is not trained yet may be in the next.
        A training whose exception the script has caught was begun, too.
        """
        noted(self._gathering.end)
        noted(self._training_loop.finish)
        noted(self._vitals.write)
        if ended and self._reported is None:
            noted(self._write_the_end)
        if FAILED:
            self._log.write_figures({"notes_failed": float(FAILED.total())}, lasting=True)

    def _write_the_end(self) -> None:
        """Write what is only known at the end."""
        steps = self._trainer.steps + self._vitals.training_passes
        if self._trainer.made:
            self._log.write_figures({"trainers": self._trainer.made, "steps_trained": steps})
        elif not steps and (made := self._vitals.optimizers_made):
            self._log.write_figures({"optimizers_made": made, "steps_trained": steps})

    @property
    def has_reported(self) -> bool:
        """Whether an exception has left a method that trains or evaluates."""
        return self._reported is not None

    @property
    def tells_steps(self) -> bool:
        """Whether a Trainer is at work, which tells its steps itself."""
        return self._trainer.is_active

    def abandon(self) -> None:
        """Give up a training in progress, even if its optimizer goes on being used."""
        self._training_loop.abandon()
