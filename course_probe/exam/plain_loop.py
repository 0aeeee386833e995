"""Examine a training that is written out by hand in PyTorch: what it has optimized, and its data.

The weights are those of its own training.
"""

import functools
import itertools
from types import ModuleType
from typing import Any

from course_probe.after_import import call_after_import
from course_probe.events import ClaimsEvent
from course_probe.exam import torch_model
from course_probe.exam.examination import Examination, PartMissing
from course_probe.exam.finished_loop import claims, newest_first
from course_probe.exam.training_data import (
    as_json,
    as_mapping,
    by_number,
    collated_row,
    is_tokenized,
)
from course_probe.lengths import length

LOADED = 2
ASKED, LOADERS = 8, 20
"""Models and loaders that are remembered, the last ones."""


def hook(examination: Examination) -> None:
    """Remember the models, loaders and steps of a loop, should there be one."""
    loop = _Loop(examination)
    call_after_import("torch.nn.modules.module", loop.hook_modules)
    call_after_import("torch.optim.optimizer", loop.hook_optimizers)
    call_after_import("torch.utils.data.dataloader", loop.hook_loaders)


class _Loop:
    def __init__(self, examination: Examination) -> None:
        self._examination = examination
        self._asked: list[Any] = []
        self.loaders: list[Any] = []
        self.model: Any = None
        self.steps = 0

    def hook_modules(self, module: ModuleType) -> None:
        """Note whose parameters are asked for: those are what an optimizer is given."""
        named_parameters = module.Module.named_parameters

        @functools.wraps(named_parameters)
        def noted(model: Any, *arguments: Any, **named: Any) -> Any:
            self._asked = newest_first(model, self._asked, ASKED)
            return named_parameters(model, *arguments, **named)

        module.Module.named_parameters = noted

    def hook_optimizers(self, module: ModuleType) -> None:
        """Note what is optimized, and count the steps."""
        make = module.Optimizer.__init__

        @functools.wraps(make)
        def made(optimizer: Any, *arguments: Any, **named: Any) -> None:
            make(optimizer, *arguments, **named)
            held = {id(p) for group in optimizer.param_groups for p in group["params"]}
            for model in list(self._asked):
                if held <= {id(p) for p in model.parameters()}:
                    self.model, self.steps = model, 0

        module.Optimizer.__init__ = made
        module.register_optimizer_step_post_hook(self._count)

    def _count(self, optimizer: Any, arguments: Any, named: Any) -> None:
        self.steps += 1
        if self.steps == 1:
            self._examination.remember_loop(lambda: _LoopCandidate(self))

    def hook_loaders(self, module: ModuleType) -> None:
        """Note the loaders."""
        make = module.DataLoader.__init__

        @functools.wraps(make)
        def made(loader: Any, *arguments: Any, **named: Any) -> None:
            make(loader, *arguments, **named)
            self.loaders = [*self.loaders[1 - LOADERS :], loader]

        module.DataLoader.__init__ = made


class _LoopCandidate:
    """The parts of a loop that has run: the model that it optimized, and its last loaders."""

    def __init__(self, loop: _Loop) -> None:
        self._model = loop.model
        self._loaders = loop.loaders
        self._steps = loop.steps

    def _loader(self, which: str) -> Any:
        shuffled = [each for each in self._loaders if _is_shuffled(each)]
        train = shuffled[-1:] or self._loaders[:1]
        if which == "train":
            found = train
        else:
            last = [each for each in self._loaders if each.dataset is not train[0].dataset]
            found = last[-1:]
        if not found:
            raise PartMissing(which)
        return found[0]

    def answer(self, question: dict[str, Any]) -> Any:
        """Answer a question with the part of the training that it is about."""
        return getattr(self, "_" + question["kind"])(question)

    def _rows(self, question: dict[str, Any]) -> Any:
        return {
            which: {
                "size": length(by_number(self._loader(which).dataset)),
                "rows": [as_json(self._row(which, place)) for place in question[which]],
            }
            for which in ("train", "evaluation")
        }

    def _row(self, which: str, place: float) -> dict[str, Any]:
        loader = self._loader(which)
        if is_tokenized(loader.dataset):
            data = by_number(loader.dataset)
            row: dict[str, Any] = data[int(place * len(data))]
            return row
        return collated_row(loader, place)

    def _batch(self, question: dict[str, Any]) -> Any:
        loader = self._loader("train")
        data = by_number(loader.dataset)
        by_hand = loader.collate_fn([data[int(p * len(data))] for p in question["own"]])
        batches = [by_hand, *itertools.islice(loader, LOADED)]
        return {"tokenized": True, "own": {"value": as_json([as_mapping(b) for b in batches])}}

    def _outputs(self, question: dict[str, Any]) -> Any:
        return torch_model.outputs(self._model, question)

    def _metric(self, question: dict[str, Any]) -> Any:
        raise PartMissing("metric")

    def logits(self, question: dict[str, Any]) -> Any:
        """Return the logits for many texts."""
        return torch_model.logits(self._model, question)

    def claims(self) -> ClaimsEvent:
        """How many examples there are, with which labels, in batches of what size."""
        loader = self._loader("train")
        data = by_number(loader.dataset)
        batches = len(loader) if hasattr(loader, "__len__") else 0
        return claims(data, getattr(loader, "batch_size", None), self._steps, batches)

    def weights(self) -> bytes:
        """Return the model's weights, by the names that the framework gives them."""
        return torch_model.weights(self._model)


def _is_shuffled(loader: Any) -> bool:
    return type(getattr(loader, "sampler", None)).__name__ in (
        "RandomSampler",
        "SeedableRandomSampler",
        "SubsetRandomSampler",
        "WeightedRandomSampler",
    )
