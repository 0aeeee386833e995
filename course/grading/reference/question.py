"""What a submission is asked about each bug, and what the right answer is.

A question is drawn a moment before it is asked, and its answer is worked out here. An answer is
a claim of a process that nobody trusts: anything may stand in it. What it was, and what was right,
is told in a few figures that a person can check: names and numbers, so that they need no language.
"""

import itertools
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
LONGEST = 160
"""Characters of an answer that are told."""
FEW = 6
"""Token ids of an example that are told."""
METRIC = "accuracy"
WRONG = (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError)
"""What comes of reading an answer that makes no sense."""

Question = dict[str, Any]
Weights = Mapping[str, "np.ndarray[Any, Any]"]
Told = tuple[str, str]
"""What was answered, and what was expected."""


@dataclass(frozen=True)
class Judged:
    """Whether an answer is right, and what else it shows: notes by id, with their figures."""

    right: bool
    notes: Mapping[str, Mapping[str, int]]
    figure: NamedFigure | None = None
    """Of a metric function: by which name it says the accuracy."""


@dataclass(frozen=True)
class QuestionKind:
    """One kind of question: how it is drawn, as data that JSON can hold, judged and told.

    `judge` raises one of `WRONG` where an answer makes no sense, and so may `tell`.
    """

    ask: Callable[[random.Random, Drawn], Question]
    judge: Callable[[Question, Any, Drawn, Weights], Judged]
    tell: Callable[[Question, Any, Drawn], Told]


def _ask_rows(chance: random.Random, dataset: Drawn) -> Question:
    """Draw where in the datasets the examples lie, from 0 to 1."""
    return {which: [chance.random() for _ in range(many)] for which, many in ROWS.items()}


def _judge_rows(question: Question, value: Any, dataset: Drawn, weights: Weights) -> Judged:
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


def _tell_rows(question: Question, value: Any, dataset: Drawn) -> Told:
    for which in (TRAIN, EVALUATION):
        split = dataset.splits[which]
        for row in value[which]["rows"]:
            ids = row.get("input_ids")
            known = ids is not None and dataset.where(_ids(row)) is not None
            if not known:
                found = ", ".join(sorted(map(str, row))) if ids is None else _shown(ids)
                return f"{which}: {found}", f"{which}: input_ids = {_shown(split.ids[0])}"
    size = value[TRAIN]["size"]
    row = value[TRAIN]["rows"][0]
    first = _shown(row["input_ids"])
    return f"{TRAIN}: {size} × input_ids, {first}", f"{TRAIN}: input_ids, {first}"


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


def _rows_of(batch: Mapping[str, Any]) -> list[Ids]:
    """Return the token ids of the examples of a batch, each without its padding."""
    pairs = zip(batch["input_ids"], batch["attention_mask"], strict=True)
    return [_ids({"input_ids": ids, "attention_mask": mask}) for ids, mask in pairs]


def _shown(ids: Sequence[int | None]) -> str:
    more = ", …" if len(ids) > FEW else ""
    return f"[{', '.join(map(str, ids[:FEW]))}{more}]"


def _ask_batch(chance: random.Random, dataset: Drawn) -> Question:
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


def _judge_batch(question: Question, value: Any, dataset: Drawn, weights: Weights) -> Judged:
    """Batches of its own examples, where these hold token ids; else one of the drawn ones."""
    name = "own" if value["tokenized"] is True else "drawn"
    if "error" in value[name]:
        return Judged(False, {})
    batches = value[name]["value"]
    rows = [_unpadded(batch) for batch in batches]
    labels = [[int(n) for n in batch.get("labels", batch.get("label"))] for batch in batches]
    if name == "drawn":
        wanted = [tuple(row["input_ids"]) for row in question["drawn"]]
        true = [row["label"] for row in question["drawn"]]
        return Judged(rows == [wanted] and labels == [true], {})
    several = len({len(row) for row in rows[0]}) > 1
    known = [[dataset.label(row) for row in some] for some in rows]
    full = len(rows[0]) == len(question["own"])
    return Judged(several and full and known == labels, {})


def _tell_batch(question: Question, value: Any, dataset: Drawn) -> Told:
    name = "own" if value["tokenized"] is True else "drawn"
    wanted = len(question[name])
    expected = f"input_ids ({wanted}, n), attention_mask ({wanted}, n), labels ({wanted},)"
    if "error" in value[name]:
        return str(value[name]["error"]), expected
    batch = value[name]["value"][0]
    shapes = (f"{key} {np.shape(batch[key])}" for key in sorted(batch))
    return ", ".join(shapes), expected


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


