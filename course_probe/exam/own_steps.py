"""What the steps of a Trainer's own optimizer have made of a model, apart from all else.

A callback, a metric or a hook can change weights as well. That is no training by the Trainer, so
what it has taught the model is told apart: the weights from which the training began, and the sum
of what each of its own steps has changed.
"""

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

PREFIX = "own-steps/"
"""Before the names of weights that the Trainer's own steps alone have made."""


class Steps(NamedTuple):
    """What was counted: `rate` is the highest learning rate of a step, `moved` of so many `tensors`
    that an optimizer holds are not what they were.
    """

    rate: float
    moved: int
    tensors: int


class OwnSteps:
    """Adds up what the own steps of a Trainer change, while it trains."""

    def __init__(self, trainer: Any) -> None:
        self._trainer = trainer
        self._elsewhere = 0
        self._rates: list[float] = []
        self._before: dict[int, Any] = {}
        self._began: dict[str, Any] = {}
        self._sums: dict[int, Any] = {}

    @contextlib.contextmanager
    def counting(self) -> Iterator[None]:
        """Count from now on; a callback, or an evaluation, is no step of the training."""
        from torch.optim import optimizer

        trainer = self._trainer
        self._note_beginning()
        handler, evaluate = trainer.callback_handler, trainer.evaluate
        call = handler.call_event
        handler.call_event = self._apart(call)
        trainer.evaluate = self._apart(evaluate)
        hooks = [
            optimizer.register_optimizer_step_pre_hook(self._step_begins),
            optimizer.register_optimizer_step_post_hook(self._step_ends),
        ]
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()
            handler.__dict__.pop("call_event", None)
            trainer.__dict__.pop("evaluate", None)

    def _apart(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a function whose steps are not the training's own."""

        @functools.wraps(call)
        def apart(*arguments: Any, **named: Any) -> Any:
            if not self._elsewhere and not self._rates:
                # A model that the Trainer makes itself is there by now.
                self._note_beginning()
            self._elsewhere += 1
            try:
                return call(*arguments, **named)
            finally:
                self._elsewhere -= 1

        return apart

    def _note_beginning(self) -> None:
        known = self._trainer.model
        if known is not None and self._began.get("") is not known:
            copied = {n: t.detach().clone() for n, t in known.state_dict().items()}
            self._began = {"": known, **copied}

    def _is_own(self, optimizer: Any) -> bool:
        own = self._trainer.optimizer
        return not self._elsewhere and optimizer is getattr(own, "optimizer", own)

    def _step_begins(self, optimizer: Any, *_: Any) -> None:
        if self._is_own(optimizer):
            self._rates.append(max((g.get("lr", 0.0) for g in optimizer.param_groups), default=0.0))
            self._before = {id(p): p.detach().clone() for p in _held(optimizer)}

    def _step_ends(self, optimizer: Any, *_: Any) -> None:
        if self._is_own(optimizer):
            for each in _held(optimizer):
                before = self._before.get(id(each))
                if before is not None and id(each) in self._sums:
                    self._sums[id(each)] += each.detach() - before
                elif before is not None:
                    self._sums[id(each)] = each.detach() - before
            self._before = {}

    def counted(self) -> Steps | None:
        """Return what was counted; None where a training took steps and none could be seen."""
        if not self._rates and self._trainer.state.global_step:
            return None
        moved = sum(bool(change.any()) for change in self._sums.values())
        return Steps(max(map(float, self._rates), default=0.0), moved, len(self._sums))

    def weights(self) -> dict[str, Any]:
        """Return what the own steps alone make of the model; empty where that is all there is."""
        model = self._trainer.model
        is_same = self._began.get("") is model
        if model is None or not is_same or self.counted() is None:
            return {}
        state = {n: t.detach() for n, t in model.state_dict().items()}
        own = dict(state)
        for name, parameter in model.named_parameters(remove_duplicate=False):
            began = self._began.get(name)
            if began is not None and name in own and began.shape == own[name].shape:
                change = self._sums.get(id(parameter))
                own[name] = began if change is None else began + change
        alike = (_is_close(own[name], each) for name, each in state.items())
        return {} if all(alike) else {PREFIX + name: each for name, each in own.items()}


def _held(optimizer: Any) -> Iterator[Any]:
    for group in optimizer.param_groups:
        yield from group["params"]


def _is_close(one: Any, other: Any) -> bool:
    """Whether two tensors are the same but for the rounding of a sum."""
    if not one.is_floating_point():
        return True
    # Float32 rounds by up to a ten-millionth at each of some thousand steps.
    return bool((one - other).abs().max() < 1e-4) if one.numel() else True
