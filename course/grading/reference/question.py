"""What a submission is asked about each bug, and what the right answer is.

A question is drawn a moment before it is asked, and its answer is worked out here. An answer is
a claim of a process that nobody trusts: anything may stand in it.
"""

import itertools
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from course.grading.reference import encoder
from course.grading.reference.dataset import EVALUATION, TRAIN, Drawn, Ids
from course.grading.reference.weights import BadWeights
from course.judge import named_figure
from course.judge.named_figure import NamedFigure
from course.lesson.silent_signature import HIGHEST_RATE, ROUNDING

ROWS = {TRAIN: 48, EVALUATION: 12}
"""How many examples of each split are asked for."""
CLOSE = 1e-2
"""How far off logits may be: other orders of summation round differently."""
ROUNDING_OF_SHARES = 1e-4
"""How far off a sum of shares may be from 1."""
ROUNDED = 6e-3
"""How far off a figure may be: somebody may round it to two places."""
FLAT = 1e-6
"""How little an output that takes no notice of the text moves."""
SLOWEST = 1e-7
"""The lowest learning rate that still counts as one."""
WRONG = (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError)
"""What comes of reading an answer that makes no sense."""

Question = dict[str, Any]
Weights = Mapping[str, "np.ndarray[Any, Any]"]


@dataclass(frozen=True)
class Judged:
    """Whether an answer is right, and what else it shows: notes by id, with their figures."""

    right: bool
    notes: Mapping[str, Mapping[str, int]]
    figure: NamedFigure | None = None
    """Of a metric function: by which name it says the accuracy."""


class QuestionKind(Protocol):
    """One kind of question."""

    def ask(self, chance: random.Random, dataset: Drawn) -> Question:
        """Draw a question, as data that JSON can hold."""

    def judge(self, question: Question, value: Any, dataset: Drawn, weights: Weights) -> Judged:
        """Judge what was answered; raises one of `WRONG` where it makes no sense."""


class Rows:
    """Examples of both datasets: they are to hold the token ids of their sentences."""

    def ask(self, chance: random.Random, dataset: Drawn) -> Question:
        """Draw where in the datasets the examples lie, from 0 to 1."""
        return {which: [chance.random() for _ in range(many)] for which, many in ROWS.items()}

    def judge(self, question: Question, value: Any, dataset: Drawn, weights: Weights) -> Judged:
        """Hold each example against what our own tokenizer makes of the drawn sentences."""
        notes: dict[str, dict[str, int]] = {}
        right = True
        for which in ROWS:
            found = [_ids(row) for row in value[which]["rows"]]
            splits = [dataset.where(ids) for ids in found]
            # Whose example it is can't be told of one that was cut off after a few words.
            short = [where is None for where in splits]
            known = all(map(dataset.is_beginning, itertools.compress(found, short)))
            right = right and len(found) == ROWS[which] and known
            if which == EVALUATION and TRAIN in splits:
                # A part of the training set will do, if it is kept from the training.
                is_apart = value[which].get("shared") == 0
                notes["held-out" if is_apart else "other-evaluation"] = {}
            if which == TRAIN:
                if EVALUATION in splits:
                    notes["validation-data"] = {}
                if len(set(found)) < ROWS[which] / 2:
                    notes["fewer-examples"] = _examples(value[which]["size"], dataset)
                if right and not any(short):
                    notes |= _labels(value[which]["rows"], found, dataset)
        return Judged(right, notes)


def _labels(
    rows: Sequence[Mapping[str, Any]], found: Sequence[Ids], dataset: Drawn
) -> dict[str, dict[str, int]]:
    """Return the fault in training examples' labels: one is missing, or others were drawn.

    Of so many examples at random each label is one of, but for once in ten million times.
    """
    true = [dataset.label(ids) for ids in found]
    if len(set(true)) < dataset.labels:
        return {"fewer-labels": {"found": len(set(true)), "labels": dataset.labels}}
    labels = [row.get("label", row.get("labels")) for row in rows]
    return {} if labels == true else {"other-labels": {}}