def _ask_outputs(chance: random.Random, dataset: Drawn) -> Question:
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


def _judge_outputs(question: Question, value: Any, dataset: Drawn, weights: Weights) -> Judged:
    """Compute the logits from the weights that the process has handed over."""
    logits = np.array(value["logits"], dtype=np.float64)
    labels = question["labels"]
    ids = np.array(question["input_ids"])
    if logits.ndim != 2 or logits.shape[0] != len(labels) or not np.isfinite(logits).all():
        return Judged(False, {})
    if logits.shape[1] < dataset.labels:
        return Judged(False, {})
    try:
        ours = encoder.logits(weights, dataset.config, ids, np.array(question["attention_mask"]))
    except BadWeights:
        if not encoder.is_around(weights, dataset.config):
            return Judged(False, {})
        return Judged(_behaves(logits, value, labels), {"own-model": {}})
    right = ours.shape == logits.shape and _agree(ours, logits)
    if "loss" in value:
        loss = _cross_entropy(logits, labels)
        right = right and abs(float(value["loss"]) - loss) < CLOSE
    other = logits.shape[1] != dataset.labels
    figures = {"found": logits.shape[1], "labels": dataset.labels}
    return Judged(right, {"other-outputs": figures} if right and other else {})


def _tell_outputs(question: Question, value: Any, dataset: Drawn) -> Told:
    logits = np.array(value["logits"], dtype=np.float64)
    labels = question["labels"]
    answered = f"logits {logits.shape}"
    expected = f"logits ({len(labels)}, {dataset.labels})"
    if "loss" in value and logits.ndim == 2 and logits.shape[1] > max(labels):
        answered += f", loss {float(value['loss']):.4f}"
        expected += f", loss {_cross_entropy(logits, labels):.4f}"
    return answered, expected


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
    return "loss" not in value or abs(float(value["loss"]) - _cross_entropy(logits, labels)) < CLOSE


def _cross_entropy(logits: "np.ndarray[Any, Any]", labels: Sequence[int]) -> float:
    """Return the mean cross-entropy of logits, of shape (examples, labels), for true labels."""
    top = logits.max(axis=1, keepdims=True)
    normal = np.log(np.exp(logits - top).sum(axis=1)) + top[:, 0]
    return float(np.mean(normal - logits[np.arange(len(labels)), labels]))


def _ask_metric(chance: random.Random, dataset: Drawn) -> Question:
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


def _judge_metric(question: Question, value: Any, dataset: Drawn, weights: Weights) -> Judged:
    """Compare each figure with the accuracy that we count, whatever the script calls it."""
    true, figure = accuracies(question), _figure(question, value)
    right = figure is not None and figure.agrees(value, true, ROUNDED)
    return Judged(right, {}, figure)


def _tell_metric(question: Question, value: Any, dataset: Drawn) -> Told:
    true = accuracies(question)
    expected = f"{METRIC} {', '.join(f'{share:.4f}' for share in true)}"
    figure = _figure(question, value)
    if figure is None:
        # None of its figures is right: what it said the first time, as it calls it.
        found = (f"{key} {float(number):.4f}" for key, number in list(value[0].items())[:FEW])
        return ", ".join(found) or "–", expected
    said = (figure.of(values) for values in value)
    answered = ", ".join("–" if share is None else f"{share:.4f}" for share in said)
    return f"{figure.name} {answered}", expected


def _figure(question: Question, value: Any) -> NamedFigure | None:
    """By which name a metric function says the accuracy of the drawn sets."""
    return named_figure.find(value, METRIC, accuracies(question), ROUNDED)


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


def _classes(labels: Sequence[Any]) -> list[Any]:
    """Labels as numbers of classes, where they were a row of shares each with a 1 in its place."""
    return [each.index(1) if _is_one_hot(each) else each for each in labels]


def _is_one_hot(label: Any) -> bool:
    if not isinstance(label, list) or len(label) < 2:
        return False
    return sorted(label) == [0] * (len(label) - 1) + [1]


def _ask_pairs(chance: random.Random, dataset: Drawn) -> Question:
    """Say how many batches are wanted."""
    return {"batches": chance.randint(2, 3)}


