"""The ledger of trainings with Keras: what `fit` was given, its losses and steps, what was asked.

It is written as that of PyTorch is, so that the same facts and rules tell of both. What a compiled
step hides is not in it: passes have no gradients by parameter, and no graph but that of the loss.
"""

import bisect
import math
import random
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any

from course_probe.event_log import EventLog
from course_probe.events import LedgerEvent
from course_probe.exception_report import Own, own_frame
from course_probe.hooks.keras import rows as row_of
from course_probe.hooks.keras.answers import classes_of
from course_probe.hooks.keras.vitals import current_rate
from course_probe.ledger.keras.loss_kinds import is_from_logits, name_of
from course_probe.ledger.keras.study import (
    FittedRows,
    KeptWeights,
    LossKind,
    StepStudy,
    counted,
    is_asked,
)
from course_probe.ledger.ledger import KnownNetwork, KnownOptimizer, LossLine, PassGroup
from course_probe.ledger.record import group_of, loss_of, optimizer_of
from course_probe.ledger.rows import SeenRows, TrainedRows

STUDIED = (2, 20, 200)
"""Steps of a training that are taken once more, and asked about: those of PyTorch's ledger."""
LOOKED = (1, *STUDIED)
"""Steps of which it is known how far they went."""
BEGIN = 40
"""Losses of the first steps that are all read; later ones are a mean over some."""
LARGEST = 2**28
"""Numbers of a model of which no second copy is made."""
MOST = 64
"""Networks, lines and optimizers that are told apart, each."""
BATCH = 32
"""Rows of a batch where that is not known."""
FEW = 2
"""Steps after which a model and its optimizer are built."""
DROPPING = ("Dropout", "SpatialDropout", "AlphaDropout", "GaussianDropout", "GaussianNoise")
NORMING = ("BatchNormalization",)
NOTHING = 1e-6
"""What is left of a rate, beside its highest, that is none."""
EARLY = 0.1
"""The last share of the steps that may have no rate: half a batch that was not counted in."""
GroupKey = tuple[int, int, bool, bool]


@dataclass
class FittedNetwork(KnownNetwork):
    """A model that was trained, or asked, and the rows of its trainings."""

    rows: TrainedRows = field(default_factory=TrainedRows)


@dataclass
class FittedPasses(PassGroup):
    """Passes of one model at one line, of its training or of evaluations, and rows they have seen.

    What is made of the answers may be `told` by Keras, whatever the script does with it.
    """

    owner: FittedNetwork
    told: bool = False
    seen: SeenRows | None = None


@dataclass
class FittedOptimizer(KnownOptimizer):
    """An optimizer that `fit` has used; `tensors` are those that it may move."""

    begun_at: int = 0
    highest: float = 0.0
    heard: int = 0

    def count(self) -> None:
        """Take its own count of steps; where it has nothing to move, those that were heard."""
        self.steps = int(self.itself().iterations) - self.begun_at if self.tensors else self.heard


class FitUnderWay:
    """One call of `fit` under way, or a loop by hand."""

    def __init__(
        self,
        network: FittedNetwork,
        passes: FittedPasses,
        losses: LossLine,
        optimizer: FittedOptimizer | None,
        batch: int,
    ) -> None:
        self.network, self.passes = network, passes
        self.losses, self.optimizer, self.batch = losses, optimizer, batch
        self.rows: FittedRows | None = None
        self.validation: tuple[Any, Any] | None = None
        self.before: KeptWeights | None = None
        self.step = 0


