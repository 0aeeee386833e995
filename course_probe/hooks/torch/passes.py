"""Hook the outermost passes of the networks of somebody's own script, and the answers taken.

A network says not what a pass is for. One that `backward` follows trains; passes without gradients,
many in a row or one among many training passes, evaluate. A single one beside each training pass is
neither: a teacher, or a generator that makes examples. One with gradients that nothing follows, and
with more rows than any batch of the training, evaluates too.
"""

import functools
import math
import sys
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

from course_probe.event_log import EventLog
from course_probe.hooks.torch.dataloader import count_batches
from course_probe.hooks.torch.forward import ForwardHooks
from course_probe.hooks.torch.sequences import SequenceHooks
from course_probe.hooks.wrap import noted
from course_probe.reading.held_out_values import loader_name, rows_name
from course_probe.vital_signs.dead_units import EVERY_CALL, DeadUnits
from course_probe.vital_signs.evaluation.answers_taken import TAKEN
from course_probe.vital_signs.evaluation.evaluations import Evaluations, Stretch, prints_of
from course_probe.vital_signs.evaluation.loops import EvaluationLoops
from course_probe.vital_signs.evaluation.shared_items import SharedItems
from course_probe.vital_signs.kept_graphs import KeptGraphs
from course_probe.vital_signs.lost_mode import LostMode
from course_probe.vital_signs.plain_model import PlainModel
from course_probe.vital_signs.sequences.token_labels import TokenLabels

APART = 5
"""Training passes between two single passes without gradients that evaluate."""
MANY = 8
"""Passes in a row without `backward` that evaluate, though they keep what gradients need."""
COLUMNS = 32
"""Numbers of a row that tell it from others."""
WIDEST = 4096
"""Numbers of a row that its sum is taken over."""
LOOKS = 12
"""Training passes whose inputs' size is looked at."""
EVERY = 8
"""Of so many steps one is looked at, once all rows are known that are kept, and as long as each has
the passes of the last one that was."""
LONG, SELDOM = 2000, 32
"""Steps after which one of so many is."""
NAMES = 100
"""Batches of no loader, the first ones, whose names are looked for."""
LARGEST_WEIGHT = 2**16
"""Numbers of a weight that is kept to be compared: the last one mostly is a bias."""
LARGEST = 2**24
"""Numbers of a batch whose rows are looked at."""


