"""What a script moves to a device is remembered where there is only one."""

import gc
from types import SimpleNamespace
from typing import Any

import pytest

from course_probe.hooks.torch.device_moves import DeviceMoves


class Device:
    pass


class Tensor:
    _base: Any = None

    def to(self, *arguments: Any, **named: Any) -> "Tensor":
        return self

    def cuda(self) -> "Tensor":
        return self

    def untyped_storage(self) -> None:
        """Only tensors have one."""

    def part(self) -> "Tensor":
        view = Tensor()
        view._base = self
        return view


@pytest.fixture
def moves() -> tuple[DeviceMoves, Any]:
    class Own(Tensor):
        to, cuda = Tensor.to, Tensor.cuda

    module: Any = SimpleNamespace(Tensor=Own, device=Device)
    found = DeviceMoves()
    found.hook(module)
    return found, module


def test_what_was_given_a_device_is_moved_and_so_are_its_parts(
    moves: tuple[DeviceMoves, Any],
) -> None:
    found, module = moves
    device = Device()
    for move in (
        lambda each: each.to(device),
        lambda each: each.to("cpu", non_blocking=True),
        lambda each: each.to(0),
        lambda each: each.to(device=device),
        lambda each: each.to(module.Tensor()),
        lambda each: each.cuda(),
    ):
        moved = move(module.Tensor())
        assert found.is_moved([moved, moved.part(), "no tensor", None])
        assert not found.is_moved([moved, module.Tensor()])


def test_another_type_is_no_other_place(moves: tuple[DeviceMoves, Any]) -> None:
    found, module = moves
    same = module.Tensor()
    same.to(object())
    same.to(dtype=object(), device=None)
    assert not found.is_moved([same])


def test_a_tensor_is_not_taken_for_one_that_is_gone(moves: tuple[DeviceMoves, Any]) -> None:
    found, module = moves
    for _ in range(100):
        module.Tensor().to("cpu")
        gc.collect()
        assert not found.is_moved([module.Tensor()])
