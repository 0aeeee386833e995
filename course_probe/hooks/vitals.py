"""Hear what the vital signs of a training are counted from, and write them.

See `course_probe/vital_signs/` for the counting, `course/runs/vital_signs.py` for the signs.
"""

import math
import os
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from course_probe.event_log import EventLog
from course_probe.events import VitalsEvent
from course_probe.forked import found_aside
from course_probe.guard import noted
from course_probe.hooks.living_objects import living, tokenizer
from course_probe.hooks.measure import TIMES
from course_probe.hooks.model_pass import ModelPass, as_classes, as_tensor, logits_of
from course_probe.lengths import length
from course_probe.packages import LABELS
from course_probe.vital_signs.answers import AnswerSheet
from course_probe.vital_signs.examples import IGNORED, RowCount, fingerprints
from course_probe.vital_signs.hub_rows import HubData, HubRows
from course_probe.vital_signs.parameters import ParameterWatch
from course_probe.vital_signs.real_steps import RealSteps
from course_probe.vital_signs.steps import StepWatch
from course_probe.vital_signs.weak import nothing, weak_batch, weakly

EARLY = (20, 60, 200)
"""Steps, or training passes without any, after which the model's signs are written: what will never
learn need not run on to its end."""

SHIFTING = ("ForCausalLM", "LMHeadModel", "DoubleHeadsModel")
"""Ends of the names of models that shift the labels by themselves."""
AHEAD = 9
"""Batches that are kept: a Trainer fetches those of a step, and one more, before the first."""
NUMBERING = ("idx", "index", "id", "guid")
"""Columns that number the examples."""


