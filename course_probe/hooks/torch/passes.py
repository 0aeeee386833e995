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

from course_probe.after_import import call_after_import
from course_probe.event_log import EventLog
from course_probe.guard import noted
from course_probe.hooks.backward import within_backward
from course_probe.hooks.torch import transforms
from course_probe.hooks.torch.dataloader import count_batches
from course_probe.hooks.torch.forward import ForwardHooks
from course_probe.hooks.torch.sequences import SequenceHooks
from course_probe.reading.call_arguments import is_left_out
from course_probe.reading.script_text import parsed
from course_probe.reading.unread_names import unread
from course_probe.replay.hearing import Tape
from course_probe.vital_signs.dead_units import EVERY_STEP, DeadUnits
from course_probe.vital_signs.evaluation.answers_taken import TAKEN
from course_probe.vital_signs.evaluation.evaluations import Evaluations, Stretch, prints_of
from course_probe.vital_signs.evaluation.held_out_rows import OTHER
from course_probe.vital_signs.evaluation.loops import EvaluationLoops
from course_probe.vital_signs.evaluation.shared_items import SharedItems
from course_probe.vital_signs.kept_graphs import KeptGraphs
from course_probe.vital_signs.lost_mode import LostMode
from course_probe.vital_signs.plain_model import PlainModel
from course_probe.vital_signs.sequences.token_labels import TokenLabels
from course_probe.vital_signs.weak import nothing as weak_nothing
from course_probe.vital_signs.weak import weakly

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
SOURCES = 64
"""Data sets of loaders that are told apart."""
ROWS = "rows"
"""What rows of no loader are called that a network is evaluated on."""
LARGEST_WEIGHT = 2**16
"""Numbers of a weight that is kept to be compared: the last one mostly is a bias."""
MOST_LOADERS = 4096
"""Data sets of loaders that are remembered."""
LARGEST = 2**24
"""Numbers of a batch whose rows are looked at."""
TAPED_FIRST, TAPED_SELDOM = 24, 100
"""Steps, the first ones, that are taped; of those behind them, one of so many."""
TAPED_EACH = 2
"""Passes of an evaluation that are taped; of the later ones what comes after them, while no answer
has been taken."""
MOST_TRAINED, MOST_EVALUATED = 200, 400
"""Passes that are taped at all: before any loss is sent backward, and in evaluations."""
ASKED_FIRST = -7919
"""A priority among those who know of devices: no other may have the same."""


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
        self._asides: set[tuple[bool, bool]] = set()
        self.has_graphs_aside = False
        self._evaluations = Evaluations()
        self._by_loader = False
        self._loader: Callable[[], Any] = _nothing
        self._sources: list[Callable[[], Any]] = []
        self._begun_at = 0
        self._is_loader_asked = False
        self._stepped: weakref.WeakSet[Any] = weakref.WeakSet()
        self._stepping: Callable[[], Any] = _nothing
        self._turns = 0
        self._asked: Callable[[], Any] = _nothing
        self._weight: Callable[[], Any] = _nothing
        self._numbers: Any = None
        self.batch: Callable[[], Any] = _nothing
        self.batch_before: Callable[[], Any] = _nothing
        self.is_for_gradients: Callable[[], bool] = lambda: True
        self.batches: Callable[[], int] = lambda: 0
        self._last_batch = -1
        self._given_before = 0
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
        self.tape = Tape(log)
        self._is_taped = self._has_taken = self.is_in_loss = False
        self._evaluated = 0
        self._windows = {True: 0, False: 0}
        self._modes: dict[tuple[bool, bool], tuple[bool, bool, bool]] = {}
        self._watched: tuple[type, ...] = ()
        self._pretrained: type | None = None
        self.losses: dict[Any, str] = {}
        self.at_loss: Callable[..., object] = lambda *_call: None
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

    def hook_modules(self, torch: ModuleType) -> None:
        """Observe each pass of any network of `torch`, with one wrapper for all of them."""
        kind = torch.nn.Module
        original = kind.__call__
        log, forward, is_enabled = self._log, self._forward, torch.is_grad_enabled
        is_compiling, is_looked_through = torch.compiler.is_compiling, transforms.looker(torch)
        is_again, compiler = within_backward(), transforms.compiler(torch)
        run = self._runner(original)
        self._watched = (torch.nn.modules.loss._Loss, torch.nn.RNNBase, torch.nn.MultiheadAttention)

        def called(model: Any, *arguments: Any, **named: Any) -> Any:
            # Nothing before this: PyTorch looks through this function, too.
            if is_compiling() or compiler():
                return original(model, *arguments, **named)
            if self._depth or log.looking or forward.is_observing:
                if isinstance(model, self._watched) and not log.looking:
                    return run(model, arguments, named)
                return original(model, *arguments, **named)
            if is_looked_through():
                self.tape.bar()
                return original(model, *arguments, **named)
            if is_again():
                return original(model, *arguments, **named)
            if model.training and is_enabled():
                if self._unseen and not self._stretches and arguments:
                    # Nearly every pass of a long training is one that is let by.
                    shape = getattr(arguments[0], "shape", None)
                    if shape and shape[0] <= self._widest:
                        self._unseen -= 1
                        self._depth = 1
                        try:
                            return run(model, arguments, named)
                        finally:
                            self._depth = 0
                self._calls += 1
            return self._compute(run, model, arguments, named)

        kind.__call__ = functools.wraps(original)(called)
        if compiler is not transforms.nobody:
            code = called.__code__
            call_after_import("torch._dynamo.eval_frame", lambda module: module.skip_code(code))
        load = kind.load_state_dict

        @functools.wraps(load)
        def loaded(model: Any, *arguments: Any, **named: Any) -> Any:
            self.loaded += 1
            self._loaded_first += not self.is_trained(model)
            return load(model, *arguments, **named)

        kind.load_state_dict = loaded
        self._hear_loading(torch)

    def _runner(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """What computes a pass, and hears of those kinds of networks that are told apart."""

        def run(model: Any, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
            if not isinstance(model, self._watched):
                return original(model, *arguments, **named)
            if self._pretrained is not None and isinstance(model, self._pretrained):
                return self._forward.compute(original, model, arguments, named)
            name = self.loss_name(type(model))
            if name is None:
                outputs = original(model, *arguments, **named)
                if self._sequences is not None and not self._log.looking:
                    self._sequences.note_layer(model, arguments, named, outputs)
                return outputs
            # The function that computes it is on the tape, too.
            before, self.is_in_loss = self.is_in_loss, True
            try:
                loss = original(model, *arguments, **named)
            finally:
                self.is_in_loss = before
            if not before:
                noted(self.at_loss, name, model, arguments, named, loss)
            return loss

        return run

    def loss_name(self, kind: type) -> str | None:
        """The function of PyTorch's by which a loss is computed, of a class of losses."""
        return self.losses.get(getattr(kind, "forward", None))

    def _hear_loading(self, torch: ModuleType) -> None:
        """Hear of what `torch.load` reads: PyTorch asks those who know of devices for each part."""
        global _LOADED
        if _LOADED is None:
            register = torch.serialization.register_package
            register(ASKED_FIRST, lambda _storage: None, lambda _storage, _place: _note_loaded())
        _LOADED = weakref.WeakMethod(self._note_loading)

    def _note_loading(self) -> None:
        if not self._log.looking:
            self.loaded += 1
            self._loaded_first += not self._backwards

    def hook_models(self, module: ModuleType) -> None:
        """Observe the models of `transformers.modeling_utils`, and what they get by chance."""
        self._pretrained = module.PreTrainedModel
        self._watched = (*self._watched, self._pretrained)
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

    def tape_operations(self, torch: ModuleType) -> None:
        """Say which operations of `torch` are worth hearing, in the steps that are taped."""
        functional, hear = torch.nn.functional, self.tape.hear
        hear((functional,), "dropout", self._note_dropout)
        hear((functional,), "batch_norm", self._note_norm)
        for name in ("argmax", "argmin", "max", "min"):
            hear((torch, torch.Tensor), name, functools.partial(self._note_taken, name))
        hear((torch, torch.Tensor, functional), "softmax", self._note_softmax)
        if self._sequences is not None:
            for name in ("masked_fill", "masked_fill_"):
                hear((torch, torch.Tensor), name, self._sequences.note_filled)

    def _note_dropout(
        self, arguments: tuple[Any, ...], named: Mapping[str, Any], _found: Any
    ) -> None:
        """Is dropout as in a training? Who forgets to tell it the mode has it at all times."""
        share = arguments[1] if len(arguments) > 1 else named.get("p", 0.5)
        training = arguments[2] if len(arguments) > 2 else named.get("training", True)
        if training and share > 0:
            self._dropouts += 1
            self._always += is_left_out("dropout", "training", 3)

    def _note_norm(self, arguments: tuple[Any, ...], named: Mapping[str, Any], _found: Any) -> None:
        mean = arguments[1] if len(arguments) > 1 else named.get("running_mean")
        training = arguments[5] if len(arguments) > 5 else named.get("training", False)
        self._norms += bool(training) and mean is not None

    def _note_taken(
        self, name: str, arguments: tuple[Any, ...], named: dict[str, Any], _found: Any
    ) -> None:
        """The highest or the lowest is looked for."""
        if not self._depth and self.taken.shape is not None:
            self._has_taken = True
            self.taken.note(name, arguments, named)

    def _note_softmax(self, arguments: tuple[Any, ...], named: dict[str, Any], _found: Any) -> None:
        """A softmax is taken: of the scores of an attention, or of the outputs of a network."""
        if arguments:
            if not self._depth:
                self.taken.note_softmax(arguments, named)
            if self._sequences is not None:
                self._sequences.note_softmax(arguments[0])

    def hook_optimizers(self, module: ModuleType) -> None:
        """Hear which optimizer steps, of those of `torch.optim.optimizer`."""

        def before_step(optimizer: Any, _arguments: Any, _named: Any) -> None:
            self.tape.close()
            noted(note, optimizer)

        def note(optimizer: Any) -> None:
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
            noted(self._note_made, loader)

        module.DataLoader.__init__ = made

    def _note_made(self, loader: Any) -> None:
        if len(self._loaders) >= MOST_LOADERS:
            gone = [key for key, kept in self._loaders.items() if kept is not None and not kept()]
            for key in gone:
                del self._loaders[key]
                self._iterated.discard(key)
        if len(self._loaders) < MOST_LOADERS:
            self._loaders.setdefault(id(loader.dataset), _reference(loader.dataset))

    def begin_loader(self, loader: Any) -> None:
        """A pass over a loader begins."""
        self.tape.close()
        self._iterated.add(id(getattr(loader, "dataset", None)))
        self._by_loader = True
        self._loader = weakly(loader)
        self._last_batch, self._begun_at = -1, self.batches()
        self._is_loader_asked = False
        is_long = (count_batches(loader) or 0) > 1
        evaluates = not sys.modules["torch"].is_grad_enabled()
        self._loops.begin(evaluates=evaluates, is_long=is_long)

    def _ask_loader(self) -> None:
        """A network is evaluated with what a loader gives: has it been trained with such items?"""
        if self.is_for_gradients() or self.batches() == self._begun_at:
            return
        self._is_loader_asked = True
        source = self._source()
        if self._backwards and source is not None and source != ROWS:
            self._shared.note_evaluation(getattr(self._loader(), "dataset", None), source)

    def _source(self) -> str | None:
        """What the data of the loader are called; as those of no loader if they are trained on."""
        loader = self._loader()
        data = getattr(loader, "dataset", None)
        if data is None:
            return None
        if self._shared.is_trained(data):
            return ROWS
        kept = weakly(data)
        kept = weakly(loader) if kept is weak_nothing else kept
        owner = kept()
        for number, known in enumerate(self._sources):
            if known() is owner:
                return f"{OTHER}{number}"
        if len(self._sources) >= SOURCES:
            return None
        self._sources.append(kept)
        return f"{OTHER}{len(self._sources) - 1}"

    def _compute(
        self,
        run: Callable[..., Any],
        model: Any,
        arguments: tuple[Any, ...],
        named: Mapping[str, Any],
    ) -> Any:
        if isinstance(model, sys.modules["torch"].nn.modules.loss._Loss):
            return run(model, arguments, named)
        noted(self._begin_pass, model, arguments, named)
        self._depth, self._dropouts, self._norms, self._always = 1, 0, 0, 0
        noted(self._open_tape, model)
        self._is_taped = self.tape.is_open
        try:
            outputs = run(model, arguments, named)
        finally:
            self._depth = 0
        noted(self._end_pass, model, arguments, named, outputs)
        noted(self._keep_tape)
        return outputs

    def _open_tape(self, model: Any) -> None:
        """Tape the next pass, if it is one of the few that are."""
        evaluates = self._is_evaluating()
        if evaluates and not self._evaluated:
            self._has_taken = False
        self._evaluated = self._evaluated + 1 if evaluates else 0
        if evaluates:
            is_wanted = self._evaluated <= TAPED_EACH and self._windows[True] < MOST_EVALUATED
        elif self._backwards < TAPED_FIRST:
            is_wanted = self._windows[False] < MOST_TRAINED
        else:
            is_wanted = self._backwards % TAPED_SELDOM == 0
        if is_wanted and self._may_tape(model):
            self._windows[evaluates] += 1
            self.tape.open()
        else:
            self.tape.close()

    def _keep_tape(self) -> None:
        """Tape what is made of the outputs of an evaluation: answers may be taken only at its end.

        The pass itself may be one that PyTorch computes in another way if anybody listens.
        """
        is_early = 0 < self._evaluated <= TAPED_EACH or (self._evaluated and not self._has_taken)
        if is_early and self._windows[True] < MOST_EVALUATED and not self._forward.in_trainer:
            self._windows[True] += 1
            self.tape.open()

    def _may_tape(self, model: Any) -> bool:
        """Whether a network may be listened to from within, and nothing of it changes."""
        if self._forward.in_trainer or isinstance(model, self._pretrained or ()):
            return False
        nn = sys.modules["torch"].nn
        fast = (nn.MultiheadAttention, nn.TransformerEncoderLayer, nn.TransformerEncoder)
        return not any(isinstance(each, fast) and not each.training for each in model.modules())

    def _is_evaluating(self) -> bool:
        """Whether a pass is most likely one of an evaluation: without gradients, or one of many."""
        if not sys.modules["torch"].is_grad_enabled():
            return True
        since = sum(each.passes for each in self._stretches.values())
        return bool(self._usual) and since > max(self._usual.values())

    def _begin_pass(self, model: Any, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> None:
        self._plain.note_module(model)
        if self._sequences is not None and self._sequences.is_wanted:
            self._sequences.note_inputs(arguments, named)
        evaluates = not sys.modules["torch"].is_grad_enabled()
        self._loops.note_pass(self.batches, evaluates=evaluates)
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
            self._modes.pop(key, None)
        stretch.passes += 1
        stretch.networks.add(id(model))
        self._add_modes(stretch, model)
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
                if len(stretch.rows) == 1:
                    self._remember(model)
                is_all = sum(1 for _each in _tensors(torch, given)) == 1
                source = self._source_of(torch, inputs) if is_all else None
                if source is not None:
                    stretch.sources.setdefault(source, []).append(rows)
        self.taken.note_outputs(answers)

    def _add_modes(self, stretch: Stretch, model: Any) -> None:
        """Add whether dropout and batch norm are at work: heard, or as the pass before has had it.

        Where none was on the tape, the layers tell.
        """
        key = (stretch.training, stretch.graph)
        modes = self._modes.get(key)
        if self._is_taped:
            modes = (self._dropouts > 0, self._norms > 0, self._always > 0)
        elif modes is None and not (stretch.graph and stretch.passes == 1):
            modes = (*_modes_of(model), False)
        if modes is not None:
            if key not in self._modes and stretch.passes == 2:
                stretch.dropouts, stretch.norms = int(modes[0]), int(modes[1])
            self._modes[key] = modes
            stretch.dropouts += modes[0]
            stretch.norms += modes[1]
            stretch.always += modes[2]

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

    def _source_of(self, torch: Any, inputs: Any) -> str | None:
        """Where the rows come from that a network is evaluated on; None where that is unknown.

        Where a step has several passes, a row is but a part of an example.
        """
        if max(self._usual.values(), default=0) != 1:
            return None
        if not self._by_loader:
            return ROWS
        # A loader of Accelerate's has fetched the next batch by now.
        batches = (self.batch(), self.batch_before())
        place = next((n for n, each in enumerate(batches) if _holds(torch, each, inputs)), None)
        number = -1 if place is None else self.batches() - place
        is_new, self._last_batch = number != self._last_batch, number
        if place is None or not is_new:
            return None
        return self._source()

    def note_backward(self, loss: Any) -> None:
        """A loss is sent backward: what went before it is over."""
        self.tape.close()
        self._evaluated = 0
        self._note_loaded()
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
        self._unseen = 0 if is_looked_at or self.tape.is_open else self._usual_calls
        if self._backwards % EVERY_STEP == 0:
            noted(self._activations.note_graph, loss)
        if self._kept_share is None:
            kept = self._graphs.note(loss)
            if kept:
                self._log.write_figures({"graphs_kept": kept})
            if self._graphs.is_full:
                self._kept_share = self._graphs.share()

    def _note_loaded(self) -> None:
        """Tell the data of the loader that the pass is of which a loss goes backward.

        Whatever loader ran last, the script may train on rows that it cut by itself: only where a
        loader has given one batch since the loss before, for gradients, and a network was called
        with that alone, it is the one.
        """
        given, self._given_before = self.batches() - self._given_before, self.batches()
        if given != 1 or len(self._stretches) != 1 or not self.is_for_gradients():
            return
        (stretch,) = self._stretches.values()
        usual = max(self._usual.values(), default=0)
        if stretch.graph and stretch.passes <= (usual or stretch.passes):
            loader = self._loader()
            self._shared.note_training(getattr(loader, "dataset", None), loader)

    def _close(self, *, trains: bool) -> None:
        """Take in the passes since the last `backward`; with this one the last of them `trains`."""
        stretches, self._stretches = self._stretches, {}
        by_loader, self._by_loader = self._by_loader, False
        asides, self._asides = self._asides, {each for each in stretches if not each[1]}
        trained = set[int]().union(*(each.networks for each in stretches.values() if each.graph))
        for key in asides & self._asides if trains else ():
            is_other = bool(trained) and stretches[key].networks.isdisjoint(trained)
            stretches[key].is_of_step = is_other
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
        return {**self.taken.figures(), **self._evaluations.latest_figures()}

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
        if self._evaluations.are_by_loaders:
            figures |= self._shared.figures()
        tree = parsed()
        left = sum(map(self._is_left_out, unread(tree))) if tree is not None else 0
        if self._evaluations.passes:
            figures["held_out_unread"] = left
        if figures:
            self._log.write_figures(figures)

    def _is_left_out(self, name: str) -> bool:
        """Whether the script has rows under a name that are as those it trains on, and are not."""
        torch, value = sys.modules["torch"], vars(sys.modules["__main__"]).get(name)
        if type(value).__module__ == "numpy" and hasattr(value, "dtype"):
            value = noted(torch.as_tensor, value)
        rows = _rows_of(torch, value) if type(value) is torch.Tensor else None
        return rows is not None and self._evaluations.are_new(rows)


_LOADED: weakref.WeakMethod[Any] | None = None
"""Who is told of what `torch.load` reads; there is no way to be told no more."""


def _note_loaded() -> None:
    note = _LOADED() if _LOADED is not None else None
    if note is not None:
        note()


def _modes_of(model: Any) -> tuple[bool, bool]:
    """Whether layers of a network drop anything, or take their statistics from the batch."""
    modules = sys.modules["torch"].nn.modules
    dropped = normed = False
    for each in model.modules():
        if each.training and isinstance(each, modules.dropout._DropoutNd):
            dropped |= each.p > 0
        elif each.training and isinstance(each, modules.batchnorm._BatchNorm):
            normed |= each.running_mean is not None
    return dropped, normed


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
    rows = inputs.detach()
    if rows.is_complex():
        rows = torch.view_as_real(rows.resolve_conj())
    rows = rows.reshape(len(inputs), -1)
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
