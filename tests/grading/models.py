"""Small classifiers with weights drawn from a seed, and what a real framework says they answer.

`tests/live/test_encoder.py` holds the answers against the framework once more.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.grading.reference import encoder
from course.grading.reference.weights import Array

CONFIGS: dict[str, dict[str, Any]] = {
    "distilbert": {
        "model_type": "distilbert",
        "dim": 8,
        "hidden_dim": 16,
        "n_heads": 2,
        "n_layers": 2,
        "vocab_size": 20,
        "max_position_embeddings": 12,
        "activation": "gelu",
    },
    "bert": {
        "model_type": "bert",
        "hidden_size": 8,
        "intermediate_size": 16,
        "num_attention_heads": 2,
        "num_hidden_layers": 2,
        "vocab_size": 20,
        "max_position_embeddings": 12,
        "type_vocab_size": 2,
        "layer_norm_eps": 1e-12,
        "hidden_act": "gelu",
    },
}
LABELS = 3
LAYER = {
    "distilbert": {
        "linear": ["attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin"],
        "up": "ffn.lin1",
        "down": "ffn.lin2",
        "norms": ["sa_layer_norm", "output_layer_norm"],
    },
    "bert": {
        "linear": [
            "attention.self.query",
            "attention.self.key",
            "attention.self.value",
            "attention.output.dense",
        ],
        "up": "intermediate.dense",
        "down": "output.dense",
        "norms": ["attention.output.LayerNorm", "output.LayerNorm"],
    },
}


def shapes(kind: str) -> dict[str, tuple[int, ...]]:
    """Return each tensor of the small classifier, under one framework's name."""
    layer = LAYER[kind]
    found: dict[str, tuple[int, ...]] = {
        f"{kind}.embeddings.word_embeddings.weight": (20, 8),
        f"{kind}.embeddings.position_embeddings.weight": (12, 8),
    }
    if kind == "bert":
        found["bert.embeddings.token_type_embeddings.weight"] = (2, 8)
    linear = {"classifier": (LABELS, 8)}
    linear["pre_classifier" if kind == "distilbert" else "bert.pooler.dense"] = (8, 8)
    norms = [f"{kind}.embeddings.LayerNorm"]
    stack = "distilbert.transformer.layer" if kind == "distilbert" else "bert.encoder.layer"
    for number in range(2):
        prefix = f"{stack}.{number}."
        linear |= {prefix + name: (8, 8) for name in layer["linear"]}
        linear |= {prefix + str(layer["up"]): (16, 8), prefix + str(layer["down"]): (8, 16)}
        norms += [prefix + name for name in layer["norms"]]
    for name, shape in linear.items():
        found |= {name + ".weight": shape, name + ".bias": shape[:1]}
    return found | {f"{name}.{end}": (8,) for name in norms for end in ("weight", "bias")}


def drawn(kind: str, seed: int = 0) -> dict[str, Array]:
    """Draw weights that are the same everywhere, and large enough for every part to matter."""
    rng = np.random.default_rng(seed)
    return {
        name: rng.normal(0, 0.7, shape).astype(np.float32)
        for name, shape in sorted(shapes(kind).items())
    }


def texts(n: int = 4, length: int = 7, seed: int = 1) -> tuple[encoder.IdArray, ...]:
    """Draw ids and mask of texts, padded with what nobody may look at."""
    rng = np.random.default_rng(seed)
    ids = rng.integers(0, 20, (n, length))
    mask = (np.arange(length) < rng.integers(1, length + 1, (n, 1))).astype(np.int64)
    return ids, mask


def other_names(weights: dict[str, Array], kind: str) -> dict[str, Array]:
    """Return the same weights as the other framework names and turns them."""
    root = {
        "distilbert": "tf_distil_bert_for_sequence_classification",
        "bert": "tf_bert_for_sequence_classification_1",
    }[kind]
    found: dict[str, NDArray[np.float32]] = {}
    for name, tensor in weights.items():
        *path, last = name.replace("layer.", "layer_._").split(".")
        if path[-1].lower().endswith("norm") or path[-1].endswith("layer_norm"):
            last = {"weight": "gamma", "bias": "beta"}[last]
        elif path[-1] in ("position_embeddings", "token_type_embeddings"):
            last = "embeddings"
        elif last == "weight" and path[-1] != "word_embeddings":
            last, tensor = "kernel", tensor.T
        joined = "/".join(path).replace("layer_/_", "layer_._")
        found[f"{root}/{joined}/{last}:0"] = tensor
    return found


ANSWERS = {
    "distilbert": [
        [-0.3641, -1.73098, 0.47815],
        [-0.37772, -1.80996, 0.46641],
        [-0.34002, -1.62319, 0.48533],
        [-0.07953, -1.65772, 0.86825],
    ],
    "bert": [
        [0.63104, -2.02318, 0.89665],
        [0.6613, -2.00234, 0.91929],
        [0.60357, -2.04976, 1.01458],
        [0.6869, -1.97694, 0.78899],
    ],
}
"""What the framework that these classes come from answers to `texts`, to five digits."""