def _examples(found: Any, dataset: Drawn) -> dict[str, int]:
    examples = len(dataset.splits[TRAIN])
    known = found if type(found) is int else 0
    return {"found": min(max(0, known), examples), "examples": examples}


def _ids(row: Mapping[str, Any]) -> Ids:
    """Return the token ids of an example, without its padding."""
    ids = [int(i) for i in row["input_ids"]]
    mask = row.get("attention_mask")
    if mask is None:
        return tuple(ids)
    return tuple(i for i, m in zip(ids, mask, strict=True) if m)


def rows_of(batch: Mapping[str, Any]) -> list[Ids]:
    """Return the token ids of the examples of a batch, each without its padding."""
    pairs = zip(batch["input_ids"], batch["attention_mask"], strict=True)
    return [_ids({"input_ids": ids, "attention_mask": mask}) for ids, mask in pairs]


class Batch:
    """Examples of different lengths: a batch of them is to be rectangular, with a mask."""

    def ask(self, chance: random.Random, dataset: Drawn) -> Question:
        """Draw token ids without sense, and numbers of the submission's own examples."""
        top = int(dataset.config["vocab_size"])
        lengths = chance.sample(range(4, 40), 6)
        rows = [
            {
                "input_ids": [chance.randrange(5, top) for _ in range(length)],
                "attention_mask": [1] * length,
                "label": chance.randrange(dataset.labels),
            }
            for length in lengths
        ]
        return {"drawn": rows, "own": [chance.random() for _ in range(12)]}

    def judge(self, question: Question, value: Any, dataset: Drawn, weights: Weights) -> Judged:
        """Batches of its own examples, where these hold token ids; else one of the drawn ones."""
        name = "own" if value["tokenized"] is True else "drawn"
        if "error" in value[name]:
            return Judged(False, {})
        batches = value[name]["value"]
        rows = [_unpadded(batch) for batch in batches]
        labels = [_labels_of(batch) for batch in batches]
        if name == "drawn":
            wanted = [tuple(row["input_ids"]) for row in question["drawn"]]
            true = [row["label"] for row in question["drawn"]]
            return Judged(rows == [wanted] and labels == [true], {})
        several = len({len(row) for row in rows[0]}) > 1
        known = [[dataset.label(row) for row in some] for some in rows]
        full = len(rows[0]) == len(question["own"])
        return Judged(several and full and known == labels, {})


def _labels_of(batch: Mapping[str, Any]) -> list[int]:
    return [int(label) for label in batch.get("labels", batch.get("label"))]


def _unpadded(batch: Mapping[str, Any]) -> list[Ids]:
    """Return the rows of a rectangular batch, without the parts that its mask leaves out.

    Raises:
        ValueError: it is not rectangular, or pads in the middle of a row.

    """
    ids = np.array(batch["input_ids"], dtype=np.int64)
    mask = np.array(batch["attention_mask"], dtype=np.int64)
    if ids.ndim != 2 or ids.shape != mask.shape:
        raise ValueError("not rectangular")
    if (np.abs(np.diff(mask, axis=1)).sum(axis=1) > 1).any():
        raise ValueError("a hole in the mask")
    return [tuple(map(int, row[kept == 1])) for row, kept in zip(ids, mask, strict=True)]


