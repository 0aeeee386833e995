"""What a DistilBERT or BERT that sorts texts into classes answers, computed with numpy alone.

The weights may come from a hostile process: their shapes must be exactly those that the settings
of the checkpoint prescribe, before anything is computed with them. The settings are our own.
"""

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from course.grading.reference.weights import Array, BadWeights

IdArray = NDArray[np.integer[Any]]
LABELS = 100
"""The most labels that a head may have."""
TOKENS = 512
"""Tokens that are computed at a time, so that what is between the layers fits into the cache."""


@dataclass(frozen=True)
class Architecture:
    """What tells one type of model from another: keys of its settings, names of its weights.

    `layer` is where the weights of layer `{}` are, and the eight fields below it are the parts
    of a layer. `types` is where the types of tokens are, if it knows any, `hidden` the layer
    before the last one, and `bend` what is done to its outputs.
    """

    dim: str
    inner: str
    heads: str
    layers: str
    activation: str
    root: str
    layer: str
    query: str
    key: str
    value: str
    merge: str
    attended: str
    up: str
    down: str
    done: str
    types: str | None
    hidden: str
    bend: Callable[[Array], Array]

    @property
    def linear(self) -> tuple[str, ...]:
        """Return the names of a layer's square matrices: query, key, value, and their merge."""
        return self.query, self.key, self.value, self.merge


@dataclass(frozen=True)
class Sizes:
    """The sizes that the settings of a checkpoint prescribe, and the rest that is computed with."""

    vocabulary: int
    positions: int
    types: int
    dim: int
    inner: int
    heads: int
    layers: int
    epsilon: float
    bend: Callable[[Array], Array]


def _relu(x: Array) -> Array:
    return np.maximum(x, 0)


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


ACTIVATIONS: dict[str, Callable[[Array], Array]] = {"gelu": _gelu, "relu": _relu}
DISTILBERT = Architecture(
    dim="dim",
    inner="hidden_dim",
    heads="n_heads",
    layers="n_layers",
    activation="activation",
    root="distilbert",
    layer="distilbert.transformer.layer.{}.",
    query="attention.q_lin",
    key="attention.k_lin",
    value="attention.v_lin",
    merge="attention.out_lin",
    attended="sa_layer_norm",
    up="ffn.lin1",
    down="ffn.lin2",
    done="output_layer_norm",
    types=None,
    hidden="pre_classifier",
    bend=_relu,
)
BERT = Architecture(
    dim="hidden_size",
    inner="intermediate_size",
    heads="num_attention_heads",
    layers="num_hidden_layers",
    activation="hidden_act",
    root="bert",
    layer="bert.encoder.layer.{}.",
    query="attention.self.query",
    key="attention.self.key",
    value="attention.self.value",
    merge="attention.output.dense",
    attended="attention.output.LayerNorm",
    up="intermediate.dense",
    down="output.dense",
    done="output.LayerNorm",
    types="bert.embeddings.token_type_embeddings",
    hidden="bert.pooler.dense",
    bend=np.tanh,
)
KINDS = {"distilbert": DISTILBERT, "bert": BERT}
ENDS = {"kernel": "weight", "gamma": "weight", "beta": "bias", "embeddings": "weight"}
"""The last word of a name as one framework writes it, and as the other does."""


def logits(
    weights: Mapping[str, Array],
    config: Mapping[str, Any],
    input_ids: IdArray,
    attention_mask: IdArray,
) -> Array:
    """Compute the model's output for each text, before any softmax: shape (n, labels).

    `weights` are named as either framework names them, and tensors that the model has no use for
    are passed over. `config` is the checkpoint's `config.json`. Both arrays of whole numbers have
    the shape (n, length); all tokens are of type 0.

    Raises:
        BadWeights: a tensor is missing, there twice, or of another shape than prescribed, or the
            numbers in them lead beyond all bounds.
        ValueError: `config` or the texts are none that this model could be given.

    """
    _keep_to_one_thread()
    kind, sizes = _sizes(config)
    _look_at_texts(sizes, input_ids, attention_mask)
    checked = _checked(_unwrapped(neutral(weights), kind), kind, sizes)
    model = _Model(checked, kind, sizes)
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


