"""The untrained models of `ch8-4` with Keras: what each answers, as `untrained.py` counts it.

``python benchmarks/untrained_keras.py FROM TO``, run by the runtime of TensorFlow with the embedded
hub in its environment and this checkout in `PYTHONPATH`. Prints a line of JSON for each seed from
FROM to TO, `TO` left out: the signs of the outcome.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras
from datasets import load_dataset
from transformers import AutoTokenizer, TFAutoModelForSequenceClassification, logging

from course_probe.hooks.keras.answers import (
    COMPARED,
    Answers,
    EvaluationData,
    compare,
    fingerprints,
)

CHECKPOINT = "distilbert-base-uncased"
SPLIT = "validation_matched"
LENGTH, BATCH = 48, 16
"""Tokens of a row, rows of a batch, as the lesson has them; it leaves out the last, short batch."""


def data() -> tuple[dict[str, Any], Any]:
    """Token ids and masks (rows × 48) of the validation examples, and their labels."""
    rows = load_dataset("glue", "mnli")[SPLIT][:]
    tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
    texts = rows["premise"], rows["hypothesis"]
    kind = {"padding": "max_length", "truncation": True, "max_length": LENGTH}
    batch = tokenizer(*texts, **kind, return_tensors="np")
    whole = len(rows["label"]) // BATCH * BATCH
    names = ("input_ids", "attention_mask")
    return {name: batch[name][:whole] for name in names}, np.array(rows["label"])[:whole]


class HeadOnly:
    """A model whose body, the checkpoint's whatever the seed, has answered before.

    `pooled` are the first tokens' states by the fingerprint of their row.
    """

    def __init__(self, model: Any, pooled: dict[int, Any]) -> None:
        self._model, self._pooled = model, pooled

    def __call__(self, x: dict[str, Any], *, training: bool) -> Any:
        """Logits, rows × classes."""
        states = tf.stack([self._pooled[each] for each in fingerprints(x)])
        return self._model.classifier(self._model.pre_classifier(states))


def main() -> None:
    """Load, answer, print."""
    logging.set_verbosity_error()
    x, labels = data()
    pooled: dict[int, Any] = {}
    for seed in range(int(sys.argv[1]), int(sys.argv[2])):
        tf_keras.utils.set_random_seed(seed)
        model = TFAutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=3)
        if not pooled:
            states = model.distilbert(**x, training=False).last_hidden_state[:, 0]
            pooled = dict(zip(fingerprints(x), states, strict=True))
            whole = model(**x, training=False).logits
            np.testing.assert_allclose(HeadOnly(model, pooled)(x, training=False), whole, atol=1e-4)
        after = Answers(HeadOnly(model, pooled), EvaluationData({"x": x, "y": labels}), len(labels))
        before = after.ask_again(HeadOnly(model, pooled), COMPARED)
        signs = after.signs(set(), normalised=False) | {"split": SPLIT}
        print(json.dumps(signs | compare(before, after, normalised=False)), flush=True)


if __name__ == "__main__":
    main()