def _judge_pairs(question: Question, value: Any, dataset: Drawn, weights: Weights) -> Judged:
    """Hold each example of each batch against the drawn one of the same token ids."""
    notes: dict[str, dict[str, int]] = {}
    right = True
    for which in (TRAIN, EVALUATION):
        splits = []
        for batch in value[which]:
            if batch["labels"] is None:
                return Judged(False, {})
            rows = _rows_of(batch["inputs"])
            splits += [dataset.where(row) for row in rows]
            right = right and [dataset.label(row) for row in rows] == _classes(batch["labels"])
        right = right and bool(splits) and None not in splits
        if which == TRAIN and splits.count(EVALUATION) > len(splits) / 2:
            notes["validation-data"] = {}
    return Judged(right, notes)


def _tell_pairs(question: Question, value: Any, dataset: Drawn) -> Told:
    for which in (TRAIN, EVALUATION):
        for batch in value[which]:
            found = None if batch["labels"] is None else _classes(batch["labels"])
            true = [dataset.label(row) for row in _rows_of(batch["inputs"])]
            if found != true:
                named = "–" if found is None else _shown(found)
                return f"{which}: labels = {named}", f"{which}: labels = {_shown(true)}"
    first = _shown(_classes(value[TRAIN][0]["labels"]))
    return first, first


def _ask_rate(chance: random.Random, dataset: Drawn) -> Question:
    """Draw a few small numbers, and gradients of a size of about one."""
    return {
        "values": [round(chance.uniform(-0.01, 0.01), 5) for _ in range(16)],
        "gradients": [chance.choice((-1, 1)) * chance.uniform(0.8, 1.2) for _ in range(16)],
    }


def _judge_rate(question: Question, value: Any, dataset: Drawn, weights: Weights) -> Judged:
    """Measure the step: against the gradient, and of a length that Transformers bear."""
    before, after = np.array(question["values"]), np.array(value["values"], dtype=float)
    if after.shape != before.shape or not np.isfinite(after).all():
        return Judged(False, {})
    steps = (after - before) * -np.sign(question["gradients"])
    rate = float(np.median(steps))
    return Judged(SLOWEST <= rate <= HIGHEST_RATE["stall"] * ROUNDING * 1.2, {})


def _tell_rate(question: Question, value: Any, dataset: Drawn) -> Told:
    before, after = np.array(question["values"]), np.array(value["values"], dtype=float)
    step = float(np.median((after - before) * -np.sign(question["gradients"])))
    return f"{step:.2g}", f"≤ {HIGHEST_RATE['stall'] * ROUNDING:.2g}"


def _ask_loss(chance: random.Random, dataset: Drawn) -> Question:
    """Draw logits of all signs, and labels."""
    labels = [chance.randrange(dataset.labels) for _ in range(16)]
    return {"logits": [_towards(None, dataset.labels, chance) for _ in labels], "labels": labels}


def _judge_loss(question: Question, value: Any, dataset: Drawn, weights: Weights) -> Judged:
    """Compare it with the one that we compute."""
    true = _cross_entropy(np.array(question["logits"]), question["labels"])
    loss = float(value["loss"])
    return Judged(math.isfinite(loss) and abs(loss - true) < CLOSE, {})


def _tell_loss(question: Question, value: Any, dataset: Drawn) -> Told:
    true = _cross_entropy(np.array(question["logits"]), question["labels"])
    return f"{float(value['loss']):.4f}", f"{true:.4f}"


KINDS: dict[str, QuestionKind] = {
    "rows": QuestionKind(_ask_rows, _judge_rows, _tell_rows),
    "batch": QuestionKind(_ask_batch, _judge_batch, _tell_batch),
    "outputs": QuestionKind(_ask_outputs, _judge_outputs, _tell_outputs),
    "metric": QuestionKind(_ask_metric, _judge_metric, _tell_metric),
    "pairs": QuestionKind(_ask_pairs, _judge_pairs, _tell_pairs),
    "rate": QuestionKind(_ask_rate, _judge_rate, _tell_rate),
    "loss": QuestionKind(_ask_loss, _judge_loss, _tell_loss),
}
"""The kinds of questions, by the name that a lesson calls them with."""


def explain(kind: str, question: Question, value: Any, dataset: Drawn) -> Told:
    """Return the answer to a question of a kind, and the expected one; both may be empty.

    Where an answer is wrong in one place of many, that place is told.
    """
    try:
        answered, expected = KINDS[kind].tell(question, value, dataset)
    except (*WRONG, StopIteration, ArithmeticError):
        return "", ""
    return _short(answered), _short(expected)


def _short(text: str) -> str:
    printable = "".join(c if c.isprintable() else " " for c in text)
    return printable if len(printable) <= LONGEST else printable[: LONGEST - 1] + "…"