def is_around(weights: Mapping[str, Array], config: Mapping[str, Any]) -> bool:
    """Whether weights hold the whole encoder of a checkpoint, below whatever name, and more.

    So it is with a class of somebody's own that puts its head on the pretrained model.
    """
    kind, sizes = _sizes(config)
    try:
        weights = neutral(weights)
    except BadWeights:
        return False
    start = f"{kind.root}."
    wanted = {
        name.removeprefix(start): shape
        for name, shape in _shapes(kind, sizes, 1)
        if name.startswith((f"{start}embeddings.", kind.layer.partition("{}")[0]))
    }
    end = "embeddings.word_embeddings.weight"
    for name in weights:
        if name.endswith(end):
            prefix = name.removesuffix(end)
            if f"{prefix.removesuffix(start)}classifier.weight" in weights:
                # A model as the library makes it, maybe with something put between it and us.
                return False
            found = (weights.get(prefix + each) for each in wanted)
            shapes = [None if w is None else w.shape for w in found]
            return shapes == list(wanted.values())
    return False


def neutral(weights: Mapping[str, Array]) -> dict[str, Array]:
    """Return the weights under one framework's names and in its layout, whichever wrote them.

    The other one writes paths, `…/layer_._0/attention/q_lin/kernel:0`, below the name of the
    whole model, and its kernels are transposed.

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


def _unwrapped(weights: Mapping[str, Array], kind: Architecture) -> Mapping[str, Array]:
    """Return the weights of the whole model, also where a custom class holds it by some name.

    With a second model beside it nobody knows which of them answers when.
    """
    first = f"{kind.root}.embeddings.word_embeddings.weight"
    held = [name.removesuffix(first) for name in weights if name.endswith(first)]
    if len(held) != 1 or f"{held[0]}classifier.bias" not in weights:
        return weights
    (prefix,) = held
    return {n.removeprefix(prefix): w for n, w in weights.items() if n.startswith(prefix)}


def _sizes(config: Mapping[str, Any]) -> tuple[Architecture, Sizes]:
    kind = KINDS.get(config["model_type"])
    activation = ACTIVATIONS.get(config[kind.activation]) if kind else None
    if kind is None or activation is None:
        raise ValueError(f"no model that we can compute: {config['model_type']}")
    dim, heads = config[kind.dim], config[kind.heads]
    if dim % heads:
        raise ValueError(f"{dim} numbers cannot be shared out among {heads} heads")
    return kind, Sizes(
        vocabulary=config["vocab_size"],
        positions=config["max_position_embeddings"],
        types=config["type_vocab_size"] if kind.types else 1,
        dim=dim,
        inner=config[kind.inner],
        heads=heads,
        layers=config[kind.layers],
        epsilon=config.get("layer_norm_eps", 1e-12),
        bend=activation,
    )


def _look_at_texts(sizes: Sizes, ids: IdArray, mask: IdArray) -> None:
    if ids.ndim != 2 or ids.shape != mask.shape:
        raise ValueError("the ids and the mask must be tables of the same shape")
    if not 1 <= ids.shape[1] <= sizes.positions:
        raise ValueError(f"{ids.shape[1]} tokens, the model takes from 1 to {sizes.positions}")
    if ids.size and not 0 <= ids.min() <= ids.max() < sizes.vocabulary:
        raise ValueError(f"a number that is not below {sizes.vocabulary}")


def _batches(mask: IdArray) -> Iterator[tuple[IdArray, int]]:
    """Rows of texts about as long as each other, and how many of their tokens count."""
    length = mask.shape[1]
    used = length - np.argmax(mask[:, ::-1] > 0, axis=1)
    rows = np.argsort(used, kind="stable")
    while len(rows):
        batch = rows[-max(1, TOKENS // int(used[rows[-1]])) :]
        yield batch, int(used[batch[-1]])
        rows = rows[: -len(batch)]


def _shapes(kind: Architecture, sizes: Sizes, labels: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Each tensor that the model needs, and the only shape that it may have."""
    dim, inner = sizes.dim, sizes.inner
    embeddings = f"{kind.root}.embeddings."
    yield embeddings + "word_embeddings.weight", (sizes.vocabulary, dim)
    yield embeddings + "position_embeddings.weight", (sizes.positions, dim)
    if kind.types:
        yield kind.types + ".weight", (sizes.types, dim)
    linear = [(kind.hidden, dim, dim), ("classifier", labels, dim)]
    norms = [embeddings + "LayerNorm"]
    for number in range(sizes.layers):
        layer = kind.layer.format(number)
        linear += [(layer + part, dim, dim) for part in kind.linear]
        linear += [(layer + kind.up, inner, dim), (layer + kind.down, dim, inner)]
        norms += [layer + kind.attended, layer + kind.done]
    for name, rows, columns in linear:
        yield name + ".weight", (rows, columns)
        yield name + ".bias", (rows,)
    for name in norms:
        yield name + ".weight", (dim,)
        yield name + ".bias", (dim,)


