"""All hooks of a script of somebody's own that trains with Keras 3."""

import functools
from collections.abc import Callable
from types import ModuleType

from course_probe.event_log import EventLog
from course_probe.guard import noted
from course_probe.hooks.keras import callback
from course_probe.hooks.wrap import ReportFailure
from course_probe.ledger.keras import steps
from course_probe.ledger.keras.fits import KerasFits
from course_probe.ledger.keras.ledger import KerasLedger
from course_probe.ledger.keras.loops import KerasLoops
from course_probe.ledger.keras.losses import KerasLosses
from course_probe.made_layers import MADE

OLDER = "tf_keras.src.engine.training"
"""Where the models of the Keras before version 3 are made."""


class KerasScript:
    """The losses, the calls of `fit` and the loops by hand of one script."""

    def __init__(self, log: EventLog, ledger: KerasLedger) -> None:
        self._log = log
        self._ledger = ledger
        self._losses = KerasLosses(log, ledger)
        self._loops = KerasLoops(log, self._losses, ledger)
        self._fits = KerasFits(log, self._losses, self._loops, ledger)

    def hooks(self, report: ReportFailure) -> dict[str, Callable[[ModuleType], object]]:
        """Return what is to be called with each module that is imported."""
        return {
            "keras.src.layers.layer": self._hook_layers,
            "keras.src.losses.loss": self._losses.hook,
            "keras.src.backend.tensorflow.nn": self._losses.hook_functions,
            "keras.src.metrics.reduction_metrics": self._losses.hook_metrics,
            "keras.src.metrics.confusion_metrics": self._losses.hook_metrics,
            "keras.src.metrics.f_score_metrics": self._losses.hook_metrics,
            "keras.src.layers.preprocessing.normalization": self._fits.hook_scaling,
            "keras.src.models.model": self._fits.hook_saving,
            "keras.src.optimizers.base_optimizer": self._loops.hook_optimizers,
            "keras.src.backend.tensorflow.trainer": (
                lambda module: self._hook_steps(module.TensorFlowTrainer, report)
            ),
            OLDER: lambda module: self._hook_steps(module.Model, report),
            "tensorflow.python.eager.backprop": self._loops.hook_tapes,
            "tensorflow.python.eager.polymorphic_function.polymorphic_function": (
                self._loops.hook_functions
            ),
            "tensorflow": self._loops.hook_math,
            "tensorflow.python.data.ops.dataset_ops": self._loops.hook_data,
        }

    def _hook_steps(self, kind: type, report: ReportFailure) -> None:
        make = functools.partial(steps.make_reporter, self._log, self._ledger)
        callback.hook(kind, report, make, self._fits.note)

    def _hook_layers(self, module: ModuleType) -> None:
        MADE.hook(module)
        self._losses.hook_layers(module)

    def finish(self) -> None:
        """Write what was kept: the script has come to its end."""
        self._fits.finish()
        self._loops.finish()
        noted(self._ledger.write, over=True)