class Outputs:
    """Token ids: the model is to answer with a number for each label, and with a finite loss."""

    def ask(self, chance: random.Random, dataset: Drawn) -> Question:
        """Draw token ids of different lengths, padded, and every label."""
        top, rows, width = int(dataset.config["vocab_size"]), 2 * dataset.labels, 24
        lengths = [chance.randint(4, width) for _ in range(rows)]
        labels = [i % dataset.labels for i in range(rows)]
        chance.shuffle(labels)
        return {
            "input_ids": [
                [chance.randrange(5, top) for _ in range(n)] + [0] * (width - n) for n in lengths
            ],
            "attention_mask": [[1] * n + [0] * (width - n) for n in lengths],
            "labels": labels,
            "weights": True,
        }

    def judge(self, question: Question, value: Any, dataset: Drawn, weights: Weights) -> Judged:
        """Compute the logits from the weights that the process has handed over."""
        logits = np.array(value["logits"], dtype=np.float64)
        labels = question["labels"]
        ids = np.array(question["input_ids"])
        if logits.ndim != 2 or logits.shape[0] != len(labels) or not np.isfinite(logits).all():
            return Judged(False, {})
        if logits.shape[1] < dataset.labels:
            return Judged(False, {})
        try:
            ours = encoder.logits(
                weights, dataset.config, ids, np.array(question["attention_mask"])
            )
        except BadWeights:
            if not encoder.is_around(weights, dataset.config):
                return Judged(False, {})
            return Judged(_behaves(logits, value, labels), {"own-model": {}})
        right = ours.shape == logits.shape and _agree(ours, logits)
        if "loss" in value:
            loss = cross_entropy(logits, labels)
            right = right and abs(float(value["loss"]) - loss) < CLOSE
        other = logits.shape[1] != dataset.labels
        figures = {"found": logits.shape[1], "labels": dataset.labels}
        return Judged(right, {"other-outputs": figures} if right and other else {})


def _agree(ours: "np.ndarray[Any, Any]", given: "np.ndarray[Any, Any]") -> bool:
    """Whether a model gives our logits, shape (texts, labels), or the softmax of them."""
    if (given > 0).all() and np.abs(given.sum(axis=1) - 1).max() < ROUNDING_OF_SHARES:
        # A softmax keeps the differences of its logits, as those of its logarithms.
        given = np.log(given) - np.log(given).mean(axis=1, keepdims=True)
        ours = ours - ours.mean(axis=1, keepdims=True)
    return bool(np.abs(ours - given).max() < CLOSE)


def _behaves(
    logits: "np.ndarray[Any, Any]", value: Mapping[str, Any], labels: Sequence[int]
) -> bool:
    """Whether a model whose head we do not know answers as one that tells these labels apart.

    It has just as many outputs, each of which depends on the text, and its loss is theirs.
    """
    if logits.shape[1] != len(set(labels)) or (logits.std(axis=0) < FLAT).any():
        return False
    return "loss" not in value or abs(float(value["loss"]) - cross_entropy(logits, labels)) < CLOSE


def cross_entropy(logits: "np.ndarray[Any, Any]", labels: Sequence[int]) -> float:
    """Return the mean cross-entropy of logits, of shape (examples, labels), for true labels."""
    top = logits.max(axis=1, keepdims=True)
    normal = np.log(np.exp(logits - top).sum(axis=1)) + top[:, 0]
    return float(np.mean(normal - logits[np.arange(len(labels)), labels]))


class Metric:
    """Logits and labels: the metric is to say how many of them agree."""

    METRIC = "accuracy"

    def ask(self, chance: random.Random, dataset: Drawn) -> Question:
        """Draw logits that are right in another share of the examples each time."""
        sets = []
        for share in (0.2, 0.5, 0.8):
            labels = [chance.randrange(dataset.labels) for _ in range(chance.randint(31, 47))]
            logits = [
                _towards(label if chance.random() < share else None, dataset.labels, chance)
                for label in labels
            ]
            sets.append({"logits": logits, "labels": labels})
        return {"drawn": sets}

    def judge(self, question: Question, value: Any, dataset: Drawn, weights: Weights) -> Judged:
        """Compare each figure with the accuracy that we count, whatever the script calls it."""
        true, figure = accuracies(question), self.figure(question, value)
        right = figure is not None and figure.agrees(value, true, ROUNDED)
        return Judged(right, {}, figure)

    @classmethod
    def figure(cls, question: Question, value: Any) -> NamedFigure | None:
        """By which name a metric function says the accuracy of the drawn sets."""
        return named_figure.find(value, cls.METRIC, accuracies(question), ROUNDED)


def accuracies(question: Question) -> list[float]:
    """Return the accuracy of each of the drawn sets that a metric function is asked about."""
    return [
        float((np.array(one["logits"]).argmax(axis=1) == np.array(one["labels"])).mean())
        for one in question["drawn"]
    ]