def _checked(weights: Mapping[str, Array], kind: Architecture, sizes: Sizes) -> dict[str, Array]:
    """Return the tensors that the model needs, all there and all of the right shape."""
    head = weights.get("classifier.bias")
    if head is None:
        raise BadWeights("missing", "classifier.bias")
    if head.ndim != 1 or not 1 <= len(head) <= LABELS:
        raise BadWeights("labels", "classifier.bias")
    checked = {}
    for name, shape in _shapes(kind, sizes, len(head)):
        if name not in weights:
            raise BadWeights("missing", name)
        if weights[name].shape != shape:
            raise BadWeights("shape", name)
        checked[name] = np.asarray(weights[name], np.float32)
    return checked


@dataclass(frozen=True)
class _Model:
    weights: Mapping[str, Array]
    kind: Architecture
    sizes: Sizes

    def answer(self, ids: IdArray, mask: IdArray) -> Array:
        """Logits of a few texts, (n, length) to (n, labels)."""
        x = self._embedded(ids)
        # As low as a number can be: where nothing is to be seen at all, all is seen alike.
        hidden = np.where(mask[:, None, None, :] > 0, 0, np.finfo(np.float32).min)
        for number in range(self.sizes.layers):
            layer = self.kind.layer.format(number)
            # The head sees nothing of the last layer but what it makes of the first token.
            wanted = x[:, :1] if number == self.sizes.layers - 1 else x
            seen = self._attention(layer, wanted, x, hidden.astype(np.float32))
            x = self._norm(layer + self.kind.attended, wanted + seen)
            wide = self.sizes.bend(self._linear(layer + self.kind.up, x))
            x = self._norm(layer + self.kind.done, x + self._linear(layer + self.kind.down, wide))
        first = self.kind.bend(self._linear(self.kind.hidden, x[:, 0]))
        return self._linear("classifier", first)

    def _embedded(self, ids: IdArray) -> Array:
        embeddings = f"{self.kind.root}.embeddings."
        x = self.weights[embeddings + "word_embeddings.weight"][ids]
        x = x + self.weights[embeddings + "position_embeddings.weight"][: ids.shape[1]]
        if self.kind.types:
            x = x + self.weights[self.kind.types + ".weight"][0]
        return self._norm(embeddings + "LayerNorm", x)

    def _attention(self, layer: str, wanted: Array, x: Array, hidden: Array) -> Array:
        """Compute the attention to all: from (n, wanted, dim) and (n, length, dim) to the first."""
        n, _length, dim = x.shape
        heads = self.sizes.heads

        def parted(name: str, tokens: Array) -> Array:
            whole = self._linear(layer + name, tokens)
            return whole.reshape(n, -1, heads, dim // heads).transpose(0, 2, 1, 3)

        query = parted(self.kind.query, wanted) / np.float32(np.sqrt(dim // heads))
        keys = parted(self.kind.key, x).transpose(0, 1, 3, 2)
        scores: Array = np.asarray(query @ keys, np.float32)
        scores += hidden
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        merged = (scores @ parted(self.kind.value, x)).transpose(0, 2, 1, 3)
        return self._linear(layer + self.kind.merge, merged.reshape(n, -1, dim))

    def _linear(self, name: str, x: Array) -> Array:
        weight = self.weights[name + ".weight"]
        flat = x.reshape(-1, x.shape[-1]) @ weight.T
        flat += self.weights[name + ".bias"]
        return flat.reshape(*x.shape[:-1], weight.shape[0])

    def _norm(self, name: str, x: Array) -> Array:
        normed: Array = x - x.mean(axis=-1, keepdims=True)
        spread = np.einsum("...i,...i->...", normed, normed)[..., None] / np.float32(x.shape[-1])
        normed /= np.sqrt(spread + np.float32(self.sizes.epsilon))
        normed *= self.weights[name + ".weight"]
        normed += self.weights[name + ".bias"]
        return normed