class VitalsHooks:
    """The last training of one script, and the last evaluation after it.

    Where the script is examined, nothing is: nobody reads them there.
    """

    def __init__(self, log: EventLog, *, examined: bool = False) -> None:
        self._log = log
        self.is_examined = examined
        self.at_backward: list[Callable[[Any], None]] = []
        self.at_early: list[Callable[[], None]] = []
        self._data: Callable[[], Any] = nothing
        self._batches: deque[Callable[[], Any]] = deque(maxlen=AHEAD)
        self.text: dict[str, Any] = {}
        self._real_steps = RealSteps()
        # What a script says of its data later on is its own affair.
        self._hub = HubData(os.environ.get("HF_DATASETS_CACHE"))
        self._begin()

    def _begin(self) -> None:
        """Forget the training before."""
        self._real_steps.begin_training()
        self._parameters: ParameterWatch | None = None
        self._last_held: list[Callable[[], Any]] | None = None
        self._steps = StepWatch()
        self._examples = RowCount()
        self._trained_rows = HubRows()
        self._made_by: Any = None
        self._first_rows: list[int] = []
        self._copy: Callable[[], Any] = nothing
        self._passes = {"train": 0, "evaluate": 0}
        self._guess: float | None = None
        self._unknown: tuple[int | None] | None = None
        self._is_pretrained = False
        self._name: str | None = None
        self._is_over = False
        self._is_new = False
        self._begin_answers()

    def _begin_answers(self) -> None:
        self._answers = AnswerSheet()
        self._asked_rows = HubRows()
        self._waiting: list[dict[str, Any]] = []
        self._said: dict[str, float] = {}
        self._given: tuple[Sequence[Any], Sequence[Any]] | None = None
        self._given_times = 0
        self._has_new_pass = False

    # What the other hooks, and our own, hear.

    def note_backward(self, loss: Any) -> None:
        """Note that a loss, or a tuple of several, is sent backward."""
        if not self._log.looking:
            self._steps.note_backward()
            for call in self.at_backward:
                noted(call, loss)

    def note_batch(self, batch: Any, data: Any) -> None:
        """Keep the batch that a loader gives: labels may be taken out before the model sees it."""
        # Who evaluates within an epoch goes on with the loader that was begun before.
        self._data = weakly(data)
        # Who takes the labels out of a batch takes them out of their own.
        self._batches.append(weak_batch(batch))

    def begin_pass(self) -> None:
        """Note that a pass over a loader begins."""
        self._has_new_pass = True

    @property
    def optimizers_made(self) -> int:
        """Return how many optimizers the script has made, as far as they still exist."""
        return len(self._optimizers)

    @property
    def _optimizers(self) -> list[Any]:
        """Return the optimizers that step; before any has, those that there are."""
        return self._steps.optimizers or living("torch.optim.optimizer", "Optimizer")

    @property
    def unknown(self) -> int | None:
        """Return the id that a tokenizer gives what it does not know, as this training begins."""
        if self._unknown is None:
            self._unknown = (getattr(tokenizer(), "unk_token_id", None),)
        return self._unknown[0]

    @property
    def training_passes(self) -> int:
        """Return the passes of the last training, by a Trainer or by hand; 0 without one."""
        return self._passes["train"]

    def begin_training(self) -> None:
        """Note that a Trainer begins to train."""
        self._begin()

    def note_text(self, signs: Mapping[str, Any]) -> None:
        """Note what became of the texts of the data when they were turned into token ids."""
        self.text = dict(signs)

    def note_said(self, values: Mapping[str, Any]) -> None:
        """Note the script's own figures of an evaluation, named as it names them or `eval_…`."""
        if self._parameters is not None:
            # One metric after the other may be computed of one evaluation.
            self._said |= {
                name.removeprefix("eval_"): float(value)
                for name, value in values.items()
                if isinstance(value, int | float)
                and float(value) - float(value) == 0
                and not name.endswith(TIMES)
            }
            self._is_new = True
            self.write()

    def first_rows(self) -> list[int]:
        """Return the fingerprints of what should be this process's part of the first epoch."""
        return self._first_rows

    def count_answers(self) -> tuple[int, int]:
        """Count the right answers of the last evaluation, and all of them."""
        return self._answers.count()

    def note_given(self, predictions: Sequence[Any], references: Sequence[Any]) -> None:
        """Note what the script's metric was given."""
        self._given = (predictions, references)
        self._given_times += 1

    def note_step(self, optimizer: Any) -> None:
        """Note that an optimizer is about to step."""
        if self._log.looking or self._parameters is None:
            return
        self._real_steps.begin(optimizer)
        # The step is yet to come: what has moved so far, the ones before have moved.
        steps = self._steps.steps
        self._parameters.note_step(steps)
        if steps.bit_count() == 1:
            # The network of a function is gone once that returns.
            self._parameters.read(self._held())
        if self._steps.note_step(optimizer):
            # A function's optimizer may be gone before anything is written.
            self._held()
        if self._steps.steps in EARLY:
            self._write_early()

    def note_stepped(self, optimizer: Any) -> None:
        """Note that an optimizer has stepped."""
        if not self._log.looking and self._parameters is not None:
            self._real_steps.end(optimizer)

    def note_training_pass(self, one: ModelPass) -> None:
        """Note a pass that trains."""
        if self.is_examined:
            return
        watched = self._parameters
        if watched is None or not watched.is_held(one.model):
            self._begin()
            self._parameters = ParameterWatch(one.model)
            self._name = getattr(one.encoder, "name_or_path", "") or None
            self._is_pretrained = self._name is not None
            self._begin_loss(one)
        elif self._is_over:
            # A pass after an evaluation: the training goes on.
            self._is_over = False
        self._passes["train"] += 1
        self._is_new = True
        labels = self._labels_in(one)
        self._examples.split = _split(self._data())
        known = None if labels is None else _array(labels)
        rows = _rows_of(one)
        self._examples.add(*rows, known, self.unknown)
        self._note_rows(one, self._trained_rows, labels)
        processes = _processes()
        if processes > 1 and len(self._first_rows) < (length(self._data()) or 0) // processes:
            self._first_rows += fingerprints(*rows).tolist()
        if not self._steps.steps and self._passes["train"] in EARLY:
            self._write_early()

    def _note_rows(self, one: ModelPass, kept: HubRows, labels: Any) -> Any:
        """Note the rows of a pass, and return their fingerprints."""
        rows = _rows_of(one)
        prints = fingerprints(*rows)
        if self._hub:
            # That of a function is gone once it returns.
            self._made_by = self._made_by or tokenizer()
            kept.add(*rows, None if labels is None else _array(labels), prints)
        return prints

    def _begin_loss(self, one: ModelPass) -> None:
        """Note what guessing would give: of so many classes, one label a row."""
        labels = one.given.get("labels")
        classes = getattr(getattr(one.model, "config", None), "num_labels", None)
        if labels is None or not classes or labels.ndim != 1 or labels.is_floating_point():
            return
        if classes > 1:
            self._guess = math.log(classes)

    def note_evaluation_pass(self, one: ModelPass) -> None:
        """Note a pass that evaluates."""
        watched, logits = self._parameters, one.logits
        if watched is None:
            return
        if self._has_new_pass or not self._is_over:
            self._begin_answers()
            self._is_over = True
            self._answers.split = _split(self._data())
        self._passes["evaluate"] += 1
        self._is_new = True
        if logits is None:
            return
        if self._passes["evaluate"] == 1:
            watched.read(self._held())
        if self._answers.evaluated_is_trained is None:
            same = watched.is_held(one.model)
            if not same:
                # The best weights, say, loaded into a model of their own.
                others = dict(one.model.named_parameters())
                led_to = self._real_steps.led_to(watched.named, others)
                same = led_to or watched.is_equal(one.model)
                self._copy = weakly(one.model if same else None)
            self._answers.evaluated_is_trained = same
        labels = self._labels_in(one)
        if getattr(logits, "ndim", 0) == 3:
            if labels is None:
                return
            if type(one.model).__name__.endswith(SHIFTING):
                # Each label is the token after its place.
                labels = labels.roll(-1, dims=1)
                labels[:, -1] = IGNORED
        prints = self._note_rows(one, self._asked_rows, labels)
        if self._answers.wants_before and self._can_answer_before(one):
            self._waiting.append({k: _copied(v) for k, v in one.given.items()})
            self._answers.add(logits, labels, prints, waits=True)
            if not self._answers.wants_before:
                self._answer_before()
        else:
            self._answers.add(logits, labels, prints)

    @property
    def _trained(self) -> Any:
        """Return the model that was trained, or what its weights were loaded into; None if gone."""
        own = self._parameters.model if self._parameters is not None else None
        return self._copy() if own is None else own

    def _can_answer_before(self, one: ModelPass) -> bool:
        """Return whether the model can be asked what it gave before it was trained."""
        model = self._trained
        return (
            model is not None
            and not _must_run_once(model)
            and all(map(_is_copied, one.given.values()))
        )

    def _answer_before(self) -> None:
        """Ask the model, with the weights that it had before its training, in a child."""
        torch = sys.modules["torch"]
        waiting, self._waiting = self._waiting, []
        watched = self._parameters
        model = self._trained
        weights = watched.before() if watched is not None and waiting else None
        if model is None or weights is None:
            self._answers.forget_before()
            return

        def answers() -> list[tuple[list[int], bytes]]:
            # No cache: https://docs.pytorch.org/docs/stable/generated/torch.func.functional_call.html
            with torch.no_grad():
                made = [torch.func.functional_call(model, weights, (), given) for given in waiting]
            logits = [logits_of(each).float().numpy() for each in made]
            return [(list(each.shape), each.tobytes()) for each in logits]

        found = found_aside(answers)
        if found is None:
            self._answers.forget_before()
        else:
            self._answers.add_before([_tensor(shape, data) for shape, data in found])

    def _labels_in(self, one: ModelPass) -> Any:
        """Return the labels that a pass was given, or else those of a batch that a loader gave."""
        for given in (one.given, one.named):
            if given.get("labels") is not None:
                return given["labels"]
        found = (_labels_of(batch(), one.ids) for batch in reversed(self._batches))
        return next((labels for labels in found if labels is not None), None)

    # What is written.

    def _write_early(self) -> None:
        """Write the signs of the model in the midst of a training."""
        self._log.write(VitalsEvent(event="vitals", model=finite(self._model_signs())))
        for call in self.at_early:
            noted(call)

    def write(self) -> None:
        """Write all signs as they are now, where anything is new since the last time."""
        if self._parameters is None or self._log.looking or not self._is_new:
            return
        self._is_new = False
        if self._waiting:
            self._answer_before()
        self._log.write_figures(self._real_steps.figures())
        data = {**self._examples.signs(), **self.text} if self._passes["train"] else {}
        outcome = self._answers.signs(self._examples.prints(), self._said, self._given)
        if self._given_times:
            outcome["given_times"] = self._given_times
        if _processes() > 1:
            # The script's figures are of all processes, and what is heard is of this one.
            outcome.pop("said_off", None)
        if self._hub:
            # The rows tell of which split they are, whatever the script calls their data.
            data |= self._trained_rows.signs(self._hub, self._made_by)
            outcome |= self._asked_rows.signs(self._hub, self._made_by)
        self._log.write(
            VitalsEvent(
                event="vitals",
                model=finite(self._model_signs()),
                loss=finite(self._loss_signs()),
                rate=self._steps.usual_rates(pretrained=self._is_pretrained),
                data=finite(data),
                outcome=finite(outcome),
            )
        )

    def _model_signs(self) -> dict[str, Any]:
        if self._parameters is None:
            return {}
        held = self._held()
        found = {
            "name": self._name,
            "processes": _processes(),
            "optimizers": len(self._optimizers),
            **self._parameters.signs(held),
            **self._steps.signs(),
            "passes": self._passes["train"],
        }
        if self._answers.evaluated_is_trained is not None:
            found["evaluated_is_trained"] = int(self._answers.evaluated_is_trained)
        return found

    def _held(self) -> list[Any] | None:
        """Return the parameters that the optimizers hold; None where there is no optimizer.

        Those of a function are gone once it returns: what they were is still known then.
        """
        made = self._optimizers
        if made:
            held = [p for o in made for g in o.param_groups for p in g["params"]]
            self._last_held = [weakly(each) for each in held]
        if self._last_held is None:
            return None
        return [each for reference in self._last_held if (each := reference()) is not None]

    def _loss_signs(self) -> dict[str, Any]:
        guess = self._guess if self._guess is not None else self._examples.variance()
        return {} if guess is None else {"guess": guess}