class KerasLedger:
    """What one script trains and evaluates with Keras 3, until now."""

    def __init__(self, log: EventLog, own: Own, number: Callable[[FrameType], int]) -> None:
        self._log, self._own, self._number = log, own, number
        self._networks: weakref.WeakKeyDictionary[Any, FittedNetwork] = weakref.WeakKeyDictionary()
        self._all: list[FittedNetwork] = []
        self._passes: dict[GroupKey, FittedPasses] = {}
        self._losses: dict[int, LossLine] = {}
        self._optimizers: dict[int, FittedOptimizer] = {}
        self._backwards = 0
        self._gradients: list[dict[str, Any]] = []
        self._studies: list[dict[str, Any]] = []
        self._choices: dict[str, bool] = {}
        self._calls: dict[str, tuple[int, float]] = {}
        self._adapted: set[int] = set()
        self._training: FitUnderWay | None = None
        self._loops: weakref.WeakKeyDictionary[Any, FitUnderWay] = weakref.WeakKeyDictionary()
        self._study: StepStudy | None = None
        self._loss: LossKind | None = None
        self.asks_itself = False

    # Trainings.

    def begin_fit(
        self, given: dict[str, Any], inputs: Sequence[Any], labels: Any, trained: Any
    ) -> None:
        """Note that a call of `fit` begins; `trained` are the rows of it that are no validation.

        Of these there are the first `inputs` and `labels`, as far as they can be read.
        """
        model, line = given["self"], self._line()
        arrays = [] if row_of.is_dataset(trained) else row_of.columns(trained)
        wanted = row_of.as_array(given.get("y"))
        if arrays and wanted is not None:
            inputs, labels = arrays, wanted[: len(arrays[0])]
        network = self._network(model)
        passes = self._group(network, line, inputs, given.get("x"), training=True, grad=True)
        losses = self._losses.setdefault(line, LossLine(line))
        batch = _batch_of(given)
        optimizer = self._optimizer(model, line, model.optimizer)
        self._training = FitUnderWay(network, passes, losses, optimizer, batch)
        if len(inputs) and all(map(is_asked, inputs)):
            self._training.rows = FittedRows([*inputs], labels, given.get("x"))
        if given.get("steps_per_epoch") is None:
            self._add_rows(network, row_of.prints(trained), batch)
        part, validation = given.get("validation_split"), given.get("validation_data")
        if part:
            x, y = row_of.columns(given.get("x")), row_of.as_array(given.get("y"))
            at = int(len(x[0]) * (1 - part)) if x else 0
            self._training.validation = ([each[at:] for each in x], None if y is None else y[at:])
        elif isinstance(validation, list | tuple) and len(validation) > 1:
            self._training.validation = validation[0], validation[1]
        elif validation is not None:
            self._training.validation = validation, None

    def before_step(self, model: Any) -> None:
        """Keep the weights before a step that is looked at."""
        training = self._of(model)
        if training is None or training.step + 1 not in LOOKED:
            return
        training.before = None
        if model.built and sum(math.prod(each.shape) for each in model.weights) <= LARGEST:
            training.before = KeptWeights(model)

    def after_step(self, model: Any, mean: Callable[[], float | None], *, is_told: bool) -> None:
        """Note that a step was taken; `mean` asks for its loss, or for that of some steps."""
        training = self._of(model)
        if training is None:
            return
        training.step += 1
        self._backwards += 1
        training.network.reached = True
        passes, optimizer = training.passes, training.optimizer
        passes.reached += 1
        passes.reached_rows += training.batch
        passes.first, passes.last = passes.first or self._backwards, self._backwards
        if optimizer is not None:
            optimizer.heard += 1
        if optimizer is not None and training.step <= FEW:
            # The first step makes what was not built before.
            optimizer.tensors = max(optimizer.tensors, len(model.trainable_variables))
        losses = training.losses
        losses.count += 1
        if is_told or len(losses.begin) < BEGIN:
            self._note_loss(losses, mean())
            rate = current_rate(optimizer.itself()) if optimizer is not None else None
            if rate is not None and optimizer is not None:
                optimizer.rates.append((self._backwards, rate))
                optimizer.highest = max(optimizer.highest, rate)
        if training.before is not None:
            self._look(model, training, training.before)
            training.before = None

    def _note_loss(self, losses: LossLine, value: float | None) -> None:
        if value is None:
            return
        if not math.isfinite(value):
            losses.not_finite += 1
            losses.first_not_finite = losses.first_not_finite or losses.count
        elif len(losses.begin) < BEGIN:
            losses.begin.append(value)
        losses.series.append((self._backwards, value))

    def _look(self, model: Any, training: FitUnderWay, before: KeptWeights) -> None:
        moved, size = before.moved()
        training.losses.hand_looks += 1
        training.losses.hand_moved += moved != 0
        number = training.optimizer.number if training.optimizer is not None else 0
        step = {"step": training.step, "optimizer": number}
        if len(self._gradients) < MOST:
            nothing: dict[str, Any] = dict.fromkeys(("norm", "left", "added", "between"))
            parameters = {"parameters": len(before.learning), "absent": 0}
            self._gradients.append(
                {**step, **parameters, **nothing, "moved": moved, "size": size or None}
            )
        if training.step in STUDIED and training.rows is not None:
            self.asks_itself = True
            try:
                self._study = StepStudy(model, training.rows, self._loss_of(model), before)
                found = self._study.found()
            finally:
                self._study, self.asks_itself = None, False
            place = {"network": training.network.number, "line": training.passes.line}
            self._studies.append({"kind": "step", "at": training.step, **place, "found": found})
        self.write()

    def note_layer(self, layer: Any, made: Any) -> None:
        """Note what a layer gives, where that is asked."""
        if self._study is not None:
            self._study.note_layer(layer, made)

    def note_validated(self, model: Any) -> None:
        """Note that `fit` has evaluated the rows that it was given for the validation."""
        training = self._of(model)
        if training is not None and training.validation is not None:
            x, y = training.validation
            self._ask(training.network, x, y, training.passes.line)

    def end_epoch(self, model: Any) -> None:
        """Note that all rows of a training were passed once more."""
        training = self._of(model)
        if training is not None:
            training.network.rows.passed += len(training.network.rows.times)

    def end_fit(self, missing: Sequence[str]) -> None:
        """Note that a call of `fit` is over; callbacks go by figures that are `missing`."""
        self._choices |= {str(name): False for name in missing[: MOST - len(self._choices)]}
        self._training = None
        self.write()

    def _of(self, model: Any) -> FitUnderWay | None:
        training = self._training
        is_fit = training is not None and training.network.module() is model
        return training if is_fit else self._loops.get(model)

    # Trainings by hand.

    def begin_loop(self, model: Any, inputs: Sequence[Any], labels: Any, data: Any) -> None:
        """Note that a model is trained by hand, on `data`, of which there are the first rows."""
        line, network = self._line(), self._network(model)
        passes = self._group(network, line, inputs, None, training=True, grad=True)
        losses = self._losses.setdefault(line, LossLine(line))
        batch = (row_of.size_of_batches(data) or BATCH) if row_of.is_dataset(data) else BATCH
        training = self._loops[model] = FitUnderWay(network, passes, losses, None, batch)
        if len(inputs) and all(map(is_asked, inputs)):
            training.rows = FittedRows([*inputs], labels)
        if row_of.is_dataset(data):
            self._add_rows(network, row_of.prints(data), batch)

    def note_optimizer(self, model: Any, optimizer: Any) -> None:
        """Note the optimizer that steps for a model that is trained by hand."""
        training = self._loops.get(model)
        if training is not None and training.optimizer is None:
            training.optimizer = self._optimizer(model, training.passes.line, optimizer)

    def note_trained(self, model: Any, given: Any, *, training: bool) -> None:
        """Note a batch that a model is trained on by hand, where it is seen, and the mode."""
        loop = self._loops.get(model)
        found = row_of.prints(given) if loop is not None else []
        if loop is not None and found and loop.network.rows.is_looked_at():
            loop.network.rows.add(found)
        if loop is not None and found:
            loop.batch = len(found)
            loop.network.rows.passed += len(found)
        if loop is not None and loop.passes.training != training:
            key = (loop.network.number, loop.passes.line, training, True)
            other = replace(loop.passes, training=training, reached=0, reached_rows=0, first=0)
            loop.passes = self._passes.setdefault(key, other)

    def note_passed(self, model: Any, given: Any, *, training: bool) -> None:
        """Note that a model that is trained by hand answers a batch beside its training."""
        network = self._networks.get(model)
        if network is None or model not in self._loops:
            return
        columns = row_of.columns(given)
        passes = self._group(network, self._line(), columns, None, training=training, grad=False)
        is_new = passes.last != self._backwards or not passes.aside
        passes.stretches += is_new
        passes.aside += 1
        passes.first, passes.last = passes.first or self._backwards, self._backwards
        found = row_of.prints(given)
        passes.aside_rows += len(found)
        if found:
            passes.seen = passes.seen or SeenRows()
            passes.seen.add(found, network.rows.times, passes.stretches)

    # Evaluations.

    def note_adapted(self, data: Any) -> None:
        """Note the rows from which a layer takes a mean and a variance."""
        self._adapted |= set(row_of.prints(data))

    def note_asked(self, given: dict[str, Any]) -> None:
        """Note that a model was evaluated, or asked for its answers."""
        network = self._network(given["self"])
        self._ask(network, given.get("x"), given.get("y"), self._line())
        self.write()

    def _ask(self, network: FittedNetwork, x: Any, y: Any, line: int) -> None:
        found = row_of.prints(x)
        columns = row_of.columns(x) if not row_of.is_dataset(x) else row_of.sliced(x) or []
        passes = self._group(network, line, columns, x, training=False, grad=False)
        passes.told = True
        count = len(found) or (len(columns[0]) if columns else 0)
        passes.stretches += 1
        passes.aside += max(1, -(-count // BATCH))
        passes.aside_rows += count
        passes.first, passes.last = passes.first or self._backwards, self._backwards
        if not found:
            return
        passes.seen = passes.seen or SeenRows()
        for at in range(0, count, BATCH):
            part = found[at : at + BATCH]
            passes.seen.add(part, network.rows.times, passes.stretches)
        fresh = self._adapted.difference(network.rows.times)
        passes.seen.adapted += sum(each in fresh for each in found)
        labels = row_of.labels_of(x) if y is None else row_of.as_array(y)
        classes = classes_of(labels) if labels is not None else None
        if classes is not None and len(classes):
            place = {"network": network.number, "line": line}
            study = {"labels": counted(classes), "limits": []}
            self._keep({"kind": "evaluation", "at": self._backwards, **place, "found": study})

    def _keep(self, study: dict[str, Any]) -> None:
        """Keep the last of an evaluation's line: what a model has learned in the end counts."""
        where = ("kind", "network", "line")
        self._studies = [
            each for each in self._studies if any(each[name] != study[name] for name in where)
        ]
        if len(self._studies) < MOST:
            self._studies.append(study)

    # What is known of them.

    def _network(self, model: Any) -> FittedNetwork:
        network = self._networks.get(model)
        if network is None:
            number, kind = len(self._all) + 1, type(model).__name__
            network = FittedNetwork(number, kind, weakref.ref(model), 0, 0, [], [], [])
            self._networks[model] = network
            self._all.append(network)
        return network

    def _group(
        self,
        network: FittedNetwork,
        line: int,
        arrays: Sequence[Any],
        given: Any,
        *,
        training: bool,
        grad: bool,
    ) -> FittedPasses:
        key = (network.number, line, training, grad)
        if key not in self._passes:
            names = [*map(str, given)] if isinstance(given, dict) else []
            count = range(len(arrays))
            names = names if len(names) == len(arrays) else [str(at) for at in count]
            shapes = [[BATCH, *map(int, each.shape[1:])] for each in arrays]
            kinds = [str(each.dtype) for each in arrays]
            self._passes[key] = FittedPasses(
                network, line, training, grad, tuple(names), shapes, kinds
            )
        return self._passes[key]

    def _add_rows(self, network: FittedNetwork, found: list[int], batch: int) -> None:
        """Take in the rows of a training, in batches as `fit` mixes them."""
        mixed = found[:]
        random.Random(0).shuffle(mixed)
        for at in range(0, len(mixed), batch):
            network.rows.add(mixed[at : at + batch])

    def _optimizer(self, model: Any, line: int, optimizer: Any) -> FittedOptimizer:
        known = self._optimizers.get(id(optimizer))
        tensors = len(model.trainable_variables)
        if known is None:
            schedule = getattr(optimizer, "_learning_rate", None)
            has_schedule = callable(schedule) and hasattr(schedule, "get_config")
            base = 0.0 if has_schedule else current_rate(optimizer) or 0.0
            kind = type(optimizer).__name__
            number = len(self._optimizers) + 1
            # Of a loop by hand it is heard of behind its first step.
            is_own = optimizer is getattr(model, "optimizer", None)
            begun_at = int(optimizer.iterations) if is_own else 0
            known = FittedOptimizer(
                number, kind, line, lambda: optimizer, begun_at=begun_at, base=base
            )
            self._optimizers[id(optimizer)] = known
        known.tensors = max(known.tensors, tensors)
        return known

    def note_loss(self, compute: Callable[[Any, Any], Any], name: str, takes_logits: bool) -> None:
        """Note a loss that is computed, perhaps by a step of the script's own."""
        self._loss = LossKind(compute, name, takes_logits)

    def note_call(self, name: str, value: float) -> None:
        """Note a fact of what Keras is called with, and the line that was the first to do so."""
        line, _value = self._calls.get(name) or (self._line(), 0.0)
        self._calls[name] = line, value

    def _loss_of(self, model: Any) -> LossKind | None:
        """Return the loss of a model with one output; None where it has several, or is unknown."""
        compiled = getattr(model, "_compile_loss", None)
        flat = getattr(compiled, "_flat_losses", None)
        if compiled is None or not flat:
            return self._loss
        if len(flat) > 1:
            return None
        one = flat[0][1]
        return LossKind(compiled, name_of(one), is_from_logits(one) if name_of(one) else False)

    def _line(self) -> int:
        frame = own_frame(self._own)
        return 0 if frame is None else self._number(frame)

    # The event.

    def write(self, *, over: bool = False) -> None:
        """Write what is known so far, if anything was trained or asked."""
        if self._passes and not self._log.looking:
            self._log.write(self._event(over=over))

    def _event(self, *, over: bool) -> LedgerEvent:
        for each in self._optimizers.values():
            each.count()
        return LedgerEvent(
            event="ledger",
            over=over,
            backwards=self._backwards,
            steps=sum(each.steps for each in self._optimizers.values()),
            networks=[_network(each) for each in self._all if each.module() is not None],
            passes=[*map(_passes, self._passes.values())],
            losses=[*map(loss_of, self._losses.values())],
            optimizers=[*map(optimizer_of, self._optimizers.values())],
            schedules=[found for each in self._optimizers.values() if (found := _schedule(each))],
            loads=[],
            gradients=list(self._gradients),
            kin=[],
            studies=list(self._studies),
            workers=0,
            choices=[
                {"name": n, "highest": high, "values": []} for n, high in self._choices.items()
            ],
            said=[],
            calls=[{"name": n, "line": at, "value": v} for n, (at, v) in self._calls.items()],
        )


def _batch_of(given: dict[str, Any]) -> int:
    x = given.get("x")
    size = row_of.size_of_batches(x) if row_of.is_dataset(x) else given.get("batch_size")
    return int(size or BATCH)


def _network(network: FittedNetwork) -> dict[str, Any]:
    """Return what is known of a network; what only the ledger of PyTorch knows is left out."""
    model, rows = network.module(), network.rows
    layers = [*model._flatten_layers()]
    # Those of `tf_keras` call them weights.
    own = ("_trainable_variables", "_trainable_weights")
    learned = {id(v): v for each in layers for name in own for v in getattr(each, name, ())}
    moving = {id(each) for each in model.trainable_variables}
    numbers = {key: math.prod(each.shape) for key, each in learned.items()}
    return {
        "id": network.number,
        "class": network.kind,
        "tensors": len(learned),
        "numbers": sum(numbers.values()),
        "dropouts": sum(_drops(each) for each in layers),
        "norms": sum(map(_norms, layers)),
        "held": bool(network.reached and moving),
        "frozen": sum(n for key, n in numbers.items() if key not in moving),
        "rows": rows.rows,
        "passed": max(rows.passed, rows.rows),
        "distinct": len(rows.times),
        "pairs": rows.pairs,
        "twins": rows.twins,
    }


def _drops(layer: Any) -> bool:
    name = type(layer).__name__
    return name.startswith(DROPPING) and bool(getattr(layer, "rate", 1))


def _norms(layer: Any) -> bool:
    return type(layer).__name__ in NORMING


def _passes(passes: FittedPasses) -> dict[str, Any]:
    model = passes.owner.module()
    layers = [*model._flatten_layers()] if model is not None and passes.training else []
    passes.modes = passes.reached + passes.aside
    passes.dropping = passes.modes * any(map(_drops, layers))
    passes.norming = passes.modes * any(map(_norms, layers))
    return {**group_of(passes, passes.seen), "told": passes.told}


def _schedule(optimizer: FittedOptimizer) -> dict[str, Any] | None:
    itself = optimizer.itself()
    length = steps_with_rate(itself, optimizer.highest)
    if length is None:
        return None
    return {
        "class": type(itself._learning_rate).__name__,
        "line": optimizer.line,
        "calls": optimizer.steps,
        "steps": optimizer.steps,
        "length": length,
        "ends": True,
    }


def steps_with_rate(optimizer: Any, highest: float) -> int | None:
    """Return after how many steps a schedule was over; None where most of its steps had a rate.

    To ask a schedule for the rate of a step changes nothing.
    """
    schedule = getattr(optimizer, "_learning_rate", None)
    if not (callable(schedule) and hasattr(schedule, "get_config") and highest > 0):
        return None

    def is_over(step: int) -> bool:
        return float(schedule(step)) <= NOTHING * highest

    done = int(optimizer.iterations)
    if done < 2 or not is_over(done - 1):
        return None
    # What is over remains so: the first step of all those behind it.
    begin = bisect.bisect_left(range(done - 1), True, key=is_over)
    return begin if begin and done - begin > EARLY * done else None
