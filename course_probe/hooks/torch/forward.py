"""Hook the models of `transformers`: every forward pass of a script.

A pass with gradients trains, one without evaluates. Each is looked at for what gives silent faults
away: padding that no example needs, pairs of which only one text arrives, tokens of another
vocabulary.
"""

import functools
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any

from course_probe.event_log import EventLog
from course_probe.forked import found_aside
from course_probe.guard import noted
from course_probe.hooks.living_objects import tokenizer
from course_probe.hooks.model_pass import ModelPass, by_name, is_single, logits_of, loss_of
from course_probe.hooks.torch.trainer import TrainerHooks
from course_probe.hooks.vitals import VitalsHooks
from course_probe.vital_signs.padding import PaddingWatch
from course_probe.vital_signs.series import Recent, is_told
from course_probe.vital_signs.weak import nothing, weakly

ENOUGH = 20
"""Training passes before figures of all of them together are written."""
WRAPPERS = ("DistributedDataParallel", "DataParallel", "OptimizedModule")
"""Networks that only hand on to the one in them."""


class ForwardHooks:
    """What the forward passes of one script have shown so far.

    `losses` are those of the training passes, as tensors without gradients, `examples` how many
    rows they had, `batch_size` the highest number of rows of one, `model` the last one trained.
    `is_observing` while passes are ours.
    """

    def __init__(
        self,
        log: EventLog,
        trainer: TrainerHooks,
        vitals: VitalsHooks,
    ) -> None:
        self._log = log
        self._trainer = trainer
        self._vitals = vitals
        self._trainer.at_begin.append(self.begin_training)
        self._trainer.at_end.append(self.write_figures)
        self._trainer.losses = lambda: self.losses
        vitals.at_backward.append(self._note_backward)
        self._waiting: ModelPass | None = None
        self._depth = 0
        self._outer: Any = None
        self._counted_outputs = 0
        self._inner: tuple[Any, Any, Mapping[str, Any]] | None = None
        self._count = 0
        self._typed = self._pairs = 0
        self._padding = PaddingWatch()
        self._foreign_tokens: dict[str, float] = {}
        self.is_observing = False
        self._kind: type | None = None
        self.losses: list[Any] = Recent()
        self._model: Callable[[], Any] = nothing
        self.batch_size = 0
        self.examples = 0

    def hook_modules(self, module: ModuleType) -> None:
        """Observe each pass of a model of transformers, and of networks of one's own around one."""
        original = module.nn.Module.__call__

        @functools.wraps(original)
        def called(model: Any, *arguments: Any, **named: Any) -> Any:
            if self._depth or self.is_observing or self._log.looking:
                return original(model, *arguments, **named)
            if self._kind is not None and isinstance(model, self._kind):
                return self.compute(original, model, arguments, named)
            if self._outer is not None or type(model).__name__ in WRAPPERS:
                return original(model, *arguments, **named)
            self._outer = model
            try:
                outputs = original(model, *arguments, **named)
                inner = self._inner
            finally:
                self._outer = self._inner = None
            if inner is not None:
                given = noted(by_name, model, arguments, named)
                noted(self._take_in_outer, original, model, given, outputs, inner)
            return outputs

        module.nn.Module.__call__ = called

    def hook_models(self, module: ModuleType) -> None:
        """Know the models of `transformers.modeling_utils`."""
        self._kind = module.PreTrainedModel

    @property
    def model(self) -> Any:
        """Return the network that was trained last; None once it is gone."""
        return self._model()

    @model.setter
    def model(self, model: Any) -> None:
        self._model = weakly(model)

    def begin_training(self) -> None:
        """Forget what went before a training."""
        self._log.begin_training()
        if self._count:
            # A loop by hand begins with its first step, and the pass before that is a part of it.
            self._log.write_figures(self._foreign_tokens)
        self._count = 0
        self._typed = self._pairs = 0
        self._padding = PaddingWatch()
        self.losses = Recent(self.losses[-1:])
        self.examples = self.batch_size

    def compute(
        self, compute: Callable[..., Any], model: Any, arguments: tuple[Any, ...], named: Any
    ) -> Any:
        """Compute a pass of the outermost model, and look at it."""
        self._depth += 1
        try:
            outputs = compute(model, *arguments, **named)
            ids = named.get("input_ids", arguments[0] if arguments else None)
            if getattr(ids, "ndim", 0) == 2:
                given = noted(by_name, model, arguments, named)
                named = named if given is None else given
                noted(self._take_in, compute, model, ids, named, outputs)
        finally:
            self._depth -= 1
        return outputs

    def _take_in(
        self, compute: Callable[..., Any], model: Any, ids: Any, named: Any, outputs: Any
    ) -> None:
        """Take in a pass of a model of transformers; where it has no head, its owner's counts."""
        loss, logits = getattr(outputs, "loss", None), getattr(outputs, "logits", None)
        if loss is None and logits is None and self._outer is not None:
            self._inner = self._inner or (model, ids, named)
            return
        self._observe(ModelPass(compute, model, named, model, ids, named, logits), loss)

    def _take_in_outer(
        self,
        compute: Callable[..., Any],
        model: Any,
        given: Mapping[str, Any] | None,
        outputs: Any,
        inner: tuple[Any, Any, Mapping[str, Any]],
    ) -> None:
        """Take in a pass of a network of the script's own."""
        encoder, ids, named = inner
        one = ModelPass(compute, model, given or {}, encoder, ids, named, logits_of(outputs))
        if given is None or len(getattr(one.logits, "shape", ())) != 2:
            # What it puts out is nothing that we know: what the encoder was given is known still.
            one = ModelPass(compute, encoder, named, encoder, ids, named, None)
        elif id(model) != self._counted_outputs and model.training:
            self._counted_outputs = id(model)
            # No configuration says it. One output may well stand for two classes.
            if len(one.logits) == len(ids) and not is_single(outputs):
                self._log.write_figures({"outputs": float(one.logits.shape[1])})
        self._observe(one, loss_of(outputs))

    def _observe(self, one: ModelPass, loss: Any) -> None:
        self.is_observing = True
        try:
            self._sort(one, loss)
        finally:
            self.is_observing = False

    def _sort(self, one: ModelPass, loss: Any) -> None:
        """Tell a pass that trains from one that evaluates, and take it in."""
        torch = sys.modules["torch"]
        model = one.model
        trains = torch.is_grad_enabled() and getattr(loss, "requires_grad", False)
        if loss is None and self._trainer.is_active and model.training and torch.is_grad_enabled():
            # The Trainer keeps the labels back where it computes the loss (label smoothing).
            trains = bool(getattr(one.logits, "requires_grad", False))
        if not trains and torch.is_grad_enabled() and model.training:
            # Set up to train, but without a loss: labels are missing, or the script computes it.
            self._waiting = replace(one, logits=None)
            return
        if trains:
            self._take_in_training(one, loss)
        else:
            self._vitals.note_evaluation_pass(one)

    def _take_in_training(self, one: ModelPass, loss: Any) -> None:
        """Take in a pass that trains, with its loss if that is known."""
        self._count += 1
        self._vitals.note_training_pass(one)
        self.model = one.encoder
        rows = len(one.ids)
        self.batch_size = max(self.batch_size, rows) if self.losses else rows
        self.examples += rows
        if loss is not None:
            self.losses.append(loss.detach())
        self._measure(one.ids, one.named)
        if self._count == 1:
            self._foreign_tokens = self._compare_tokens(one.encoder, one.ids)
            self._log.write_figures(self._foreign_tokens)
        if is_told(self._count, ENOUGH):
            self.write_figures()

    def _note_backward(self, loss: Any) -> None:
        """Note that a loss goes backward: the last pass without a loss of its own trains by it."""
        waiting, self._waiting = self._waiting, None
        if waiting is None or self._trainer.is_active or getattr(loss, "ndim", 1) != 0:
            return
        self.is_observing = True
        try:
            self._take_in_training(waiting, loss)
        finally:
            self.is_observing = False

    def _measure(self, ids: Any, named: Any) -> None:
        """Count columns of padding, and rows with a second text."""
        mask, types = named.get("attention_mask"), named.get("token_type_ids")
        longest = _width(ids)
        if getattr(mask, "ndim", 0) == 2:
            longest = min(longest, int(mask.sum(-1).max()))
        self._padding.add(ids.shape[1], longest)
        if types is not None:
            self._typed += len(ids)
            self._pairs += _count_pairs(ids, types, mask)

    def write_figures(self) -> None:
        """Write what the passes of the training so far have shown, once these are enough."""
        if self._count < ENOUGH:
            return
        values = self._padding.figures()
        if self._typed:
            # A model without token types takes pairs too, which can't be seen here.
            values["pairs_share"] = self._pairs / self._typed
        self._log.write_figures(values)

    def _compare_tokens(self, model: Any, ids: Any) -> dict[str, float]:
        """Compute the share of a batch's tokens that the model's own tokenizer takes for others."""
        own = tokenizer()
        name = getattr(model, "name_or_path", "")
        if own is None or not name or own.name_or_path == name:
            return {"foreign_tokens": 0.0}

        def foreign() -> float:
            from transformers import AutoTokenizer

            expected = AutoTokenizer.from_pretrained(name)
            special = set(own.all_special_ids)
            tokens = [token for token in ids.flatten().tolist() if token not in special]
            there, here = (each.convert_ids_to_tokens(tokens) for each in (own, expected))
            differing = sum(a != b for a, b in zip(there, here, strict=True))
            return float(differing / max(1, len(tokens)))

        # A model without a tokenizer of its own has nothing to differ from.
        found = found_aside(foreign, reads=True)
        return {} if found is None else {"foreign_tokens": found}


def _width(ids: Any) -> int:
    """Count the columns up to those at the end that only repeat the one before, in each row.

    That is padding, too, whatever a mask says of it.
    """
    new = (ids[:, 1:] != ids[:, :-1]).any(0).nonzero()
    return int(new[-1]) + 2 if len(new) else min(1, ids.shape[1])


def _count_pairs(ids: Any, types: Any, mask: Any) -> int:
    """Count the rows with a second text that is not the first one once more."""
    pairs = 0
    shown = mask if getattr(mask, "ndim", 0) == 2 else types >= 0
    for row, kinds, there in zip(ids.tolist(), types.tolist(), shown.tolist(), strict=True):
        # The tokens around the texts: one at the beginning, one after each.
        tokens = [(i, kind > 0) for i, kind, real in zip(row, kinds, there, strict=True) if real]
        first, second = ([i for i, kind in tokens if kind is of] for of in (False, True))
        pairs += bool(second) and first[1:] != second
    return pairs
