"""A small world to examine in: data with few words, a model that is right on them, and a process
that answers each question as a mended script would."""

import json
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from course.grading.reference import encoder
from course.grading.reference.dataset import EVALUATION, TRAIN, UNSEEN, Drawn, Ids, Split
from course.grading.reference.weights import Array
from tests.grading import models

LABELS = models.LABELS
WORDS, POSITIONS, FIRST = 60, 64, 5
CONFIG = {
    **models.CONFIG,
    "vocab_size": WORDS,
    "max_position_embeddings": POSITIONS,
}
SIZES = {TRAIN: 240, EVALUATION: 60, UNSEEN: 90}


@dataclass(frozen=True)
class World:
    """What was drawn, and weights by which every one of the unseen examples is answered rightly."""

    drawn: Drawn
    weights: dict[str, Array]


@cache
def world() -> World:
    """Make the small world, the same each time."""
    chance = random.Random(0)
    texts: set[Ids] = set()
    while len(texts) < sum(SIZES.values()):
        words = (chance.randrange(FIRST, WORDS) for _ in range(chance.randint(3, 12)))
        texts.add((2, *words, 3))
    ids = sorted(texts)
    chance.shuffle(ids)
    weights, labels = _labelled(ids)
    splits, at = {}, 0
    for name, size in SIZES.items():
        splits[name] = Split(tuple(ids[at : at + size]), tuple(labels[at : at + size]))
        at += size
    return World(Drawn(splits, CONFIG, LABELS), weights)


def _labelled(ids: list[Ids]) -> tuple[dict[str, Array], list[int]]:
    """Make weights that answer one label about as often as the other, and these answers."""
    weights = weights_of(0)
    table, mask = padded(ids)
    middle = np.median(encoder.logits(weights, CONFIG, table, mask), axis=0)
    weights["classifier.bias"] = weights["classifier.bias"] - middle
    labels = encoder.logits(weights, CONFIG, table, mask).argmax(axis=1)
    return weights, [int(label) for label in labels]


def weights_of(seed: int, labels: int = LABELS) -> dict[str, Array]:
    """Make weights that know nothing, with so many outputs."""
    rng = np.random.default_rng(seed)
    shapes = sorted(encoder.shapes(CONFIG, labels))
    return {n: rng.normal(0, 0.7, shape).astype(np.float32) for n, shape in shapes}


def padded(rows: Sequence[Sequence[int]]) -> tuple[encoder.IdArray, encoder.IdArray]:
    """Make ids and mask of texts of different lengths."""
    width = max(map(len, rows))
    ids = np.array([[*row, *[0] * (width - len(row))] for row in rows])
    mask = np.array([[1] * len(row) + [0] * (width - len(row)) for row in rows])
    return ids, mask


def rows(drawn: Drawn, which: str, numbers: Sequence[int]) -> list[dict[str, Any]]:
    """Return examples as a tokenized dataset holds them."""
    split = drawn.splits[which]
    return [
        {
            "premise": "They say that it rains.",
            "label": split.labels[n],
            "input_ids": list(split.ids[n]),
            "attention_mask": [1] * len(split.ids[n]),
        }
        for n in numbers
    ]


def answer(
    question: dict[str, Any], drawn: Drawn | None = None, weights: dict[str, Array] | None = None
) -> Any:
    """Make what a mended script answers, as it comes out of a journal."""
    own = world()
    value = _HONEST[question["kind"]](question, drawn or own.drawn, weights or own.weights)
    return json.loads(json.dumps(value))


def _rows(question: dict[str, Any], drawn: Drawn, _weights: Any) -> Any:
    return {
        which: {
            "size": len(drawn.splits[which]),
            "rows": rows(drawn, which, numbers(drawn, which, question[which])),
        }
        for which in (TRAIN, EVALUATION)
    }


def numbers(drawn: Drawn, which: str, places: Sequence[float]) -> list[int]:
    """Return the examples at these places, from 0 to 1."""
    return [int(place * len(drawn.splits[which])) for place in places]


def batch_of(examples: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Pad examples as a collator does."""
    ids, mask = padded([row["input_ids"] for row in examples])
    labels = [row["label"] for row in examples]
    return {"input_ids": ids.tolist(), "attention_mask": mask.tolist(), "labels": labels}


def _batch(question: dict[str, Any], drawn: Drawn, _weights: Any) -> Any:
    some = numbers(drawn, TRAIN, question["own"])
    loaded = (some, range(8), range(8, 16))
    return {
        "tokenized": True,
        "drawn": {"value": [batch_of(question["drawn"])]},
        "own": {"value": [batch_of(rows(drawn, TRAIN, each)) for each in loaded]},
    }


def _outputs(question: dict[str, Any], _drawn: Drawn, weights: dict[str, Array]) -> Any:
    ids, mask = np.array(question["input_ids"]), np.array(question["attention_mask"])
    logits = encoder.logits(weights, CONFIG, ids, mask).tolist()
    return {"logits": logits, "loss": cross_entropy(logits, question["labels"])}


def cross_entropy(logits: list[list[float]], labels: list[int]) -> float:
    """Compute the mean cross-entropy, by the definition."""
    losses = [
        math.log(sum(math.exp(one) for one in row)) - row[label]
        for row, label in zip(logits, labels, strict=True)
    ]
    return sum(losses) / len(losses)


def _metric(question: dict[str, Any], _drawn: Drawn, _weights: Any) -> Any:
    said = []
    for asked in question["drawn"]:
        best = [row.index(max(row)) for row in asked["logits"]]
        right = sum(a == b for a, b in zip(best, asked["labels"], strict=True))
        said.append({"accuracy": right / len(best)})
    return said


def _pairs(question: dict[str, Any], drawn: Drawn, _weights: Any) -> Any:
    made: dict[str, Any] = {}
    for which in (TRAIN, EVALUATION):
        made[which] = []
        for number in range(question["batches"]):
            batch = batch_of(rows(drawn, which, range(8 * number, 8 * number + 8)))
            labels = batch.pop("labels")
            made[which].append({"inputs": batch, "labels": labels})
    return made


def _rate(question: dict[str, Any], _drawn: Drawn, _weights: Any) -> Any:
    pairs = zip(question["values"], question["gradients"], strict=True)
    return {"values": [value - math.copysign(5e-5, gradient) for value, gradient in pairs]}


def _loss(question: dict[str, Any], _drawn: Drawn, _weights: Any) -> Any:
    return {"loss": cross_entropy(question["logits"], question["labels"])}


_HONEST = {
    "rows": _rows,
    "batch": _batch,
    "outputs": _outputs,
    "metric": _metric,
    "pairs": _pairs,
    "rate": _rate,
    "loss": _loss,
}
