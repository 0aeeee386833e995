"""Our own forward pass answers as the real model does, and takes no weights that are none."""

import os
import subprocess
import sys

import numpy as np
import pytest

from course.base import paths
from course.grading.reference import encoder
from course.grading.reference.weights import Array, BadWeights
from tests.command import ROOT
from tests.grading import models

HUB = paths.lessons() / "hub" / "models" / "distilbert-base-uncased"


def answer(weights: dict[str, Array]) -> Array:
    return encoder.logits(weights, models.CONFIG, *models.texts())


def refused(weights: dict[str, Array]) -> tuple[str, str]:
    with pytest.raises(BadWeights) as caught:
        answer(weights)
    reason, *where = caught.value.args
    return reason, *where


def test_the_answers_are_those_of_the_framework() -> None:
    found = answer(models.drawn())
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, models.ANSWERS, atol=2e-5)


def test_names_and_layout_of_the_other_framework_make_no_difference() -> None:
    weights = models.drawn()
    other = models.other_names(weights)
    assert not set(weights) & set(other)
    np.testing.assert_array_equal(answer(other), answer(weights))


@pytest.mark.parametrize("prefix", ["net.", "part.whole.", "my_model/"])
def test_a_class_of_ones_own_may_hold_the_model(prefix: str) -> None:
    weights = models.drawn()
    named = models.other_names(weights) if prefix.endswith("/") else weights
    held = {prefix + name: tensor for name, tensor in named.items()}
    np.testing.assert_array_equal(answer(held), answer(weights))
    part = next(name for name in held if name.endswith(("q_lin.weight", "kernel:0")))
    del held[part]
    assert refused(held)[0] == "missing"


def test_of_two_models_in_one_class_nobody_knows_which_answers() -> None:
    weights = models.drawn()
    both = {f"{which}.{name}": w for which in ("one", "two") for name, w in weights.items()}
    assert refused(both)[0] == "missing"
    assert not encoder.is_around(both, models.CONFIG)


def test_a_head_of_ones_own_is_around_the_encoder_in_both_frameworks() -> None:
    weights = models.drawn()
    for named in (weights, models.other_names(weights)):
        body = {name: tensor for name, tensor in named.items() if "classifier" not in name}
        assert encoder.is_around(body, models.CONFIG)
        lacking = {n: w for n, w in body.items() if "position_embeddings" not in n}
        assert not encoder.is_around(lacking, models.CONFIG)


def test_every_tensor_counts() -> None:
    weights = models.drawn()
    before = answer(weights)
    for name, tensor in weights.items():
        # The same number added to all keys is taken away again by the softmax.
        if not name.endswith("k_lin.bias"):
            changed = answer({**weights, name: tensor * 1.5 + 0.1})
            assert np.abs(changed - before).max() > 1e-6, name


def test_what_is_padded_counts_for_nothing() -> None:
    ids, mask = models.texts()
    weights = models.drawn()
    other = np.where(mask == 1, ids, (ids + 1) % 20)
    assert (ids != other).any()
    for texts in (other, np.pad(other, ((0, 0), (0, 5)))):
        seen = np.pad(mask, ((0, 0), (0, texts.shape[1] - mask.shape[1])))
        found = encoder.logits(weights, models.CONFIG, texts, seen)
        np.testing.assert_allclose(found, models.ANSWERS, atol=2e-5)


def test_a_text_is_answered_alike_whatever_others_are_beside_it() -> None:
    ids, mask = models.texts(n=300, length=12)
    weights, config = models.drawn(), models.CONFIG
    together = encoder.logits(weights, config, ids, mask)
    for i in (0, 1, 150, 299):
        alone = encoder.logits(weights, config, ids[i : i + 1], mask[i : i + 1])
        np.testing.assert_allclose(together[i], alone[0], atol=1e-5)


def test_no_text_has_no_answer() -> None:
    ids, mask = models.texts()
    none = encoder.logits(models.drawn(), models.CONFIG, ids[:0], mask[:0])
    assert none.shape == (0, 3)


def test_each_tensor_must_be_there_and_of_its_shape() -> None:
    weights = models.drawn()
    for name, tensor in weights.items():
        assert refused({n: t for n, t in weights.items() if n != name}) == ("missing", name)
        turned = [tensor.T] if tensor.T.shape != tensor.shape else []
        longer = np.concatenate([tensor, tensor])
        for shape in (*turned, tensor.reshape(-1, 1, 1), tensor[:-1], longer):
            reason, where = refused({**weights, name: shape})
            assert reason in ("shape", "labels")
            assert where == name or name == "classifier.bias"


@pytest.mark.parametrize("labels", [1, 2, 100])
def test_a_head_may_have_another_number_of_labels(labels: int) -> None:
    head = {"classifier.weight": np.ones((labels, 8)), "classifier.bias": np.ones(labels)}
    found = answer({**models.drawn(), **head})
    assert found.shape == (4, labels)


@pytest.mark.parametrize("shape", [(), (0,), (101,), (3, 1)])
def test_but_not_any_number(shape: tuple[int, ...]) -> None:
    head = {"classifier.bias": np.zeros(shape, np.float32)}
    assert refused({**models.drawn(), **head})[0] == "labels"


def test_a_tensor_of_hostile_size_is_not_even_touched() -> None:
    huge = np.broadcast_to(np.float32(0), (2**40, 8))
    name = "distilbert.embeddings.word_embeddings.weight"
    assert refused({**models.drawn(), name: huge}) == ("shape", name)


def test_numbers_beyond_all_bounds_are_no_answer() -> None:
    weights = models.drawn()
    wild = {"classifier.weight": np.full((3, 8), 3e38, np.float32)}
    assert refused(weights | wild)[0] == "not-finite"


def test_one_tensor_under_two_names_is_refused() -> None:
    weights = models.drawn()
    both = weights | models.other_names(weights)
    assert refused(both)[0] == "doubled"


def test_tensors_that_the_model_has_no_use_for_are_passed_over() -> None:
    weights = {**models.drawn(), "vocab_transform.weight": np.zeros((2, 2))}
    np.testing.assert_allclose(answer(weights), models.ANSWERS, atol=2e-5)


@pytest.mark.parametrize("changed", [{"model_type": "gpt2"}, {"activation": "silu"}], ids=str)
def test_a_model_that_we_cannot_compute_is_said_to_be_one(changed: dict[str, object]) -> None:
    ids, mask = models.texts()
    config = {**models.CONFIG, **changed}
    with pytest.raises(ValueError, match="compute"):
        encoder.logits(models.drawn(), config, ids, mask)


TIMED = """
import json, sys, time
import numpy as np
from course.grading.reference import encoder

config = json.load(open(sys.argv[1]))
rng = np.random.default_rng(0)
ids = rng.integers(0, config["vocab_size"], (500, 40))
mask = (np.arange(40) < rng.integers(10, 41, (500, 1))).astype(int)
shapes = encoder.shapes(config, 3)
weights = {name: rng.normal(0, 0.05, shape).astype(np.float32) for name, shape in shapes}
start = time.process_time()
assert encoder.logits(weights, config, ids, mask).shape == (500, 3)
print(time.process_time() - start)
"""


def test_five_hundred_examples_take_a_second() -> None:
    """With the sizes of the shipped checkpoint: 0.6 s of one core, and machines differ."""
    # Threads that wait for each other on a busy machine take five times as long.
    one = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", TIMED, str(HUB / "config.json")]
    done = subprocess.run(
        command, env=one, cwd=ROOT, capture_output=True, encoding="utf-8", check=True
    )
    assert float(done.stdout) < 3
