"""What a part answered to a question, and what was right, in a few figures that a person can check.

The texts are names and numbers, so that they need no language.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from course.grading.reference.dataset import EVALUATION, TRAIN, Drawn
from course.grading.reference.question import (
    WRONG,
    Metric,
    Question,
    accuracies,
    classes,
    cross_entropy,
    rows_of,
)
from course.lesson.silent_signature import HIGHEST_RATE, ROUNDING

LONGEST = 160
"""Characters of an answer that are told."""
FEW = 6
"""Token ids of an example that are told."""

Told = tuple[str, str]
"""What was answered, and what was expected."""


def explain(kind: str, question: Question, value: Any, dataset: Drawn) -> Told:
    """Return the answer to a question of a kind, and the expected one; both may be empty.

    Where an answer is wrong in one place of many, that place is told.
    """
    try:
        answered, expected = _EXPLANATIONS[kind](question, value, dataset)
    except (*WRONG, StopIteration, ArithmeticError):
        return "", ""
    return _short(answered), _short(expected)


def _short(text: str) -> str:
    printable = "".join(c if c.isprintable() else " " for c in text)
    return printable if len(printable) <= LONGEST else printable[: LONGEST - 1] + "…"


def _rows(question: Question, value: Any, dataset: Drawn) -> Told:
    for which in (TRAIN, EVALUATION):
        split = dataset.splits[which]
        for row in value[which]["rows"]:
            ids = row.get("input_ids")
            known = ids is not None and dataset.where(_counted(row)) is not None
            if not known:
                found = ", ".join(sorted(map(str, row))) if ids is None else _ids(ids)
                return f"{which}: {found}", f"{which}: input_ids = {_ids(split.ids[0])}"
    size = value[TRAIN]["size"]
    row = value[TRAIN]["rows"][0]
    first = _ids(row["input_ids"])
    return f"{TRAIN}: {size} × input_ids, {first}", f"{TRAIN}: input_ids, {first}"


def _counted(row: Mapping[str, Any]) -> tuple[int, ...]:
    mask = row.get("attention_mask") or [1] * len(row["input_ids"])
    return tuple(i for i, m in zip(row["input_ids"], mask, strict=True) if m)


def _ids(ids: Sequence[int | None]) -> str:
    more = ", …" if len(ids) > FEW else ""
    return f"[{', '.join(map(str, ids[:FEW]))}{more}]"


def _batch(question: Question, value: Any, dataset: Drawn) -> Told:
    name = "own" if value["tokenized"] is True else "drawn"
    wanted = len(question[name])
    expected = f"input_ids ({wanted}, n), attention_mask ({wanted}, n), labels ({wanted},)"
    if "error" in value[name]:
        return str(value[name]["error"]), expected
    batch = value[name]["value"][0]
    shapes = (f"{key} {np.shape(batch[key])}" for key in sorted(batch))
    return ", ".join(shapes), expected


def _outputs(question: Question, value: Any, dataset: Drawn) -> Told:
    logits = np.array(value["logits"], dtype=np.float64)
    labels = question["labels"]
    answered = f"logits {logits.shape}"
    expected = f"logits ({len(labels)}, {dataset.labels})"
    if "loss" in value and logits.ndim == 2 and logits.shape[1] > max(labels):
        answered += f", loss {float(value['loss']):.4f}"
        expected += f", loss {cross_entropy(logits, labels):.4f}"
    return answered, expected


def _metric(question: Question, value: Any, dataset: Drawn) -> Told:
    true = accuracies(question)
    expected = f"{Metric.METRIC} {', '.join(f'{share:.4f}' for share in true)}"
    figure = Metric.figure(question, value)
    if figure is None:
        # None of its figures is right: what it said the first time, as it calls it.
        found = (f"{key} {float(number):.4f}" for key, number in list(value[0].items())[:FEW])
        return ", ".join(found) or "–", expected
    said = (figure.of(values) for values in value)
    answered = ", ".join("–" if share is None else f"{share:.4f}" for share in said)
    return f"{figure.name} {answered}", expected


def _pairs(question: Question, value: Any, dataset: Drawn) -> Told:
    for which in (TRAIN, EVALUATION):
        for batch in value[which]:
            found = None if batch["labels"] is None else classes(batch["labels"])
            true = [dataset.label(row) for row in rows_of(batch["inputs"])]
            if found != true:
                named = "–" if found is None else _ids(found)
                return (
                    f"{which}: labels = {named}",
                    f"{which}: labels = {_ids(true)}",
                )
    first = _ids(classes(value[TRAIN][0]["labels"]))
    return first, first


def _rate(question: Question, value: Any, dataset: Drawn) -> Told:
    before, after = np.array(question["values"]), np.array(value["values"], dtype=float)
    step = float(np.median((after - before) * -np.sign(question["gradients"])))
    return f"{step:.2g}", f"≤ {HIGHEST_RATE['stall'] * ROUNDING:.2g}"


def _loss(question: Question, value: Any, dataset: Drawn) -> Told:
    true = cross_entropy(np.array(question["logits"]), question["labels"])
    return f"{float(value['loss']):.4f}", f"{true:.4f}"


_EXPLANATIONS: Mapping[str, Callable[[Question, Any, Drawn], Told]] = {
    "rows": _rows,
    "batch": _batch,
    "outputs": _outputs,
    "metric": _metric,
    "pairs": _pairs,
    "rate": _rate,
    "loss": _loss,
}