class PassHooks:
    """The outermost passes of one script so far.

    It `has_graphs_aside` if some before the last `backward` kept one in evaluation mode.
    `at_evaluation` is called once the first evaluation within a training is over.
    """

    def __init__(
        self,
        log: EventLog,
        forward: ForwardHooks,
        plain: PlainModel,
        sequences: SequenceHooks | None = None,
    ) -> None:
        self._log = log
        self._forward = forward
        self._sequences = sequences
        self._plain = plain
        self._depth = 0
        self._stretches: dict[tuple[bool, bool], Stretch] = {}
        self.has_graphs_aside = False
        self._evaluations = Evaluations()
        self._by_loader = False
        self._loader: Any = None
        self._loader_name: str | None = None
        self._is_loader_asked = False
        self._stepped: weakref.WeakSet[Any] = weakref.WeakSet()
        self._stepping: Callable[[], Any] = _nothing
        self._turns = 0
        self._asked: Callable[[], Any] = _nothing
        self._weight: Callable[[], Any] = _nothing
        self._numbers: Any = None
        self._names_wanted = NAMES
        self.batch: Callable[[], Any] = _nothing
        self.batch_before: Callable[[], Any] = _nothing
        self._last_batch: Any = None
        self._loops = EvaluationLoops()
        self._shared = SharedItems()
        self._since_evaluation = 0
        self._usual: Counter[bool] = Counter()
        self._widest = 0
        self._dropouts = self._norms = self._always = 0
        self._lost = LostMode()
        self._loaders: dict[int, weakref.ref[Any] | None] = {}
        self._iterated: set[int] = set()
        self._token_labels = TokenLabels()
        self._graphs = KeptGraphs()
        self._activations = DeadUnits()
        self._kept_share: float | None = None
        self._backwards = self._new = self._input_looks = 0
        self._calls = self._usual_calls = self._unseen = 0
        self._input_size = 0.0
        self._input_gaps = 0
        self.taken = TAKEN
        self.taken.reset()
        self.at_evaluation: Callable[[], object] = _nothing
        self._has_told = False
        self.loaded = self.pretrained = 0
        self._loaded_first = 0
        self.is_trained: Callable[[Any], bool] = lambda _model: False

    @property
    def is_fresh(self) -> bool:
        """Whether all networks were made by chance: nothing was loaded but their own best state."""
        return not self._loaded_first + self.pretrained

    # What is heard.

    def hook_modules(self, module: ModuleType) -> None:
        """Observe each pass of any network, of `torch.nn.modules.module`."""
        kind = module.Module
        original = kind.__call__
        log, forward, is_enabled = self._log, self._forward, sys.modules["torch"].is_grad_enabled

        def called(model: Any, *arguments: Any, **named: Any) -> Any:
            if self._depth or log.looking or forward.is_observing:
                return original(model, *arguments, **named)
            if model.training and is_enabled():
                if self._unseen and not self._stretches and arguments:
                    # Nearly every pass of a long training is one that is let by.
                    shape = getattr(arguments[0], "shape", None)
                    if shape and shape[0] <= self._widest:
                        self._unseen -= 1
                        self._depth = 1
                        try:
                            return original(model, *arguments, **named)
                        finally:
                            self._depth = 0
                self._calls += 1
            return self._compute(original, model, arguments, named)

        kind.__call__ = functools.wraps(original)(called)
        load = kind.load_state_dict

        @functools.wraps(load)
        def loaded(model: Any, *arguments: Any, **named: Any) -> Any:
            self.loaded += 1
            self._loaded_first += not self.is_trained(model)
            return load(model, *arguments, **named)

        kind.load_state_dict = loaded

    def hook_models(self, module: ModuleType) -> None:
        """Hear which parameters the models of `transformers.modeling_utils` are given by chance."""
        original = getattr(module.PreTrainedModel, "_finalize_model_loading", None)
        if original is None:
            return

        @functools.wraps(original)
        def finalized(*arguments: Any, **named: Any) -> Any:
            found = original(*arguments, **named)
            self._new += len(getattr(found, "missing_keys", ()))
            self.pretrained += 1
            return found

        module.PreTrainedModel._finalize_model_loading = staticmethod(finalized)

    def hook_functions(self, module: ModuleType) -> None:
        """Observe dropout and batch norm of `torch.nn.functional`: are they as in a training?"""
        dropout, batch_norm = module.dropout, module.batch_norm

        @functools.wraps(dropout)
        def dropped(
            input: Any,  # noqa: A002 (as PyTorch has it)
            p: float = 0.5,
            training: bool | None = None,
            inplace: bool = False,
        ) -> Any:
            if training is None:
                # The layer tells its mode; who forgets to tell it has dropout at all times.
                training = True
                self._always += p > 0
            self._dropouts += training and p > 0
            return dropout(input, p, training, inplace)

        @functools.wraps(batch_norm)
        def normed(input: Any, mean: Any, *arguments: Any, **named: Any) -> Any:  # noqa: A002
            training = arguments[3] if len(arguments) > 3 else named.get("training", False)
            self._norms += bool(training) and mean is not None
            return batch_norm(input, mean, *arguments, **named)

        softmax = self._softened(module.softmax)
        changed = {"dropout": dropped, "batch_norm": normed, "softmax": softmax}
        for name, function in changed.items():
            setattr(module, name, function)

    def _rectified(self, relu: Callable[..., Any]) -> Callable[..., Any]:
        """Observe what a ReLU gives, of a layer or of a function."""
        activations, log, torch = self._activations, self._log, sys.modules["torch"]
        is_compiling = torch.compiler.is_compiling

        @functools.wraps(relu)
        def rectified(*arguments: Any, **named: Any) -> Any:
            found = relu(*arguments, **named)
            if self._depth and not log.looking and not is_compiling():
                activations.calls += 1
                if activations.calls % EVERY_CALL == 0 and type(found) is torch.Tensor:
                    noted(activations.note, found)
            return found

        return rectified

    def hook_answers(self, torch: ModuleType) -> None:
        """Observe where the highest or the lowest output is looked for, and what a ReLU gives."""
        for name in ("relu", "relu_"):
            for owner in (torch, torch.Tensor):
                setattr(owner, name, self._rectified(getattr(owner, name)))
        for name in ("argmax", "argmin", "max", "min"):
            for owner in (torch, torch.Tensor):
                setattr(owner, name, self._taking(name, getattr(owner, name)))
        for owner in (torch, torch.Tensor):
            setattr(owner, "softmax", self._softened(owner.softmax))  # noqa: B010 (as below)
        load = torch.load

        @functools.wraps(load)
        def loaded(*arguments: Any, **named: Any) -> Any:
            self.loaded += 1
            self._loaded_first += not self._backwards
            return load(*arguments, **named)

        setattr(torch, "load", loaded)  # noqa: B010 (a module has no such attribute for mypy)

    def hook_arrays(self, numpy: ModuleType) -> None:
        """Observe the same where the outputs are arrays."""
        for name in ("argmax", "argmin"):
            setattr(numpy, name, self._taking(name, getattr(numpy, name)))

    def hook_optimizers(self, module: ModuleType) -> None:
        """Hear which optimizer steps, of those of `torch.optim.optimizer`."""

        def before_step(optimizer: Any, _arguments: Any, _named: Any) -> None:
            if optimizer is self._stepping() or self._log.looking:
                return
            self._stepping = weakref.ref(optimizer)
            if optimizer in self._stepped:
                self._turns += 1
                return
            self._stepped.add(optimizer)
            goes_on = self._is_as_evaluated(optimizer)
            self._evaluations.begin_training(goes_on=goes_on)
            if not goes_on and len(self._stepped) > 1:
                self._shared.begin()

        module.register_optimizer_step_pre_hook(before_step)

    def _is_as_evaluated(self, optimizer: Any) -> bool:
        """Whether an optimizer holds the network that was evaluated last, as that was then."""
        weight = self._weight()
        if weight is None or self._numbers is None:
            return False
        held = {id(p) for group in optimizer.param_groups for p in group["params"]}
        now, then = weight.detach(), self._numbers
        if id(weight) not in held or (now.device, now.dtype) != (then.device, then.dtype):
            return False
        return bool(sys.modules["torch"].equal(now, then))

    def hook_loaders(self, module: ModuleType) -> None:
        """Remember which data the loaders of `torch.utils.data.dataloader` are made for."""
        make = module.DataLoader.__init__

        @functools.wraps(make)
        def made(loader: Any, *arguments: Any, **named: Any) -> None:
            make(loader, *arguments, **named)
            self._loaders.setdefault(id(loader.dataset), _reference(loader.dataset))

        module.DataLoader.__init__ = made

    def begin_loader(self, loader: Any) -> None:
        """A pass over a loader begins."""
        self._iterated.add(id(getattr(loader, "dataset", None)))
        self._by_loader = True
        self._loader = loader
        self._loader_name = self._last_batch = None
        self._is_loader_asked = False
        is_long = (count_batches(loader) or 0) > 1
        evaluates = not sys.modules["torch"].is_grad_enabled()
        self._loops.begin(evaluates=evaluates, is_long=is_long)

    def _ask_loader(self) -> None:
        """A network is evaluated with what a loader gives: is that held out by its name?"""
        self._is_loader_asked = True
        if self._backwards and self._loader_name is None:
            self._loader_name = loader_name(self._loader) or ""
        if self._loader_name:
            self._shared.note_evaluation(getattr(self._loader, "dataset", None), self._loader_name)

    def _taking(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def taken(*arguments: Any, **named: Any) -> Any:
            if not self._depth and not self._log.looking and self.taken.shape is not None:
                noted(self.taken.note, name, arguments, named)
            return original(*arguments, **named)

        return taken

    def _softened(self, softmax: Callable[..., Any]) -> Callable[..., Any]:
        """Observe a softmax: of the scores of an attention, or of the outputs of a network."""

        @functools.wraps(softmax)
        def softened(*arguments: Any, **named: Any) -> Any:
            if arguments and not self._log.looking:
                if not self._depth:
                    noted(self.taken.note_softmax, arguments, named)
                if self._sequences is not None:
                    noted(self._sequences.note_softmax, arguments[0])
            return softmax(*arguments, **named)

        return softened

    def _compute(
        self,
        compute: Callable[..., Any],
        model: Any,
        arguments: tuple[Any, ...],
        named: Mapping[str, Any],
    ) -> Any:
        torch = sys.modules["torch"]
        if isinstance(model, torch.nn.modules.loss._Loss) or torch.compiler.is_compiling():
            return compute(model, *arguments, **named)
        noted(self._begin_pass, model, arguments, named)
        self._depth, self._dropouts, self._norms, self._always = 1, 0, 0, 0
        try:
            outputs = compute(model, *arguments, **named)
        finally:
            self._depth = 0
        noted(self._end_pass, model, arguments, named, outputs)
        return outputs

    def _begin_pass(self, model: Any, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> None:
        self._plain.note_module(model)
        if self._sequences is not None and self._sequences.is_wanted:
            self._sequences.note_inputs(arguments, named)
        evaluates = not sys.modules["torch"].is_grad_enabled()
        self._loops.note_pass(self.batch, evaluates=evaluates)
        if evaluates and self._by_loader and not self._is_loader_asked:
            self._ask_loader()

    def _end_pass(
        self,
        model: Any,
        arguments: tuple[Any, ...],
        named: Mapping[str, Any],
        outputs: Any,
    ) -> None:
        torch = sys.modules["torch"]
        answers = outputs if type(outputs) is torch.Tensor else _answers_of(torch, outputs)
        if answers is not None:
            inputs = arguments[0] if arguments else None
            if type(inputs) is not torch.Tensor:
                inputs = next(_tensors(torch, (*arguments, *named.values())), None)
            given = (*arguments, *named.values())
            self._add(torch, model, inputs, answers, given)
            if answers.requires_grad and model.training:
                self._look_at_inputs(model, inputs, named)

    def _look_at_inputs(self, model: Any, inputs: Any, named: Mapping[str, Any]) -> None:
        """Look at what a pass was given that may train."""
        if "labels" in named and hasattr(model, "config"):
            self._token_labels.note(model, dict(named))
        if self._input_looks < LOOKS and inputs is not None and inputs.is_floating_point():
            self._input_looks += 1
            size = float(inputs.detach().abs().mean())
            if math.isfinite(size):
                self._input_size += size
            else:
                self._input_gaps += 1
            if self._input_looks == LOOKS and self._input_gaps:
                # Before the end: what the gaps bring about may raise something.
                self._log.write_figures({"batches_not_finite": self._input_gaps / LOOKS})

    def _add(
        self, torch: Any, model: Any, inputs: Any, answers: Any, given: tuple[Any, ...]
    ) -> None:
        key = (bool(model.training), bool(answers.requires_grad))
        stretch = self._stretches.get(key)
        if stretch is None:
            stretch = self._stretches[key] = Stretch(*key)
        stretch.passes += 1
        stretch.dropouts += self._dropouts > 0
        stretch.norms += self._norms > 0
        stretch.always += self._always > 0
        if stretch.graph and not stretch.training:
            self._lost.note_pass(model)
        is_wanted = inputs is not None and inputs.ndim > 0
        is_wanted = is_wanted and self._evaluations.wants_rows(stretch, inputs)
        rows = _rows_of(torch, inputs) if is_wanted else None
        if rows is not None:
            stretch.kept += len(rows)
            stretch.rows.append(rows)
            stretch.given.add(sum(each is not None for each in given))
            if not stretch.graph:
                if not stretch.networks:
                    self._remember(model)
                stretch.networks.add(id(model))
                is_all = sum(1 for _each in _tensors(torch, given)) == 1
                name = self._name_of(torch, inputs) if is_all else None
                if name is not None:
                    stretch.named.setdefault(name, []).append(rows)
        self.taken.note_outputs(answers)

    def _remember(self, model: Any) -> None:
        """Keep the last weight of a network that learns, as it is in an evaluation."""
        if self._asked() is not model:
            self._asked = weakref.ref(model)
            kind = sys.modules["torch"].nn.Parameter
            learning = [each for each in model.parameters() if each.requires_grad]
            weights = [each for each in learning if type(each) is kind]
            is_small = weights and weights[-1].numel() <= LARGEST_WEIGHT
            self._weight = weakref.ref(weights[-1]) if is_small else _nothing
        weight = self._weight()
        self._numbers = weight.detach().clone() if weight is not None else None

    def _name_of(self, torch: Any, inputs: Any) -> str | None:
        """The name of the held-out data that a network is given; None for any other.

        Where a step has several passes, a row is but a part of an example.
        """
        if max(self._usual.values(), default=0) != 1:
            return None
        if not self._by_loader:
            self._names_wanted -= 1
            return rows_name(inputs) if self._names_wanted >= 0 else None
        # A loader of Accelerate's has fetched the next batch by now.
        batches = (self.batch(), self.batch_before())
        batch = next((each for each in batches if _holds(torch, each, inputs)), None)
        is_new, self._last_batch = batch is not self._last_batch, batch
        if batch is None or not is_new:
            return None
        if self._loader_name is None:
            self._loader_name = loader_name(self._loader) or ""
        return self._loader_name or None

    def note_backward(self, loss: Any) -> None:
        """A loss is sent backward: what went before it is over."""
        if self._by_loader:
            self._shared.note_training(getattr(self._loader, "dataset", None))
        if not self._backwards and (False, False) in self._stretches:
            self._lost.is_asked_first = True
        self.has_graphs_aside = (False, True) in self._stretches
        if self._stretches:
            # One beside the other is no training that goes on as ever: a teacher, an evaluation.
            self._usual_calls = self._calls if len(self._stretches) == 1 else 0
            before = self._evaluations.passes
            self._close(trains=True)
            is_over = self._evaluations.passes > before and self._backwards >= APART
            if is_over and not self._has_told:
                self._has_told = True
                noted(self.at_evaluation)
        self._by_loader = False
        self._loops.end()
        self._calls = 0
        self._since_evaluation += 1
        self._backwards += 1
        every = EVERY if self._backwards < LONG else SELDOM
        is_looked_at = self._backwards % every == 0 or not self._evaluations.is_full
        self._unseen = 0 if is_looked_at else self._usual_calls
        if self._kept_share is None:
            kept = self._graphs.note(loss)
            if kept:
                self._log.write_figures({"graphs_kept": kept})
            if self._graphs.is_full:
                self._kept_share = self._graphs.share()

    def _close(self, *, trains: bool) -> None:
        """Take in the passes since the last `backward`; with this one the last of them `trains`."""
        stretches, self._stretches = self._stretches, {}
        by_loader, self._by_loader = self._by_loader, False
        if trains and len(stretches) == 1:
            (stretch,) = stretches.values()
            if stretch.graph and stretch.passes < MANY:
                # Nearly every step is so.
                self._add_training(stretch)
                return
        is_apart = self._since_evaluation >= APART
        for stretch in stretches.values():
            usual = self._usual[stretch.training] if stretch.graph else 0
            is_much = stretch.passes >= max(MANY, 4 * usual)
            if (is_apart and not stretch.graph) or (is_much and (is_apart or not stretch.graph)):
                if not self._is_aside(stretch, stretches.values()):
                    self._since_evaluation = 0
                    self._evaluations.add(stretch, by_loader=by_loader)
            elif stretch.graph and trains:
                self._add_training(stretch)
            elif stretch.graph and self._is_last(stretch):
                self._evaluations.add(stretch, by_loader=by_loader)

    def _add_training(self, stretch: Stretch) -> None:
        """Take in passes that a loss has gone backward from."""
        if not stretch.training or self._lost.wants_more:
            self._lost.note_training(stretch.training, has_evaluated=self.has_evaluated)
        if stretch.passes > self._usual[stretch.training]:
            self._usual[stretch.training] = stretch.passes
        if stretch.rows:
            self._widest = max(self._widest, *map(len, stretch.rows))
            self._evaluations.add_training(stretch)

    def _is_last(self, stretch: Stretch) -> bool:
        """Whether passes behind the last `backward` are no batch that was begun, and left off."""
        rows = sum(map(len, stretch.rows))
        return self._backwards >= APART and 0 < self._widest < rows / stretch.passes

    @staticmethod
    def _is_aside(stretch: Stretch, others: Iterable[Stretch]) -> bool:
        """Whether all that passed without gradients is trained on at once: a step of its own."""
        now = [rows for each in others if each.graph for rows in each.rows]
        if stretch.graph or not now or not stretch.rows:
            return False
        seen, prints = set(prints_of(now)), prints_of(stretch.rows[:MANY])
        return sum(each in seen for each in prints) > 0.9 * len(prints)

    @property
    def is_inside(self) -> bool:
        """Whether a network is at work."""
        return self._depth > 0

    @property
    def loops(self) -> EvaluationLoops:
        """The loops of the script that evaluate the batches of a loader."""
        self._loops.end()
        return self._loops

    @property
    def has_evaluated(self) -> bool:
        """Whether there were passes that evaluate."""
        return self._evaluations.passes > 0

    # What is written.

    def early_figures(self) -> dict[str, float]:
        """What was seen of the inputs so far, and of the mode after an evaluation."""
        lost = self._lost.figures(is_fresh=self.is_fresh)
        return {**self._token_labels.figures(), **lost}

    def evaluation_figures(self) -> dict[str, float]:
        """What the evaluation that is just over tells, whatever those after it are like."""
        return {
            **self.taken.figures(),
            **self._evaluations.latest_figures(),
            **self._shared.figures(),
        }

    def finish(self) -> None:
        """Write the figures: the script is over, and no other evaluation follows."""
        self._close(trains=False)
        figures: dict[str, float] = dict(self.taken.figures())
        unused = sum(
            each not in self._iterated and (kept is None or kept() is not None)
            for each, kept in self._loaders.items()
        )
        figures |= self._evaluations.figures(unused)
        if self._stepped:
            figures["optimizer_turns"] = self._turns
        kept = self._graphs.share() if self._kept_share is None else self._kept_share
        if kept is not None:
            figures["graphs_kept"] = kept
        if self._input_looks:
            whole = self._input_looks - self._input_gaps
            figures["batches_not_finite"] = self._input_gaps / self._input_looks
            if whole:
                figures["input_size"] = self._input_size / whole
        if self._new and not self._backwards and not self.loaded:
            figures["new_parameters"] = self._new
        figures |= self._lost.figures(is_fresh=self.is_fresh)
        figures |= self._token_labels.figures()
        figures |= self._activations.figures()
        figures |= self._shared.figures()
        if figures:
            self._log.write_figures(figures)


def _nothing() -> Any:
    """What there is before anything is heard."""


def _are_equal(torch: Any, column: Any, inputs: Any) -> bool:
    """Whether a column of a batch is what a network is given, whatever its shape is there."""
    if column is inputs or type(column) is not torch.Tensor or column.numel() != inputs.numel():
        return column is inputs
    if not column.ndim or len(column) != len(inputs) or column.dtype != inputs.dtype:
        return False
    first, given = column[0].flatten().cpu(), inputs[0].detach().flatten().cpu()
    return bool(torch.equal(first, given))


def _reference(value: Any) -> Any:
    """A weak reference; None for what can't have one."""
    try:
        return weakref.ref(value)
    except TypeError:
        return None


def _answers_of(torch: Any, outputs: Any) -> Any:
    """The tensor that answers are taken from: the outputs, their logits, the first of several."""
    if isinstance(outputs, torch.Tensor):
        return outputs
    found = getattr(outputs, "logits", None)
    if found is None and isinstance(outputs, tuple | list) and outputs:
        found = outputs[0]
    return found if isinstance(found, torch.Tensor) else None


def _rows_of(torch: Any, inputs: Any) -> Any:
    """A few numbers of each row of what a network is given, as whole numbers."""
    if inputs is None or not inputs.ndim or not 0 < inputs.numel() <= LARGEST:
        return None
    is_plain = inputs.dtype == torch.float32 and inputs.is_cpu and inputs.is_contiguous()
    if is_plain and inputs.ndim == 2 and inputs.shape[1] <= COLUMNS:
        return inputs.detach().clone().view(torch.int32)
    rows = inputs.detach().reshape(len(inputs), -1)
    some = rows[:, :: max(1, -(-rows.shape[1] // COLUMNS))]
    if not rows.is_floating_point():
        return some.to("cpu", torch.int64, copy=True)
    some = some.to("cpu", torch.float32, copy=True)
    if rows.shape[1] > COLUMNS:
        # Rows of many zeros may be equal in some columns; in double precision a sum hardly depends
        # on what else is in the batch.
        most = rows[:, :: max(1, -(-rows.shape[1] // WIDEST))]
        if not (rows.is_cpu or rows.is_cuda):
            most = most.cpu()  # Not every device has double precision.
        weights = torch.arange(most.shape[1], device=most.device, dtype=torch.float64).cos()
        whole = (most.double() @ weights).to("cpu", torch.float32)
        some = torch.cat([some, whole[:, None]], 1)
    return some.contiguous().view(torch.int32)


def _holds(torch: Any, batch: Any, inputs: Any) -> bool:
    """Whether what a network was given is a column of a batch, or all of it."""
    columns = batch.values() if isinstance(batch, Mapping) else batch
    if not isinstance(columns, list | tuple) and not isinstance(batch, Mapping):
        columns = (columns,)
    return any(_are_equal(torch, each, inputs) for each in columns)


def _tensors(torch: Any, values: tuple[Any, ...]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, Mapping):
            yield from (each for each in value.values() if isinstance(each, torch.Tensor))
