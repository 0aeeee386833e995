"""Is a model that was never trained called healthy?  ``python benchmarks/untrained.py [--runs N]``

(four minutes) The model of each lesson is loaded with each of 100 seeds, so with 100 new heads, and
answers the validation data without any training, once as the model after its training and once
more, for the first rows, as the one before. The product's own sheet of answers counts both, and
its own judgement takes the rest of the record as good as can be: weights moved, all data seen, the
script's figures those of ours. So only the answers can tell. Printed is in how many of them

- the accuracy alone would do, which is luck: the same record with a great gain made up is healthy;
- the record as it was measured is called healthy. Any such run makes the benchmark fail.

`ch8-4:tf` is the script for Keras: `untrained_keras.py` asks its models, with Keras' own answers.

With ``--runs N`` the lesson's healthy script also runs with the first N seeds as a learner's does,
at a learning rate of 0, to show that what is heard of such a run are these figures.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from course.judge.health import unhealthy
from course.lesson import lesson
from course.lesson.catalogue import matches
from course.lesson.lesson import Outcome
from course.runs import hub, vital_signs
from course.runs.environment import runtime
from course.runs.process import Job
from course.runs.record import Evaluation, RunRecord, Training
from course.runs.run_context import RunContext
from course.runs.vital_signs import DataSigns, ModelSigns, OutcomeSigns, VitalSigns
from course_probe.vital_signs.evaluation.answers import COMPARED, AnswerSheet

LESSONS = ("ch3-2", "ch3-3", "ch3-4", "ch8-4", "ch8-4:tf")
KERAS = Path(__file__).parent / "untrained_keras.py"
COLUMNS = {"mrpc": ("sentence1", "sentence2"), "mnli": ("premise", "hypothesis")}
CHECKPOINTS = {"ch3-3": "bert-base-cased", "ch8-4": "distilbert-base-uncased"}
BATCH = 8
"""Rows of a batch of the evaluation, as the lessons have them."""
NO_RATE = (
    (r"\b(lr|learning_rate)=[\d.e-]+", r"\1=0.0"),
    (r"num_train_epochs=2,", "num_train_epochs=2, learning_rate=0.0,"),
)
"""What makes a training void: of each lesson's script one of these has a place."""


@dataclass(frozen=True)
class Count:
    """One untrained model: its accuracy, whether that alone would do, what the product says."""

    accuracy: float
    is_lucky: bool
    is_healthy: bool


def count(signs: OutcomeSigns, outcome: Outcome) -> Count:
    """Have the product judge what was measured of an evaluation."""
    record = flatter(signs, outcome)
    assert signs.accuracy is not None
    grown = flatter(replace(signs, gain=1.0, loss_gain=1.0), outcome)
    return Count(
        accuracy=signs.accuracy,
        is_lucky=unhealthy(grown, outcome) is None,
        is_healthy=unhealthy(record, outcome) is None,
    )


def flatter(signs: OutcomeSigns, outcome: Outcome) -> RunRecord:
    """Make a record in which all but the answers is as good as can be."""
    assert signs.accuracy is not None
    said = {f"eval_{outcome.metric}": signs.accuracy}
    return RunRecord(
        status="finished",
        training=Training(examples=outcome.examples, max_steps=1, steps=1, seconds=1.0),
        evaluations=(Evaluation(1, said, outcome.eval_examples, signs.labels),),
        vitals=VitalSigns(
            model=ModelSigns(moved_share=1.0, evaluated_is_trained=1),
            data=DataSigns(examples=outcome.examples, classes=outcome.labels, split="train"),
            outcome=signs,
        ),
    )


