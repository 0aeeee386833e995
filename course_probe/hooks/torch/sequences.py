"""Hear the layers for sequences of PyTorch, recurrent ones and attention, and the masks they get.

See `course_probe/vital_signs/sequences/axes.py` and `hiding_masks.py` for what is made of it.
"""

import sys
import weakref
from collections.abc import Iterator, Mapping
from typing import Any

from course_probe.event_log import EventLog
from course_probe.guard import noted
from course_probe.hooks.torch.dataloader import DataloaderHooks
from course_probe.hooks.vitals import VitalsHooks
from course_probe.vital_signs.sequences.axes import SequenceAxes
from course_probe.vital_signs.sequences.cut_words import CutWords
from course_probe.vital_signs.sequences.hiding_masks import HIDING, HidingMasks
from course_probe.vital_signs.sequences.past_targets import PastTargets
from course_probe.vital_signs.weak import WeakTensors

KEPT = 8
"""Shapes of token ids of which the last ones are kept."""
PASSES = 100
"""Passes of networks after which no ids are kept, unless there are layers for sequences."""
WEAK = 1e-3
"""Up to this size, a number hides nothing from a softmax."""
MASK_AT = 3
"""Where attention is given the mask of padding, if not by its name."""


class SequenceHooks:
    """The sequences of one script; it `is_wanted` to note what networks are given, or not."""

    def __init__(self, log: EventLog, dataloader: DataloaderHooks, vitals: VitalsHooks) -> None:
        self._log = log
        self._dataloader = dataloader
        self._vitals = vitals
        self._axes = SequenceAxes()
        self._masks = HidingMasks()
        self._past = PastTargets()
        self._words = CutWords()
        self._ids = WeakTensors(KEPT)
        self._passes = 0
        self._weak: tuple[weakref.ref[Any], Any] | None = None
        self.is_wanted = True

    def note_layer(
        self, layer: Any, arguments: tuple[Any, ...], named: Mapping[str, Any], outputs: Any
    ) -> None:
        """Take in a call of a recurrent layer, or of attention."""
        self.is_wanted = not (self._axes.is_full and self._masks.is_full)
        if not self._axes.is_full:
            noted(self._axes.note_layer, layer, arguments, outputs)
        if not self._masks.is_full:
            at = arguments[MASK_AT] if len(arguments) > MASK_AT else None
            noted(self._masks.note, named.get("key_padding_mask", at), self._ids)

    def note_filled(
        self, arguments: tuple[Any, ...], named: Mapping[str, Any], filled: Any
    ) -> None:
        """Take in scores that are filled up with so little that they get no attention."""
        if self._masks.is_full:
            return
        mask = named.get("mask", arguments[1] if len(arguments) > 1 else None)
        value = named.get("value", arguments[2] if len(arguments) > 2 else None)
        if isinstance(value, float | int) and value <= HIDING:
            self._masks.note(mask, self._ids)
        elif isinstance(value, float | int) and abs(value) < WEAK:
            self._weak = (weakref.ref(filled), mask)

    def note_softmax(self, given: Any) -> None:
        """Take in what a softmax is given: scores whose padding is filled up with nothing much?"""
        if self._weak is not None:
            (filled, mask), self._weak = self._weak, None
            if filled() is given:
                self._masks.note_weak(mask, self._ids)

    def ids_like(self, target: Any) -> Any:
        """The token ids of the last passes that a target has a number for each of, if any."""
        found = [each for each in self._ids.values() if each.numel() == target.numel()]
        return found[-1] if found else None

    def note_inputs(self, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> None:
        """Take in what an outermost network is given: which of it are token ids."""
        self._passes += 1
        if self._passes > PASSES and not self._axes.calls + self._masks.calls:
            self.is_wanted = False
            return
        torch = sys.modules["torch"]
        for each in _inner(arguments, named):
            is_for_loss = torch.is_grad_enabled() and type(each) is torch.Tensor
            if is_for_loss and each.is_floating_point():
                self._past.note_input(each)
            is_table = type(each) is torch.Tensor and each.ndim == 2
            if is_table and not each.is_floating_point() and each.dtype != torch.bool:
                if self._words.is_wanted and torch.is_grad_enabled():
                    self._words.note(getattr(self._dataloader.current, "dataset", None), each)
                self._ids.add(each)

    def note_loss(self, outputs: Any, target: Any) -> None:
        """Take in a loss that gradients are wanted for."""
        self._past.note_target(target)
        if not self._axes.is_full:
            self._axes.note_loss(outputs, target, self._loaded(), self._ids)
            figures = self._axes.figures()
            if figures:
                self._log.measure("sequences", 0.1, figures)

    def _loaded(self) -> tuple[int, ...] | None:
        """The first two sizes of what a loader gave last; None unless it has drawn the examples."""
        torch = sys.modules["torch"]
        loader = self._dataloader.current
        data = torch.utils.data
        drawn = (data.RandomSampler, data.SubsetRandomSampler, data.WeightedRandomSampler)
        if not isinstance(getattr(loader, "sampler", None), drawn):
            return None
        batch = self._vitals.batch
        columns = batch.values() if isinstance(batch, Mapping) else batch
        if not isinstance(columns, list | tuple) and not isinstance(batch, Mapping):
            return None
        shapes = [tuple(each.shape[:2]) for each in columns if type(each) is torch.Tensor]
        sized = [each for each in shapes if each and each[0] == loader.batch_size]
        return max(sized, key=len, default=None)

    def finish(self) -> None:
        """Write the figures: the script is over."""
        figures = self.figures()
        if figures:
            self._log.write_figures(figures)

    def figures(self) -> dict[str, float]:
        """What is known so far."""
        figures = {**self._axes.figures(), **self._masks.figures(), **self._past.figures()}
        return figures | self._words.figures()


def _inner(arguments: tuple[Any, ...], named: Mapping[str, Any]) -> Iterator[Any]:
    """What a call is given, and what its dictionaries hold."""
    for each in (*arguments, *named.values()):
        if isinstance(each, Mapping):
            yield from each.values()
        else:
            yield each
