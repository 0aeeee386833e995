"""What a DistilBERT that sorts texts into classes answers, computed with numpy alone.

The weights may come from a hostile process: their shapes must be exactly those that the settings
of the checkpoint prescribe, before anything is computed with them. The settings are our own.
"""

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from course.grading.reference.weights import Array, BadWeights

IdArray = NDArray[np.integer[Any]]
Config = Mapping[str, Any]
"""The `config.json` of a checkpoint."""
LABELS = 100
"""The most labels that a head may have."""
TOKENS = 512
"""Tokens that are computed at a time, so that what is between the layers fits into the cache."""
EPSILON = np.float32(1e-12)
"""What a norm adds to the variance."""
ROOT = "distilbert."
EMBEDDINGS, LAYER = f"{ROOT}embeddings.", f"{ROOT}transformer.layer.{{}}."
ATTENTION = ("q_lin", "k_lin", "v_lin", "out_lin")
"""The square matrices of a layer: query, key, value, and their merge."""
ENDS = {"kernel": "weight", "gamma": "weight", "beta": "bias", "embeddings": "weight"}
"""The last word of a name as one framework writes it, and as the other does."""


def _gelu(x: Array) -> Array:
    """Compute x Φ(x), its erf by Abramowitz & Stegun, 7.1.26: off by 1.5e-7 at most."""
    z = np.abs(x)
    z *= np.float32(np.sqrt(0.5))
    t = 1 / (1 + np.float32(0.3275911) * z)
    tail = t * np.float32(1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        tail += np.float32(factor)
        tail *= t
    # Φ(-|x|); the tail of the other side is what is left to 1.
    np.multiply(z, -z, out=z)
    tail *= np.exp(z, out=z)
    tail *= np.float32(0.5)
    tail *= x
    # With a positive x it is x Φ(-x) that is missing from x; with a negative one it is all.
    return np.where(x < 0, tail, x - tail)


def logits(
    weights: Mapping[str, Array],
    config: Config,
    input_ids: IdArray,
    attention_mask: IdArray,
) -> Array:
    """Compute the model's output for each text, before any softmax: shape (n, labels).

    `weights` are named as either framework names them, and tensors that the model has no use for
    are passed over. Both arrays of whole numbers have the shape (n, length).

    Raises:
        BadWeights: a tensor is missing, there twice, or of another shape than prescribed, or the
            numbers in them lead beyond all bounds.
        ValueError: `config` is of another model.

    """
    _keep_to_one_thread()
    if (config["model_type"], config["activation"]) != ("distilbert", "gelu"):
        raise ValueError(f"no model that we can compute: {config['model_type']}")
    checked = _checked(_unwrapped(_neutral(weights)), config)
    model = _Model(checked, config)
    out = np.empty((len(input_ids), len(checked["classifier.bias"])), np.float32)
    with np.errstate(all="ignore"):
        for rows, length in _batches(attention_mask):
            out[rows] = model.answer(input_ids[rows, :length], attention_mask[rows, :length])
    if not np.isfinite(out).all():
        raise BadWeights("not-finite")
    return out


@functools.cache
def _keep_to_one_thread() -> None:
    """Have numpy work with one thread from now on: the jobs are many, threads wait for each other.

    The variables that say so, as `OPENBLAS_NUM_THREADS`, are read at the first import of numpy
    only, which whoever asks us has long done.
    """
    threadpool_limits(limits=1, user_api="blas")


def is_around(weights: Mapping[str, Array], config: Config) -> bool:
    """Whether weights hold the whole encoder of a checkpoint, below whatever name, and more.

    So it is with a class of somebody's own that puts its head on the pretrained model.
    """
    try:
        weights = _neutral(weights)
    except BadWeights:
        return False
    wanted = {
        name.removeprefix(ROOT): shape for name, shape in shapes(config, 1) if name.startswith(ROOT)
    }
    end = "embeddings.word_embeddings.weight"
    for name in weights:
        if name.endswith(end):
            prefix = name.removesuffix(end)
            if f"{prefix.removesuffix(ROOT)}classifier.weight" in weights:
                # A model as the library makes it, maybe with something put between it and us.
                return False
            found = (weights.get(prefix + each) for each in wanted)
            return [None if w is None else w.shape for w in found] == list(wanted.values())
    return False


def _neutral(weights: Mapping[str, Array]) -> dict[str, Array]:
    """Return the weights as one framework names them, and in its layout.

    The other framework writes paths, `…/layer_._0/attention/q_lin/kernel:0`, below the name of
    the whole model, and its kernels are transposed.

    Raises:
        BadWeights: two tensors have the same name then.

    """
    found: dict[str, Array] = {}
    for name, tensor in weights.items():
        standard_name, turned = name, False
        if "/" in name:
            *path, last = re.sub(r":\d+$", "", name).split("/")
            below = path[1:] if path[0].startswith("tf_") else path
            standard_name = ".".join([*below, ENDS.get(last, last)]).replace("layer_._", "layer.")
            turned = last == "kernel"
        if standard_name in found:
            raise BadWeights("doubled", name)
        found[standard_name] = tensor.T if turned else tensor
    return found


def _unwrapped(weights: Mapping[str, Array]) -> Mapping[str, Array]:
    """Return the weights of the whole model, also where a custom class holds it by some name.

    With a second model beside it nobody knows which of them answers when.
    """
    first = f"{EMBEDDINGS}word_embeddings.weight"
    held = [name.removesuffix(first) for name in weights if name.endswith(first)]
    if len(held) != 1 or f"{held[0]}classifier.bias" not in weights:
        return weights
    (prefix,) = held
    return {n.removeprefix(prefix): w for n, w in weights.items() if n.startswith(prefix)}


def _batches(mask: IdArray) -> Iterator[tuple[IdArray, int]]:
    """Rows of texts about as long as each other, and how many of their tokens count."""
    length = mask.shape[1]
    used = length - np.argmax(mask[:, ::-1] > 0, axis=1)
    rows = np.argsort(used, kind="stable")
    while len(rows):
        batch = rows[-max(1, TOKENS // int(used[rows[-1]])) :]
        yield batch, int(used[batch[-1]])
        rows = rows[: -len(batch)]


def shapes(config: Config, labels: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield each tensor that the model needs, and the only shape that it may have."""
    dim, inner = config["dim"], config["hidden_dim"]
    yield EMBEDDINGS + "word_embeddings.weight", (config["vocab_size"], dim)
    yield EMBEDDINGS + "position_embeddings.weight", (config["max_position_embeddings"], dim)
    linear = [("pre_classifier", dim, dim), ("classifier", labels, dim)]
    norms = [EMBEDDINGS + "LayerNorm"]
    for number in range(config["n_layers"]):
        layer = LAYER.format(number)
        linear += [(f"{layer}attention.{part}", dim, dim) for part in ATTENTION]
        linear += [(layer + "ffn.lin1", inner, dim), (layer + "ffn.lin2", dim, inner)]
        norms += [layer + "sa_layer_norm", layer + "output_layer_norm"]
    for name, rows, columns in linear:
        yield name + ".weight", (rows, columns)
        yield name + ".bias", (rows,)
    for name in norms:
        yield name + ".weight", (dim,)
        yield name + ".bias", (dim,)


def _checked(weights: Mapping[str, Array], config: Config) -> dict[str, Array]:
    """Return the tensors that the model needs, all there and all of the right shape."""
    head = weights.get("classifier.bias")
    if head is None:
        raise BadWeights("missing", "classifier.bias")
    if head.ndim != 1 or not 1 <= len(head) <= LABELS:
        raise BadWeights("labels", "classifier.bias")
    checked = {}
    for name, shape in shapes(config, len(head)):
        if name not in weights:
            raise BadWeights("missing", name)
        if weights[name].shape != shape:
            raise BadWeights("shape", name)
        checked[name] = np.asarray(weights[name], np.float32)
    return checked


@dataclass(frozen=True)
class _Model:
    weights: Mapping[str, Array]
    config: Config

    def answer(self, ids: IdArray, mask: IdArray) -> Array:
        """Logits of a few texts, (n, length) to (n, labels)."""
        x = self._embedded(ids)
        # As low as a number can be: where nothing is to be seen at all, all is seen alike.
        hidden = np.where(mask[:, None, None, :] > 0, 0, np.finfo(np.float32).min)
        layers = self.config["n_layers"]
        for number in range(layers):
            layer = LAYER.format(number)
            # The head sees nothing of the last layer but what it makes of the first token.
            wanted = x[:, :1] if number == layers - 1 else x
            seen = self._attention(layer, wanted, x, hidden.astype(np.float32))
            x = self._norm(layer + "sa_layer_norm", wanted + seen)
            wide = _gelu(self._linear(layer + "ffn.lin1", x))
            x = self._norm(layer + "output_layer_norm", x + self._linear(layer + "ffn.lin2", wide))
        first = np.maximum(self._linear("pre_classifier", x[:, 0]), 0)
        return self._linear("classifier", first)

    def _embedded(self, ids: IdArray) -> Array:
        x = self.weights[EMBEDDINGS + "word_embeddings.weight"][ids]
        x = x + self.weights[EMBEDDINGS + "position_embeddings.weight"][: ids.shape[1]]
        return self._norm(EMBEDDINGS + "LayerNorm", x)

    def _attention(self, layer: str, wanted: Array, x: Array, hidden: Array) -> Array:
        """Compute the attention to all: from (n, wanted, dim) and (n, length, dim) to the first."""
        n, _length, dim = x.shape
        heads = self.config["n_heads"]

        def parted(name: str, tokens: Array) -> Array:
            whole = self._linear(f"{layer}attention.{name}", tokens)
            return whole.reshape(n, -1, heads, dim // heads).transpose(0, 2, 1, 3)

        query = parted("q_lin", wanted) / np.float32(np.sqrt(dim // heads))
        keys = parted("k_lin", x).transpose(0, 1, 3, 2)
        scores: Array = np.asarray(query @ keys, np.float32)
        scores += hidden
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        merged = (scores @ parted("v_lin", x)).transpose(0, 2, 1, 3)
        return self._linear(layer + "attention.out_lin", merged.reshape(n, -1, dim))

    def _linear(self, name: str, x: Array) -> Array:
        weight = self.weights[name + ".weight"]
        flat = x.reshape(-1, x.shape[-1]) @ weight.T
        flat += self.weights[name + ".bias"]
        return flat.reshape(*x.shape[:-1], weight.shape[0])

    def _norm(self, name: str, x: Array) -> Array:
        normed: Array = x - x.mean(axis=-1, keepdims=True)
        spread = np.einsum("...i,...i->...", normed, normed)[..., None] / np.float32(x.shape[-1])
        normed /= np.sqrt(spread + EPSILON)
        normed *= self.weights[name + ".weight"]
        normed += self.weights[name + ".bias"]
        return normed
