"""A small classifier with weights drawn from a seed, and what a real framework says it answers.

`tests/live/test_encoder.py` holds the answers against the framework once more.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.grading.reference import encoder
from course.grading.reference.weights import Array

CONFIG: dict[str, Any] = {
    "model_type": "distilbert",
    "dim": 8,
    "hidden_dim": 16,
    "n_heads": 2,
    "n_layers": 2,
    "vocab_size": 20,
    "max_position_embeddings": 12,
    "activation": "gelu",
}
LABELS = 3


def drawn(seed: int = 0) -> dict[str, Array]:
    """Draw weights that are the same everywhere, and large enough for every part to matter."""
    rng = np.random.default_rng(seed)
    return {
        name: rng.normal(0, 0.7, shape).astype(np.float32)
        for name, shape in sorted(encoder.shapes(CONFIG, LABELS))
    }


def texts(n: int = 4, length: int = 7, seed: int = 1) -> tuple[encoder.IdArray, ...]:
    """Draw ids and mask of texts, padded with what nobody may look at."""
    rng = np.random.default_rng(seed)
    ids = rng.integers(0, 20, (n, length))
    mask = (np.arange(length) < rng.integers(1, length + 1, (n, 1))).astype(np.int64)
    return ids, mask


def other_names(weights: dict[str, Array]) -> dict[str, Array]:
    """Return the same weights as the other framework names and turns them."""
    root = "tf_distil_bert_for_sequence_classification"
    found: dict[str, NDArray[np.float32]] = {}
    for name, tensor in weights.items():
        *path, last = name.replace("layer.", "layer_._").split(".")
        if path[-1].lower().endswith("norm") or path[-1].endswith("layer_norm"):
            last = {"weight": "gamma", "bias": "beta"}[last]
        elif path[-1] == "position_embeddings":
            last = "embeddings"
        elif last == "weight" and path[-1] != "word_embeddings":
            last, tensor = "kernel", tensor.T
        joined = "/".join(path).replace("layer_/_", "layer_._")
        found[f"{root}/{joined}/{last}:0"] = tensor
    return found


ANSWERS = [
    [-0.3641, -1.73098, 0.47815],
    [-0.37772, -1.80996, 0.46641],
    [-0.34002, -1.62319, 0.48533],
    [-0.07953, -1.65772, 0.86825],
]
"""What the framework that this class comes from answers to `texts`, to five digits."""
