"""Vital signs of a model are written, unless the script is examined: nobody reads them there."""

import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from course_probe.event_log import EventLog
from course_probe.hooks.model_pass import ModelPass
from course_probe.hooks.vitals import VitalsHooks


@pytest.mark.parametrize("examined", [False, True])
def test_only_a_script_that_is_not_examined_is_measured(examined: bool, tmp_path: Path) -> None:
    out = io.StringIO()
    vitals = VitalsHooks(EventLog(out, str(tmp_path / "stop")), examined=examined)
    passes = 0

    def compute(model: Any, **named: Any) -> Any:
        nonlocal passes
        passes += 1
        logits = model(named["input_ids"].float())
        loss = torch.nn.functional.cross_entropy(logits, named["labels"])
        return SimpleNamespace(logits=logits, loss=loss)

    model = torch.nn.Linear(4, 2)
    model.config = SimpleNamespace(num_labels=2)  # type: ignore[assignment]
    ids, labels = torch.ones(3, 4, dtype=torch.long), torch.tensor([0, 1, 1])
    given = {"input_ids": ids, "labels": labels}
    outputs = compute(model, **given)
    one = ModelPass(compute, model, given, model, ids, given, outputs.logits)
    vitals.note_training_pass(one)
    vitals.write()
    told = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [each["event"] for each in told] == ([] if examined else ["figures", "vitals"])
    # The pass of the script's own, and no other.
    assert passes == 1
    if not examined:
        assert told[-1]["loss"]["guess"] == pytest.approx(0.6931, abs=1e-4)
