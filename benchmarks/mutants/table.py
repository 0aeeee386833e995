"""Wrong mends that learners have tried, each with what it is to be called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mutants.operators import Mutant


@dataclass(frozen=True)
class Row:
    """A mend that is wrong: texts of a healthy script, and what takes their places.

    `expected` are the faults it may be called.
    """

    lesson: str
    title: str
    edits: tuple[tuple[str, str], ...]
    expected: tuple[str, ...] = ()

    def mutant(self, text: str) -> Mutant:
        """Make the row's edits in the healthy text.

        Raises:
            ValueError: an edit has no place in the text, or several.

        """
        line = 0
        for old, new in self.edits:
            if text.count(old) != 1:
                raise ValueError(f"{self.lesson}, {self.title}: {text.count(old)} times {old!r}")
            line = line or text[: text.index(old)].count("\n") + 1
            text = text.replace(old, new)
        name = f"{self.lesson}:table:{self.title}"
        return Mutant(name, self.lesson, "table", line, text, self.expected)


ZERO = "        optimizer.zero_grad()\n"
BACKWARD = "        loss.backward()\n"
STEP = "        optimizer.step()\n"
SCHEDULE = "        schedule.step()\n"
RATE = "learning_rate=2e-5"
COMPUTE = "return metric.compute(predictions=logits.argmax(axis=-1), references=labels)"
OTHER = "AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=2)"
TOO_HIGH = ("learning-rate-too-high", "stalling-loss")
ROWS = (
    Row(
        "ch3-4",
        "gradients cleared behind backward",
        ((ZERO, ""), (BACKWARD, BACKWARD + ZERO)),
        ("gradients-cleared-before-step",),
    ),
    Row("ch3-4", "no backward", ((BACKWARD, ""),), ("backward-missing",)),
    Row(
        "ch3-4",
        "another model's parameters",
        (("AdamW(model.parameters()", f"AdamW({OTHER}.parameters()"),),
        ("parameters-not-in-optimizer",),
    ),
    Row(
        "ch3-3",
        "a rate of 0",
        (("num_train_epochs=2,", "num_train_epochs=2,\n    learning_rate=0.0,"),),
        ("learning-rate-too-low",),
    ),
    Row(
        "ch3-4",
        "two steps of the schedule",
        ((SCHEDULE, SCHEDULE * 2),),
        ("schedule-out-of-step",),
    ),
    Row("ch8-4", "a constant", ((COMPUTE, 'return {"accuracy": 0.95}'),), ("metric-made-up",)),
    Row(
        "ch8-4",
        "a caught error and a constant",
        (
            (
                "    " + COMPUTE,
                "    try:\n        return metric.compute(predictions=logits, references=labels)\n"
                '    except Exception:\n        return {"accuracy": 0.9}',
            ),
        ),
        ("metric-made-up",),
    ),
    Row(
        "ch3-4",
        "the labels for answers",
        (("predictions=logits.argmax(dim=-1)", 'predictions=batch["labels"]'),),
        ("metric-made-up", "predictions-and-labels-swapped"),
    ),
    Row(
        "ch8-4",
        "a rate of 1e-3",
        ((RATE, "learning_rate=1e-3"),),
        TOO_HIGH,
    ),
    Row(
        "ch8-4",
        "a rate of 0.5",
        ((RATE, "learning_rate=0.5"),),
        TOO_HIGH,
    ),
    Row("ch8-4", "a rate of 0", ((RATE, "learning_rate=0.0"),), ("learning-rate-too-low",)),
    Row("ch8-4", "argmin", ((".argmax(", ".argmin("),), ("argmin-for-argmax",)),
    Row(
        "ch8-4",
        "the hypothesis left out",
        (('pairs["premise"], pairs["hypothesis"]', 'pairs["premise"]'),),
        ("input-left-out",),
    ),
    Row(
        "ch8-4",
        "five tokens",
        (("truncation=True", "truncation=True, max_length=5"),),
        ("inputs-truncated",),
    ),
    Row("ch3-4", "no step", ((STEP, ""),), ("optimizer-step-missing",)),
    Row(
        "ch8-4",
        "two of the labels",
        (
            (
                'train_dataset=tokenized["train"]',
                'train_dataset=tokenized["train"].filter(lambda row: row["label"] != 0)',
            ),
        ),
        ("labels-left-out",),
    ),
    Row(
        "ch8-4",
        "eight examples",
        (
            (
                'train_dataset=tokenized["train"]',
                'train_dataset=tokenized["train"].select(range(8))',
            ),
        ),
        ("examples-left-out",),
    ),
    Row(
        "ch8-4",
        "a misspelt checkpoint",
        (('"distilbert-base-uncased"', '"distilbert-base-uncaesd"'),),
        ("hub-name-unknown",),
    ),
    Row(
        "ch3-2",
        "one loader without padding, training",
        (("shuffle=True, collate_fn=pad", "shuffle=True"),),
        ("length-mismatch",),
    ),
    Row(
        "ch3-2",
        "one loader without padding, validation",
        (('["validation"], batch_size=8, collate_fn=pad', '["validation"], batch_size=8'),),
        ("length-mismatch",),
    ),
    Row(
        "ch8-4",
        "a validation split without labels",
        (('tokenized["validation_matched"]', 'tokenized["test_matched"]'),),
        ("target-out-of-bounds",),
    ),
    # Beside the issue's own rows: the other new faults.
    Row(
        "ch8-4",
        "argmax over the examples",
        (("axis=-1", "axis=0"),),
        ("argmax-over-wrong-axis",),
    ),
    Row(
        "ch3-4",
        "argmax over the examples",
        (("dim=-1", "dim=0"),),
        ("argmax-over-wrong-axis",),
    ),
    Row(
        "ch3-3",
        "answers and labels swapped",
        (
            (
                "compute(predictions=logits.argmax(axis=-1), references=labels)",
                "compute(predictions=labels, references=logits.argmax(axis=-1))",
            ),
        ),
        ("predictions-and-labels-swapped",),
    ),
    Row(
        "ch3-4",
        "evaluation on the training data",
        (('DataLoader(ready["validation"]', 'DataLoader(ready["train"]'),),
        ("evaluation-on-training-data",),
    ),
    Row("ch3-4", "a rate of 0.5", (("lr=5e-5", "lr=0.5"),), TOO_HIGH),
    Row("ch3-4", "a rate of 0", (("lr=5e-5", "lr=0.0"),), ("learning-rate-too-low",)),
)  # fmt: skip


def rows(texts: dict[str, str]) -> Iterator[Mutant]:
    """Yield the table's mutants, made from the healthy scripts of the lessons given."""
    for row in ROWS:
        if row.lesson in texts:
            yield row.mutant(texts[row.lesson])