def answers(name: str, outcome: Outcome, seeds: range) -> Iterator[OutcomeSigns]:
    """Measure the lesson's model without any training, seed by seed."""
    import torch
    from datasets import load_dataset
    from transformers import AutoModelForSequenceClassification, AutoTokenizer, set_seed

    task = "mnli" if name == "ch8-4" else "mrpc"
    checkpoint = CHECKPOINTS.get(name, "bert-base-uncased")
    rows = load_dataset("glue", task)[outcome.split][:]
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    texts = [rows[column] for column in COLUMNS[task]]
    batch = tokenizer(*texts, padding=True, truncation=True, return_tensors="pt")
    first = {key: values[:COMPARED] for key, values in batch.items()}
    labels = torch.tensor(rows["label"])
    prints = torch.arange(len(labels))
    body: dict[int, Any] = {}
    for seed in seeds:
        set_seed(seed)
        model, loading = AutoModelForSequenceClassification.from_pretrained(
            checkpoint, num_labels=outcome.labels, output_loading_info=True
        )
        model.eval()
        # All below the head is the checkpoint's, whatever the seed: it needs to answer only once.
        assert not any(key.startswith(model.base_model_prefix) for key in loading["missing_keys"])
        with torch.no_grad():
            for rows_given in () if body else (batch, first):
                body[len(rows_given["input_ids"])] = model.base_model(**rows_given)
            model.base_model.forward = lambda input_ids, *_given, **_named: body[len(input_ids)]
            after, before = model(**batch).logits, model(**first).logits
        sheet = AnswerSheet()
        sheet.split = outcome.split
        for at in range(0, len(labels), BATCH):
            part = slice(at, at + BATCH)
            wants = sheet.wants_before
            sheet.add(after[part], labels[part], prints[part], before[part] if wants else None)
        signs: dict[str, Any] = sheet.signs(set(), {}, None)
        yield vital_signs.read({"event": "vitals", "outcome": signs}).outcome


def keras_answers(seeds: range) -> Iterator[OutcomeSigns]:
    """Measure the script for Keras in the same way, in the runtime that has its libraries."""
    found = runtime.find("tf", lesson.load("ch8-4").parts["tf"].requires)
    root = str(Path(__file__).parent.parent)
    variables = {**os.environ, **hub.embedded(found).environment, "PYTHONPATH": root}
    words = [found.python, str(KERAS), str(seeds.start), str(seeds.stop)]
    done = subprocess.run(words, env=variables, stdout=subprocess.PIPE, text=True, check=True)
    for line in done.stdout.splitlines():
        yield vital_signs.read({"event": "vitals", "outcome": json.loads(line)}).outcome


def run_void(name: str, place: RunContext, seed: int) -> None:
    """Run the lesson's healthy script without a learning rate, and print what was heard."""
    part = lesson.load(name).parts["pt"]
    text = re.sub(r"set_seed\((?:42|args\.seed)\)", f"set_seed({seed})", part.text(()))
    for pattern, replacement in NO_RATE:
        text = re.sub(pattern, replacement, text)
    record = place.run(Job(text)).record
    signs = (record.vitals or VitalSigns()).outcome
    found = count(signs, part.outcome)
    told = ", ".join(f"`{match.fault.id}`" for match in matches(record, part.outcome.curve))
    healthy = "yes" if unhealthy(record, part.outcome) is None or found.is_healthy else "no"
    figures = f"{found.accuracy:.3f} | {signs.gain:+.3f} | {signs.loss_gain:+.3f}"
    print(f"| `{name}` | {seed} | {figures} | {told} | {healthy} |", flush=True)
    if healthy == "yes":
        sys.exit(1)


def main() -> None:
    """Load, answer, judge, count."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("lessons", nargs="*", default=LESSONS)
    parser.add_argument("--seeds", default="0:100", help="from:to, `to` left out")
    parser.add_argument("--runs", type=int, default=0, help="seeds that a real run is made with")
    options = parser.parse_args()
    seeds = range(*map(int, options.seeds.split(":")))
    found_runtime = runtime.find("pt", ())
    embedded = hub.embedded(found_runtime)
    os.environ.update(embedded.environment)
    wrong = 0
    if seeds:
        print("| lesson | needed | accuracy, lowest to highest | above by luck | called healthy |")
        print("| --- | ---: | ---: | ---: | ---: |")
    for name in options.lessons if seeds else ():
        id_, _colon, framework = name.partition(":")
        outcome = lesson.load(id_).parts[framework or "pt"].outcome
        is_keras = framework == "tf"
        measured = list(keras_answers(seeds) if is_keras else answers(name, outcome, seeds))
        needed = (measured[0].baseline or 0.0) + outcome.margin
        counts = [count(signs, outcome) for signs in measured]
        found = [each.accuracy for each in counts]
        lucky, healthy = sum(c.is_lucky for c in counts), sum(c.is_healthy for c in counts)
        wrong += healthy
        spread = f"{min(found):.3f} to {max(found):.3f}"
        luck = f"{lucky} of {len(found)} | {healthy} of {len(found)}"
        print(f"| `{name}` | {needed:.3f} | {spread} | {luck} |", flush=True)
    if options.runs:
        print("\n| lesson | seed | accuracy | gain | of the loss | told | called healthy |")
        print("| --- | ---: | ---: | ---: | ---: | --- | --- |")
    for name in options.lessons:
        for seed in seeds[: 0 if ":" in name else options.runs]:
            run_void(name, RunContext(found_runtime, embedded), seed)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
