"""Trainings that go on with what an earlier one has learned: its weights, as it has left them.

A fold, a seed or a setting that is to begin anew has another network, or weights that were set
back. What is written into a parameter moves its version counter; numbers that were put there past
it are told by what they have in common with those at the beginning. Nothing is waited for.
"""

import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from course_probe.guard import noted
from course_probe.replay.places import places

FEWEST = 20
"""Steps of an optimizer that are a training."""
APART = 4.0
"""The cosine of two vectors drawn apart is about 1 / sqrt(n): so many times that is far beyond."""


class HeldWeights:
    """One tensor that an optimizer moves: as it began, and its version after the last step."""

    def __init__(self, optimizer: Any) -> None:
        parameters = (p for group in optimizer.param_groups for p in group["params"])
        one = next((p for p in parameters if _is_plain(p)), None)
        self._one: Callable[[], Any] = (lambda: None) if one is None else weakref.ref(one)
        self._begun: Any = None if one is None else places(one)
        self._version = -1
        core = sys.modules["torch"]._C
        self._modes: Callable[[], int] = getattr(core, "_len_torch_function_stack", lambda: 1)

    def note_step(self) -> None:
        """Note that the optimizer has stepped."""
        one = self._one()
        if one is not None:
            # The end of a step is noted where modes of the script's own would see what is asked.
            is_seen = self._modes()
            self._version = noted(getattr, one, "_version") if is_seen else one._version

    def left_to(self, held: set[int]) -> Any:
        """Say how the weights have changed since the beginning, if another one has them as left.

        How much both have in common, and how far they have moved; None where they are set back, or
        are not among those that are `held`.
        """
        one, begun = self._one(), self._begun
        if begun is None or one is None or id(one) not in held or one._version != self._version:
            return None
        now = places(one)
        alike = (now * begun).sum() * now.numel() ** 0.5 / (now.norm() * begun.norm())
        return sys.modules["torch"].stack([alike, (now - begun).norm()])


@dataclass
class Takeover:
    """An optimizer begins with the weights of `networks` as an `earlier` one has left them."""

    networks: list[int]
    earlier: Any
    steps: int
    numbers: Any

    @property
    def is_one(self) -> bool:
        """Whether the earlier one was a training, has not stepped since, and has moved them."""
        if self.steps < FEWEST or self.earlier.steps != self.steps:
            return False
        alike, moved = self.numbers
        return bool(alike > APART and moved > 0)


def _is_plain(parameter: Any) -> bool:
    torch = sys.modules["torch"]
    # A class of tensors of the script's own would see that it is asked.
    if type(parameter) not in (torch.Tensor, torch.nn.Parameter):
        return False
    is_known = parameter.requires_grad and parameter.is_floating_point() and parameter.ndim > 1
    is_dense = parameter.layout is torch.strided and not parameter.is_meta
    return bool(is_known and is_dense and not parameter.is_inference())
