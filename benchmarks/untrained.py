"""How often does an untrained model look as if it had learned?  ``python benchmarks/untrained.py``

(five minutes) The model of each lesson is loaded with each of 100 seeds, so with 100 new heads, and
answers the validation data without any training. Counted is how often its accuracy alone would do
for *healthy*: at least the lesson's margin above the majority baseline. That is luck, and the
reason why a verdict compares the same examples before and after the training.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter

from course.lesson import lesson
from course.run import hub
from course.run.environment import runtime

LESSONS = ("ch3-2", "ch3-3", "ch3-4", "ch8-4")
COLUMNS = {"mrpc": ("sentence1", "sentence2"), "mnli": ("premise", "hypothesis")}
CHECKPOINTS = {"ch3-3": "bert-base-cased", "ch8-4": "distilbert-base-uncased"}


def main() -> None:
    """Load, answer, count."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", default="0:100", help="from:to, `to` left out")
    seeds = range(*map(int, parser.parse_args().seeds.split(":")))
    os.environ.update(hub.embedded(runtime.find("pt", ())).environment)
    import torch
    from datasets import load_dataset
    from transformers import AutoModelForSequenceClassification, AutoTokenizer, set_seed

    print("| lesson | needed | accuracy, lowest to highest | above by luck |")
    print("| --- | ---: | ---: | ---: |")
    for name in LESSONS:
        outcome = lesson.load(name).parts["pt"].outcome
        task = "mnli" if name == "ch8-4" else "mrpc"
        checkpoint = CHECKPOINTS.get(name, "bert-base-uncased")
        rows = load_dataset("glue", task)[outcome.split][:]
        tokenizer = AutoTokenizer.from_pretrained(checkpoint)
        texts = [rows[column] for column in COLUMNS[task]]
        batch = tokenizer(*texts, padding=True, truncation=True, return_tensors="pt")
        labels = torch.tensor(rows["label"])
        needed = max(Counter(rows["label"]).values()) / len(labels) + outcome.margin
        found = []
        for seed in seeds:
            set_seed(seed)
            model = AutoModelForSequenceClassification.from_pretrained(
                checkpoint, num_labels=outcome.labels
            ).eval()
            with torch.no_grad():
                answers = model(**batch).logits.argmax(-1)
            found.append(float((answers == labels).float().mean()))
        lucky = sum(accuracy >= needed for accuracy in found)
        spread = f"{min(found):.3f} to {max(found):.3f}"
        print(f"| `{name}` | {needed:.3f} | {spread} | {lucky} of {len(found)} |", flush=True)


if __name__ == "__main__":
    main()