def _towards(label: int | None, labels: int, chance: random.Random) -> list[float]:
    """Logits that are highest at a label, or anywhere; no two of them are the same."""
    logits = [n / 1000 for n in chance.sample(range(-3000, 3001), labels)]
    if label is not None:
        best = max(range(labels), key=logits.__getitem__)
        logits[best], logits[label] = logits[label], logits[best]
    return logits


def classes(labels: Sequence[Any]) -> list[Any]:
    """Labels as numbers of classes, where they were a row of shares each with a 1 in its place."""
    return [each.index(1) if _is_one_hot(each) else each for each in labels]


def _is_one_hot(label: Any) -> bool:
    if not isinstance(label, list) or len(label) < 2:
        return False
    return sorted(label) == [0] * (len(label) - 1) + [1]


class Pairs:
    """Batches of both datasets: inputs, and apart from them the labels that belong to them."""

    def ask(self, chance: random.Random, dataset: Drawn) -> Question:
        """Say how many batches are wanted."""
        return {"batches": chance.randint(2, 3)}

    def judge(self, question: Question, value: Any, dataset: Drawn, weights: Weights) -> Judged:
        """Hold each example of each batch against the drawn one of the same token ids."""
        notes: dict[str, dict[str, int]] = {}
        right = True
        for which in (TRAIN, EVALUATION):
            splits = []
            for batch in value[which]:
                if batch["labels"] is None:
                    return Judged(False, {})
                rows = rows_of(batch["inputs"])
                splits += [dataset.where(row) for row in rows]
                right = right and [dataset.label(row) for row in rows] == classes(batch["labels"])
            right = right and bool(splits) and None not in splits
            if which == TRAIN and splits.count(EVALUATION) > len(splits) / 2:
                notes["validation-data"] = {}
        return Judged(right, notes)


class Rate:
    """A variable and a gradient: the optimizer's first step is to be neither too long nor none."""

    def ask(self, chance: random.Random, dataset: Drawn) -> Question:
        """Draw a few small numbers, and gradients of a size of about one."""
        return {
            "values": [round(chance.uniform(-0.01, 0.01), 5) for _ in range(16)],
            "gradients": [chance.choice((-1, 1)) * chance.uniform(0.8, 1.2) for _ in range(16)],
        }

    def judge(self, question: Question, value: Any, dataset: Drawn, weights: Weights) -> Judged:
        """Measure the step: against the gradient, and of a length that Transformers bear."""
        before, after = np.array(question["values"]), np.array(value["values"], dtype=float)
        if after.shape != before.shape or not np.isfinite(after).all():
            return Judged(False, {})
        steps = (after - before) * -np.sign(question["gradients"])
        rate = float(np.median(steps))
        return Judged(SLOWEST <= rate <= HIGHEST_RATE["stall"] * ROUNDING * 1.2, {})


class LossCheck:
    """Logits and labels: the loss is to be the cross-entropy of the logits."""

    def ask(self, chance: random.Random, dataset: Drawn) -> Question:
        """Draw logits of all signs, and labels."""
        labels = [chance.randrange(dataset.labels) for _ in range(16)]
        return {
            "logits": [_towards(None, dataset.labels, chance) for _ in labels],
            "labels": labels,
        }

    def judge(self, question: Question, value: Any, dataset: Drawn, weights: Weights) -> Judged:
        """Compare it with the one that we compute."""
        true = cross_entropy(np.array(question["logits"]), question["labels"])
        loss = float(value["loss"])
        return Judged(math.isfinite(loss) and abs(loss - true) < CLOSE, {})


KINDS: dict[str, QuestionKind] = {
    "rows": Rows(),
    "batch": Batch(),
    "outputs": Outputs(),
    "metric": Metric(),
    "pairs": Pairs(),
    "rate": Rate(),
    "loss": LossCheck(),
}
"""The kinds of questions, by the name that a lesson calls them with."""
