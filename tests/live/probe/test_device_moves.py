"""What a script moves to a device is remembered where there is only one."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from course_probe.hooks.torch.device_moves import JOINERS, KEEPERS, LIKE, MAKERS, DeviceMoves


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

    others = dict.fromkeys((*MAKERS, *LIKE, *JOINERS), Tensor)
    for name in KEEPERS:
        setattr(Own, name, Tensor.cuda)
    module: Any = SimpleNamespace(Tensor=Own, device=Device, set_default_device=None, **others)
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
        assert not found.is_moved([module.Tensor()])


@pytest.fixture
def real() -> Iterator[DeviceMoves]:
    """Set the hooks in PyTorch itself, which is as it was after a test."""
    names = ("set_default_device", *MAKERS, *LIKE, *JOINERS)
    of_torch = [(torch, name) for name in names]
    of_tensors = [(torch.Tensor, name) for name in ("to", "cuda", *KEEPERS)]
    places = [*of_torch, *of_tensors, (torch.nn.utils.rnn, "pad_sequence")]
    before = [(owner, name, getattr(owner, name)) for owner, name in places]
    found = DeviceMoves()
    found.hook(torch)
    found.hook_padding(torch.nn.utils.rnn)
    yield found
    for owner, name, value in before:
        setattr(owner, name, value)


def test_what_is_made_on_a_device_is_moved(real: DeviceMoves) -> None:
    device = torch.device("cpu")
    rows = [torch.tensor([1, 2, 0], device=device), torch.tensor([3], device="cpu")]
    padded = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
    mask = (padded != 0).long()
    made = [
        *rows,
        *(padded, mask, mask[:1], torch.ones_like(padded), torch.cat([padded, mask])),
        *(torch.stack([padded, mask]), torch.zeros(2, 3, device=device), padded.clone()),
        torch.as_tensor([1.0], device=device),
    ]
    for each in made:
        assert real.is_moved([each])


def test_what_is_made_anywhere_is_not(real: DeviceMoves) -> None:
    here, moved = torch.tensor([1, 2, 0]), torch.tensor([1, 2, 3], device="cpu")
    others = [
        *(here, torch.ones(3), torch.as_tensor([1.0], device=None), here.long(), here != 0),
        *(torch.stack([here, moved]), torch.zeros_like(here), torch.cat((moved, here))),
        torch.nn.utils.rnn.pad_sequence([here, moved]),
    ]
    for each in others:
        assert not real.is_moved([each])


@pytest.mark.usefixtures("real")
def test_a_place_for_all_that_is_made_is_still_one() -> None:
    with torch.device("meta"):
        assert torch.tensor([1]).is_meta
        assert torch.zeros(2).is_meta
        assert torch.nn.Linear(2, 2).weight.is_meta


def test_with_a_default_device_all_is_made_there(real: DeviceMoves) -> None:
    before = torch.tensor([1, 2])
    torch.set_default_device("cpu")
    try:
        made = torch.tensor([1, 2])
        assert real.is_moved([made, torch.stack([made, made])])
        assert not real.is_moved([before])
    finally:
        torch.set_default_device(None)
    assert not real.is_moved([torch.tensor([1, 2])])
