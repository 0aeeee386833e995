"""The vital signs of a training with Keras: `course/runs/vital_signs.py` says what each means.

A training step is compiled, so no gradient and no pass of it is heard. What is measured: the
variables before and after, the optimizer's own count of its steps, the batches as the collate
function makes them, and the model's answers in passes of our own.
"""

import math
import sys
from collections import deque
from collections.abc import Mapping
from typing import Any

from course_probe.event_log import EventLog
from course_probe.events import VitalsEvent
from course_probe.guard import noted
from course_probe.hooks.keras.answers import (
    Answers,
    EvaluationData,
    chance_unmoved,
    classes_of,
    rows_of,
)
from course_probe.hooks.keras.variables import VariableWatch
from course_probe.hooks.vitals import EARLY, VitalsHooks, finite
from course_probe.packages import LABELS
from course_probe.vital_signs.answers import COMPARED
from course_probe.vital_signs.examples import RowCount
from course_probe.vital_signs.scores import compare
from course_probe.vital_signs.steps import USUAL

WHOLE = 512
"""Rows that are always answered for us: a lesson's evaluation has fewer."""
SHARE = 8
"""Of a longer training, one for so many that were trained on: a pass forward alone is a third of a
training step, or less."""


class KerasVitals:
    """The last training of one script, in one or more calls of `fit`, and its last evaluation.

    What became of the texts, and which token is the unknown one, the `shared` hooks have heard.
    """

    def __init__(self, log: EventLog, shared: VitalsHooks) -> None:
        self._log = log
        self._shared = shared
        self._watch: VariableWatch | None = None
        self._begin()

    def _begin(self) -> None:
        """Forget the training before."""
        self._watch = None
        self._passes = 0
        self._classes: int | None = None
        self._normalised = False
        self._rows = RowCount()
        self._ahead: deque[tuple[Any, Any, Any] | None] = deque()
        self._is_heard = True
        self._trained_on: EvaluationData | None = None
        self._asked: tuple[Any, Any, int] | None = None
        self._is_all = False
        self._before_this = 0
        self._outcome: dict[str, Any] = {}
        self._evaluated_is_trained: bool | None = None

    def begin_training(
        self, model: Any, data: EvaluationData, classes: int | None, *, normalised: bool
    ) -> None:
        """Note that a call of `fit` begins; `normalised` are outputs that are probabilities."""
        if self._log.looking or self._shared.is_examined:
            return
        if not model.built:
            return
        if self._watch is not None and self._watch.model is model:
            self._watch.resume()
        else:
            self._begin()
            self._watch = VariableWatch(model)
        self._outcome, self._asked = {}, None
        self._ahead.clear()
        self._before_this = self._passes
        self._classes, self._normalised = classes, normalised
        self._trained_on = data
        self.listen()

    def _is_trained(self, model: Any) -> bool:
        return self._watch is not None and self._watch.model is model and not self._log.looking

    def listen(self) -> None:
        """Hear the batches of the training from now on."""
        source = self._trained_on.source if self._trained_on is not None else None
        if source is not None and not self._log.looking:
            source.listener = self._hear

    def _hear(self, batch: Any) -> None:
        """Take in a batch as the collate function has made it; it may be read ahead of its step."""
        rows = rows_of(batch)
        labels = (classes_of(batch[name]) for name in LABELS if name in batch) if rows else ()
        self._ahead.append((*rows, next(iter(labels), None)) if rows is not None else None)

    def stop_listening(self) -> None:
        """Hear no batches: they may be those of an evaluation on the same data."""
        source = self._trained_on.source if self._trained_on is not None else None
        if source is not None:
            source.listener = None

    def note_step(self, model: Any, step: int) -> None:
        """Note that so many steps of this call of `fit` are done."""
        if not self._is_trained(model) or self._watch is None:
            return
        self._passes = self._before_this + step
        rows = self._ahead.popleft() if self._ahead else None
        if rows is not None:
            noted(self._rows.add, *rows, self._shared.unknown)
        else:
            # Something else was trained on, or it was heard in part only.
            self._is_heard = False
        self._watch.note_step(self._passes)
        if self._passes in EARLY:
            self._write(is_over=False)

    def note_evaluation(self, model: Any, data: EvaluationData, said: Mapping[str, float]) -> None:
        """Measure a model that the script has evaluated on these data; `said` are its figures."""
        if self._watch is None or self._log.looking:
            return
        asked = (model, data.x, self._passes)
        before = self._asked
        is_same = before is not None and before[0] is model and before[1] is data.x
        if before is None or not is_same or before[2] != self._passes:
            self._asked = asked
            # The script must go on, whatever its model makes of being asked once more.
            self._outcome = noted(self._measure, model, data) or {}
        if said:
            self._outcome |= self._compare_said(said)
        if self._outcome:
            self._write(is_over=True)

    @property
    def has_outcome(self) -> bool:
        """Return whether the model was evaluated since its training."""
        return bool(self._outcome)

    def write(self) -> None:
        """Write the signs as they are, where no evaluation follows that does."""
        if self._watch is not None and not self._log.looking:
            self._write(is_over=True)

    def _measure(self, model: Any, data: EvaluationData) -> dict[str, Any]:
        """Measure what the model answers now, beside what it would have before it was trained."""
        watch = self._watch
        if watch is None or not model.built:
            return {}
        self._evaluated_is_trained = watch.model is model or watch.is_equal(model)
        limit = max(WHOLE, self._passes * (self._rows.batch_size or 1) // SHARE)
        with chance_unmoved():
            self.stop_listening()
            after = Answers(model, data, limit)
            if not after.rows:
                return {}
            found = after.signs(self._rows.prints() or set(), normalised=self._normalised)
            found["split"] = data.split
            self._is_all = after.is_all and data.has_known_rows
            if watch.model is model:
                with watch.set_back() as is_back:
                    before = after.ask_again(model, COMPARED) if is_back else None
                if before is not None and before.rows:
                    both = before.outputs, after.outputs
                    found |= compare(*both, after.labels, normalised=self._normalised)
        return found

    def _compare_said(self, said: Mapping[str, float]) -> dict[str, Any]:
        """Return the script's own figures, and how far they are from ours of the same rows."""
        finite = {name: value for name, value in said.items() if math.isfinite(value)}
        found: dict[str, Any] = {"said": finite}
        accuracy = next(
            (v for k, v in finite.items() if k == "acc" or k.endswith("accuracy")), None
        )
        if accuracy is not None:
            found["said_accuracy"] = accuracy
            if "accuracy" in self._outcome and self._is_all:
                found["said_off"] = abs(accuracy - self._outcome["accuracy"])
        return found

    def _write(self, *, is_over: bool) -> None:
        classes = self._classes or 0
        event = VitalsEvent(
            event="vitals",
            model=finite(self._model_signs()),
            loss={"guess": math.log(classes)} if classes > 1 else {},
            rate=self._usual_rates(),
        )
        if is_over:
            event["data"] = self._data_signs()
            event["outcome"] = finite(self._outcome)
        self._log.write(event)

    def _model_signs(self) -> dict[str, Any]:
        if self._watch is None:
            return {}
        has_gpu = sys.modules["tensorflow"].config.list_physical_devices("GPU")
        found = {
            "name": pretrained_name(self._watch.model),
            "device": "cuda" if has_gpu else "cpu",
            "passes": self._passes,
            **self._watch.signs(),
        }
        if self._evaluated_is_trained is not None:
            found["evaluated_is_trained"] = int(self._evaluated_is_trained)
        return found

    def _usual_rates(self) -> dict[str, float]:
        model = self._watch.model if self._watch is not None else None
        is_adam = "Adam" in type(getattr(model, "optimizer", None)).__name__
        return dict(USUAL) if is_adam and pretrained_name(model) is not None else {}

    def _data_signs(self) -> dict[str, Any]:
        if self._trained_on is None:
            return {}
        seen = self._rows.signs() if self._is_heard else {}
        return {**seen, **self._shared.text, "split": self._trained_on.split}


def current_rate(optimizer: Any) -> float | None:
    """Return the learning rate of the optimizer's last step; None where it can't be known."""
    try:
        rate = optimizer.learning_rate
        if callable(rate) and not hasattr(rate, "numpy"):
            # The older optimizers give the schedule itself.
            rate = rate(max(0, int(optimizer.iterations) - 1))
        return float(rate)
    except (TypeError, ValueError, AttributeError):
        return None


def pretrained_name(model: Any) -> str | None:
    """Return the name of the pre-trained model that a model is, or has among its layers."""
    for layer in (model, *getattr(model, "layers", ())):
        name = getattr(getattr(layer, "config", None), "name_or_path", None)
        if isinstance(name, str) and name:
            return name
    return None
