"""The labels of a pass are those of the batch that it is of, wherever they stand in it."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from course_probe.hooks.model_pass import ModelPass
from course_probe.hooks.vitals import VitalsHooks

IDS = torch.tensor([[5, 6, 7], [8, 9, 0]])
LABELS = torch.tensor([1, 0])
OTHER = torch.tensor([[5, 6, 7], [8, 8, 0]])


def labels_of(batch: Any, *, ids: Any = IDS, **given: Any) -> Any:
    hooks = VitalsHooks(SimpleNamespace(looking=False))  # type: ignore[arg-type]
    hooks.note_batch(batch, None)
    # One more is fetched before a pass.
    hooks.note_batch((OTHER, 1 - LABELS), None)
    if isinstance(batch, dict):
        # A script may do with its batch what it likes.
        batch.clear()
    one = ModelPass(lambda *_a, **_n: None, None, given, None, ids, {}, None)
    return hooks._labels_in(one)


@pytest.mark.parametrize(
    "batch",
    [
        {"input_ids": IDS, "labels": LABELS},
        {"input_ids": IDS, "label": [1, 0]},
        {"idx": torch.tensor([3, 4]), "input_ids": IDS, "target": LABELS},
        {"input_ids": torch.nn.functional.pad(IDS, (0, 2)), "labels": LABELS},
        ["a text", "another", LABELS],
        (IDS, LABELS),
        ({"input_ids": IDS}, LABELS),
        ((IDS, IDS > 0), LABELS.float()),
        (IDS, LABELS[:, None].float()),
    ],
)
def test_labels_are_found(batch: Any) -> None:
    assert labels_of(batch).tolist() == [1, 0]


@pytest.mark.parametrize(
    "batch",
    [
        None,
        "text",
        (IDS, LABELS, LABELS),
        (IDS, torch.tensor([0.5, 1.0])),
        (IDS, torch.tensor([1, 0, 1])),
        {"input_ids": IDS, "labels": None},
        # The last batch of the training is none of an evaluation without a loader.
        {"input_ids": OTHER, "labels": LABELS},
        (OTHER, LABELS),
        ({"input_ids": OTHER}, LABELS),
    ],
)
def test_others_are_not_taken_for_them(batch: Any) -> None:
    assert labels_of(batch) is None


def test_what_the_model_is_given_comes_first() -> None:
    assert labels_of((IDS, LABELS), labels=1 - LABELS).tolist() == [0, 1]


def test_labels_that_a_script_takes_out_and_turns_into_an_array_are_known() -> None:
    hooks = VitalsHooks(SimpleNamespace(looking=False))  # type: ignore[arg-type]
    batch = {"input_ids": IDS.clone(), "label": LABELS.clone()}
    hooks.note_batch(batch, None)
    truth = batch.pop("label").numpy()
    truth[:] = 7
    one = ModelPass(lambda *_a, **_n: None, None, batch, None, batch["input_ids"], {}, None)
    del batch
    assert hooks._labels_in(one).tolist() == [1, 0]


def test_of_batches_whose_tensors_are_gone_the_ids_tell_which_it_is() -> None:
    hooks = VitalsHooks(SimpleNamespace(looking=False))  # type: ignore[arg-type]
    hooks.note_batch({"input_ids": IDS.clone(), "labels": LABELS.clone()}, None)
    # As on another device, and with the next batch fetched already.
    hooks.note_batch({"input_ids": OTHER.clone(), "labels": 1 - LABELS}, None)
    one = ModelPass(lambda *_a, **_n: None, None, {}, None, IDS.clone(), {}, None)
    assert hooks._labels_in(one).tolist() == [1, 0]