def _array(tensor: Any) -> Any:
    """Return a tensor as an array; NumPy has no halves of a float."""
    found = tensor.detach().to("cpu")
    return (found.double() if found.is_floating_point() else found).numpy()


def _rows_of(one: ModelPass) -> tuple[Any, Any]:
    """Return the token ids of a pass and their mask, if it has one for each of them, as arrays."""
    mask = one.named.get("attention_mask")
    return _array(one.ids), _array(mask) if getattr(mask, "ndim", 0) == 2 else None


def _labels_of(whole: Any, ids: Any) -> Any:
    """Return the labels of a batch, if it has these token ids."""
    batch = whole
    if isinstance(batch, Mapping):
        for name in LABELS:
            if name in batch:
                labels = as_tensor(batch[name])
                is_it = labels is not None and len(labels) == len(ids)
                return labels if is_it and not _is_other(whole, ids) else None
        batch = [column for name, column in batch.items() if name not in NUMBERING]
    if not isinstance(batch, tuple | list):
        return None
    # Under no name that we know: its labels are the one column of classes.
    columns = [each for each in map(as_classes, batch) if each is not None]
    columns = [each for each in columns if len(each) == len(ids)]
    return columns[0] if len(columns) == 1 and not _is_other(whole, ids) else None


def _tensor(shape: list[int], data: bytes) -> Any:
    """Make a tensor of a shape from the bytes of its float32 numbers."""
    array = sys.modules["numpy"].frombuffer(data, "float32").reshape(shape)
    return sys.modules["torch"].from_numpy(array.copy())


