"""The vital signs of a training with Keras: `course/runs/vital_signs.py` says what each means.

A training step is compiled, so no gradient and no pass of it is heard. What is measured: the
variables before and after, the optimizer's own count of its steps, the batches as the collate
function makes them, and the model's answers in passes of our own.
"""

import itertools
import math
import sys
from collections import Counter
from collections.abc import Mapping
from typing import Any

from course_probe.event_log import EventLog
from course_probe.events import VitalsEvent
from course_probe.hooks.keras.answers import (
    LABELS,
    Answers,
    EvaluationData,
    chance_unmoved,
    classes_of,
    fingerprints,
)
from course_probe.hooks.keras.variables import VariableWatch
from course_probe.hooks.vitals import EARLY, VitalsHooks, finite
from course_probe.vital_signs.data.examples import IGNORED, spread_of_labels
from course_probe.vital_signs.evaluation.answers import COMPARED
from course_probe.vital_signs.evaluation.scores import compare
from course_probe.vital_signs.optimization.steps import USUAL

FEW = 5
"""Steps whose mean loss is called the first."""
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
        self._seen = BatchCount()
        self._begin()

    def _begin(self) -> None:
        """Forget the training before."""
        self._watch = None
        self._losses: list[tuple[int, float]] = []
        self._rates: list[float] = []
        self._passes = 0
        self._classes: int | None = None
        self._normalised = False
        self._seen = BatchCount()
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
        self._seen.add(batch, self._shared.unknown)

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
        self._watch.note_step(self._passes)
        if self._passes in EARLY:
            self._write(is_over=False)

    def note_loss(self, model: Any, mean: float) -> None:
        """Keep the mean loss of the steps since the last point, and the last step's rate."""
        if self._is_trained(model):
            self._losses.append((self._passes, mean))
            rate = current_rate(model.optimizer)
            if rate is not None:
                self._rates.append(rate)

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
            try:
                self._outcome = self._measure(model, data)
            except Exception:  # noqa: BLE001
                self._outcome = {}
        if said:
            self._outcome |= self._compare_said(said)
        if self._outcome:
            self._write(is_over=True)

    @property
    def passes(self) -> int:
        """Return the steps of the last training."""
        return self._passes

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
        limit = max(WHOLE, self._passes * (self._seen.batch_size or 1) // SHARE)
        with chance_unmoved():
            self.stop_listening()
            after = Answers(model, data, limit)
            if not after.rows:
                return {}
            found = after.signs(self._seen.prints(self._passes), normalised=self._normalised)
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
        event = VitalsEvent(
            event="vitals",
            model=finite(self._model_signs()),
            loss=finite(self._loss_signs()),
            rate=finite(self._rate_signs()),
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

    def _loss_signs(self) -> dict[str, Any]:
        """Compute the signs of the loss; after a NaN, Keras' mean is none until the epoch ends."""
        guess = math.log(self._classes) if self._classes and self._classes > 1 else None
        found: dict[str, Any] = {"guess": guess}
        if not self._losses:
            return found
        means = [mean for _step, mean in self._losses]
        found["finite"] = sum(map(math.isfinite, means)) / len(means)
        tail = self._passes - max(FEW, self._passes // 10)
        parts = {
            "first": [mean for step, mean in self._losses if step <= FEW] or means[:1],
            "last": [mean for step, mean in self._losses if step > tail],
        }
        for name, part in parts.items():
            if part and all(map(math.isfinite, part)):
                found[name] = sum(part) / len(part)
        if guess and "last" in found:
            found["last_to_guess"] = found["last"] / guess
        return found

    def _rate_signs(self) -> dict[str, Any]:
        rates = self._rates
        if not rates:
            return {}
        found = {
            "highest": max(rates),
            "lowest": min(rates),
            "mean": sum(rates) / len(rates),
            "last": rates[-1],
            "zero_share": sum(rate <= 0 for rate in rates) / len(rates),
        }
        model = self._watch.model if self._watch is not None else None
        is_adam = "Adam" in type(getattr(model, "optimizer", None)).__name__
        if is_adam and pretrained_name(model) is not None:
            found |= USUAL
        return found

    def _data_signs(self) -> dict[str, Any]:
        if self._trained_on is None:
            return {}
        seen = self._seen.signs(self._passes)
        return {**seen, **self._shared.text, "split": self._trained_on.split}


class BatchCount:
    """The batches that a training has read, in their order."""

    def __init__(self) -> None:
        self._prints: list[list[int]] = []
        self._labels: list[Any] = []
        self._padding: list[tuple[int, int]] = []
        self._unknown: list[tuple[int, int]] = []
        self.batch_size: int | None = None

    def add(self, batch: Any, unknown: int | None) -> None:
        """Count a batch as the collate function has made it: columns by name.

        `unknown` is the id of the unknown word, if there is one.
        """
        if not isinstance(batch, Mapping):
            return
        numpy = sys.modules["numpy"]
        self._prints.append(fingerprints(batch))
        self._labels.append(next((classes_of(batch[k]) for k in LABELS if k in batch), None))
        self.batch_size = max(self.batch_size or 0, len(self._prints[-1]))
        mask = batch.get("attention_mask")
        if mask is not None and len(numpy.shape(mask)) == 2:
            mask = numpy.asarray(mask)
            self._padding.append((mask.size, len(mask) * int(mask.sum(-1).max())))
            if unknown is not None and "input_ids" in batch:
                is_unknown = numpy.asarray(batch["input_ids"]) == unknown
                self._unknown.append((int(is_unknown.sum()), int(mask.sum())))

    def prints(self, batches: int) -> set[int]:
        """Return the fingerprints of the rows of the first batches."""
        return set(itertools.chain(*self._prints[:batches]))

    def signs(self, batches: int) -> dict[str, Any]:
        """Compute the signs of the data of the first batches; what was read ahead is left out."""
        prints = list(itertools.chain(*self._prints[:batches]))
        if not prints or len(self._prints) < batches:
            # Something else was trained on, or it was heard in part only.
            return {}
        found: dict[str, Any] = {
            "rows": len(prints),
            "examples": len(set(prints)),
            "repeats": len(prints) / len(set(prints)),
            "batch_size": self.batch_size,
        }
        needed = sum(needed for _cells, needed in self._padding[:batches])
        if needed:
            found["padding"] = sum(cells for cells, _needed in self._padding[:batches]) / needed
        tokens = sum(tokens for _unknown, tokens in self._unknown[:batches])
        if tokens:
            found["unknown"] = sum(n for n, _tokens in self._unknown[:batches]) / tokens
        if all(each is not None for each in self._labels[:batches]):
            labels = [label for each in self._labels[:batches] for label in each.tolist()]
            found |= _label_signs(labels)
        return found


def _label_signs(labels: list[int]) -> dict[str, Any]:
    """Compute the signs about labels, given one a row, in the order of the training."""
    counts = Counter(labels)
    changes = sum(a != b for a, b in itertools.pairwise(labels))
    ignored = counts[IGNORED] / max(1, len(labels))
    return {"ignored": ignored, **spread_of_labels(counts, changes)}


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
