"""Have the models of Keras 3 take a callback that tells the ledger of each step."""

import functools
import math
from typing import Any

from course_probe.event_log import EventLog
from course_probe.events import StepEvent
from course_probe.guard import noted
from course_probe.hooks.measure import POINTS
from course_probe.ledger.keras.ledger import KerasLedger


def make_reporter(log: EventLog, ledger: KerasLedger, base: type) -> type:
    """Make the class of our callback: late, since its base is the framework's."""

    class Reporter(base):  # type: ignore[misc]
        """Tells how far a training is, and what its losses are."""

        # The figures of a batch stay where they are until we look at them.
        _supports_tf_logs = True

        def __init__(self, _called_with: dict[str, Any]) -> None:
            super().__init__()
            # Keras calls us of an evaluation within `fit` too.
            self._is_training = False
            self._epoch = self._step = self._begun = 0
            self._asked = (0, 0.0)

        def on_train_begin(self, logs: Any = None) -> None:
            self._is_training = True

        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            self._epoch, self._begun, self._asked = epoch, self._step, (0, 0.0)

        def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
            noted(ledger.before_step, self.model)

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            self._step = self._begun + batch + 1
            steps, epochs = self.params.get("steps") or 0, self.params.get("epochs") or 1
            every = max(1, math.ceil(steps * epochs / POINTS))
            is_told = batch + 1 == steps or self._step % every == 0
            ask = functools.partial(self._since, batch + 1, logs)
            noted(ledger.after_step, self.model, ask, is_told=is_told)
            part = (batch + 1) / steps if steps else 0.0
            step = StepEvent(
                event="step", step=self._step, of=steps * epochs, epoch=self._epoch + part
            )
            log.write_seldom(step, every=0.2)
            log.check_stop()

        def _since(self, batches: int, logs: Any) -> float | None:
            """Compute the mean loss since this was asked before: Keras gives that of the epoch."""
            if not logs or "loss" not in logs:
                return None
            before, known = self._asked
            mean = float(logs["loss"])
            self._asked = (batches, mean)
            return (mean * batches - known * before) / (batches - before)

        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            noted(ledger.end_epoch, self.model)

        def on_test_end(self, logs: Any = None) -> None:
            if self._is_training:
                noted(ledger.note_validated, self.model)

        def on_train_end(self, logs: Any = None) -> None:
            self._is_training = False

    return Reporter