def _is_other(batch: Any, ids: Any) -> bool:
    """Return whether a batch holds token ids, and none are these: made by hand, say."""
    columns = batch.values() if isinstance(batch, Mapping) else batch
    torch = sys.modules["torch"]
    found = []
    for column in columns:
        inner = column.values() if isinstance(column, Mapping) else column
        tensors = inner if isinstance(column, Mapping | tuple | list) else [column]
        found += [each for each in tensors if torch.is_tensor(each) and each.ndim == 2]
    tables = [each for each in found if not each.is_floating_point() and len(each) == len(ids)]
    width = min((each.shape[1] for each in (*tables, ids)), default=0)
    own = ids[:, :width].cpu()
    return bool(tables) and not any(torch.equal(e[:, :width].cpu().to(own), own) for e in tables)


def _processes() -> int:
    """Return how many processes train together, as torchrun, accelerate and others tell them."""
    size = os.environ.get("WORLD_SIZE", "")
    return int(size) if size.isdigit() and size != "0" else 1


def finite(signs: dict[str, Any]) -> dict[str, Any]:
    """Drop the signs that are no finite numbers: of these nothing is known."""
    return {
        name: value
        for name, value in signs.items()
        if not isinstance(value, float) or value - value == 0
    }


def _is_copied(value: Any) -> bool:
    """Return whether an argument of a pass can be kept as a copy of ours."""
    return value is None or isinstance(
        value, bool | int | float | str | sys.modules["torch"].Tensor
    )


def _copied(value: Any) -> Any:
    return value.detach().clone() if hasattr(value, "detach") else value


def _must_run_once(model: Any) -> bool:
    """Return whether a pass leaves something behind: statistics, or what hooks make of it."""
    kinds = sys.modules["torch"].nn.modules.batchnorm._NormBase
    return any(isinstance(each, kinds) or _has_hooks(each) for each in model.modules())


def _has_hooks(module: Any) -> bool:
    """Return whether a module has hooks that are not ours."""
    hooks = [*module._forward_hooks.values(), *module._forward_pre_hooks.values()]
    return any(not str(getattr(h, "__module__", "")).startswith("course_probe.") for h in hooks)


def _split(data: Any) -> str | None:
    """Return the name of the split that data are, where they say so."""
    if type(data).__module__.partition(".")[0] != "datasets":
        return None
    split = getattr(data, "split", None)
    return str(split) if split is not None else None
