"""What `torch.load` reads is heard, without being replaced."""

import gc
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from course_probe.hooks.torch.passes import PassHooks
from course_probe.vital_signs.plain_model import PlainModel

LOAD, SAVE = torch.load, torch.save


@pytest.fixture
def log() -> Any:
    return SimpleNamespace(looking=False)


def listening(log: Any) -> PassHooks:
    hooks = PassHooks(log, SimpleNamespace(), PlainModel())  # type: ignore[arg-type]
    hooks._hear_loading(torch)
    return hooks


def test_what_is_loaded_is_heard_and_what_is_saved_is_not(log: Any, tmp_path: Path) -> None:
    hooks = listening(log)
    torch.save({"weight": torch.arange(6.0)}, tmp_path / "parts.pt")
    assert hooks.loaded == 0
    assert torch.load(tmp_path / "parts.pt")["weight"].tolist() == list(range(6))
    assert hooks.loaded > 0
    assert (torch.load, torch.save) == (LOAD, SAVE)
    heard, log.looking = hooks.loaded, True
    torch.load(tmp_path / "parts.pt")
    assert hooks.loaded == heard


def test_a_place_that_is_asked_for_is_where_the_weights_are(log: Any, tmp_path: Path) -> None:
    hooks = listening(log)
    torch.save(torch.ones(2), tmp_path / "one.pt")
    assert torch.load(tmp_path / "one.pt", map_location="cpu").device.type == "cpu"
    assert torch.load(tmp_path / "one.pt", map_location=lambda storage, _at: storage).sum() == 2
    assert torch.load(tmp_path / "one.pt", map_location="meta").device.type == "meta"
    assert hooks.loaded > 0


def test_only_the_last_run_of_a_process_hears(log: Any, tmp_path: Path) -> None:
    torch.save(torch.ones(2), tmp_path / "one.pt")
    first = listening(log)
    asked = len(torch.serialization._package_registry)
    second = listening(log)
    assert len(torch.serialization._package_registry) == asked, "asked for once only"
    torch.load(tmp_path / "one.pt")
    assert (first.loaded, second.loaded > 0) == (0, True)
    del first, second
    gc.collect()
    assert torch.load(tmp_path / "one.pt").tolist() == [1, 1]
