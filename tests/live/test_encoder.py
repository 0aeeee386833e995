"""Our forward pass beside the real ones, of both frameworks."""

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from course.base import paths
from course.base.errors import UserError
from course.grading.reference import encoder, weights
from course.lesson import lesson
from course.runs.environment import runtime
from tests.command import CLEAN
from tests.grading import models

HUB = paths.lessons() / "hub" / "models" / "distilbert-base-uncased"
OTHER = """
import json, sys
import numpy, tensorflow, transformers
from safetensors.numpy import load_file, save_file

(folder,) = sys.argv[1:]
config = json.load(open(f"{folder}/config.json"))
config = transformers.DistilBertConfig(**config, num_labels=3)
model = transformers.TFDistilBertForSequenceClassification(config)
texts = {key: tensorflow.constant(value) for key, value in load_file(f"{folder}/texts").items()}
model(texts)
rng = numpy.random.default_rng(7)
for weight in model.weights:
    weight.assign(rng.normal(0, 0.5, weight.shape))
save_file({weight.name: weight.numpy() for weight in model.weights}, f"{folder}/weights")
save_file({"logits": model(texts).logits.numpy()}, f"{folder}/answers")
"""
"""Run by the other framework's interpreter: its own names, its own layout, its own answers."""


def real(config: dict[str, Any]) -> Any:
    import transformers

    rest = {k: v for k, v in config.items() if k != "model_type"}
    settings = transformers.DistilBertConfig(**rest, num_labels=models.LABELS)
    return transformers.DistilBertForSequenceClassification(settings).eval()


def answers(model: Any, **texts: Any) -> weights.Array:
    import torch

    with torch.no_grad():
        found = model(**{name: torch.tensor(table) for name, table in texts.items()})
    logits: weights.Array = found.logits.numpy()
    return logits


def test_the_answers_that_are_kept_are_still_those_of_the_framework() -> None:
    import torch

    model = real(models.CONFIG)
    model.load_state_dict({k: torch.tensor(v) for k, v in models.drawn().items()})
    ids, mask = models.texts()
    found = answers(model, input_ids=ids, attention_mask=mask)
    np.testing.assert_allclose(found, models.ANSWERS, atol=2e-5)


def test_a_model_with_random_weights_answers_alike(tmp_path: Path) -> None:
    import torch

    sizes = {"dim": 64, "hidden_dim": 96, "n_heads": 4, "n_layers": 3}
    config = {**models.CONFIG, **sizes, "max_position_embeddings": 50, "vocab_size": 300}
    torch.manual_seed(0)
    model = real(config)
    for weight in model.parameters():
        torch.nn.init.normal_(weight, std=0.3)
    save_file({k: v.numpy() for k, v in model.state_dict().items()}, tmp_path / "weights")
    ids, mask = models.texts(n=60, length=50)
    ids = ids * 14
    ours = encoder.logits(weights.read(tmp_path / "weights", 10**7), config, ids, mask)
    theirs = answers(model, input_ids=ids, attention_mask=mask)
    assert np.abs(theirs).max() > 0.5
    np.testing.assert_allclose(ours, theirs, atol=1e-4)


def test_the_shipped_checkpoint_with_a_new_head_answers_alike(tmp_path: Path) -> None:
    from transformers import AutoModelForSequenceClassification

    model = AutoModelForSequenceClassification.from_pretrained(HUB, num_labels=3).eval()
    model.save_pretrained(tmp_path)
    config = json.loads((HUB / "config.json").read_text("utf-8"))
    ids, mask = models.texts(n=60, length=40)
    ids = ids * 25
    ours = encoder.logits(weights.read(tmp_path / "model.safetensors", 10**8), config, ids, mask)
    np.testing.assert_allclose(ours, answers(model, input_ids=ids, attention_mask=mask), atol=1e-4)


@pytest.mark.exhaustive
def test_the_other_framework_answers_alike(tmp_path: Path) -> None:
    try:
        other = runtime.find("tf", lesson.load("ch8-4").parts["tf"].requires)
    except UserError as error:
        pytest.skip(str(error))
    ids, mask = models.texts()
    save_file({"input_ids": ids, "attention_mask": mask}, tmp_path / "texts")
    config = models.CONFIG
    (tmp_path / "config.json").write_text(json.dumps(config), "utf-8")
    command = [other.python, "-c", OTHER, str(tmp_path)]
    variables = {"TF_USE_LEGACY_KERAS": "1", "CUDA_VISIBLE_DEVICES": ""}
    subprocess.run(command, check=True, env={**CLEAN, **variables}, capture_output=True)
    found = weights.read(tmp_path / "weights", 10**7)
    assert any(name.endswith("/kernel:0") for name in found)
    ours = encoder.logits(found, config, ids, mask)
    theirs = weights.read(tmp_path / "answers", 10**6)["logits"]
    np.testing.assert_allclose(ours, theirs, atol=1e-4)
