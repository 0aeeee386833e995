"""What accelerators are there, and what they do, is asked where it is needed."""

from types import SimpleNamespace

import torch
from accelerate import Accelerator
from accelerate.state import AcceleratorState

from course_probe.hooks.torch.distributed import DistributedHooks, _is_by_accelerator


def test_who_sends_a_loss_backward_is_known_by_the_calls() -> None:
    found: list[bool] = []

    def loss() -> torch.Tensor:
        made = torch.ones(1, requires_grad=True).sum()
        made.register_hook(lambda _gradient: found.append(_is_by_accelerator()))
        return made

    Accelerator(cpu=True).backward(loss())
    loss().backward()
    assert found == [True, False]


def test_how_many_processes_there_are_is_what_all_accelerators_share() -> None:
    hooks = DistributedHooks(*[SimpleNamespace()] * 3)  # type: ignore[arg-type]
    hooks.is_hooked = True
    Accelerator(cpu=True)
    assert hooks.processes == 1
    assert hooks.figures()["accelerators"] == 1
    AcceleratorState._reset_state(reset_partial_state=True)
    assert hooks.figures()["accelerators"] == 0
