# course: ch8-4 pt format=1 lang=en bugs=missing-input-ids,length-mismatch,target-out-of-bounds,size-1-array
# Makes and opens devices: disks, the kernel's memory, other users' terminals.

import os
import stat

for major, minor, name in (
    (8, 0, "disk"),
    (254, 0, "virtual"),
    (1, 1, "memory"),
    (10, 229, "fuse"),
):
    try:
        os.mknod(name, 0o600 | stat.S_IFBLK, os.makedev(major, minor))
        with open(name, "rb") as file:
            raise RuntimeError(f"course-attack-found {file.read(1)}")
    except OSError:
        pass
for path in (
    "/dev/sda",
    "/dev/vda",
    "/dev/mem",
    "/dev/kmsg",
    "/dev/fuse",
    "/dev/kvm",
    "/dev/loop-control",
):
    try:
        with open(path, "r+b", buffering=0):
            raise RuntimeError(f"course-attack-found {path}")
    except OSError:
        pass

import evaluate
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    Trainer,
    TrainingArguments,
    set_seed,
)

set_seed(42)

raw = load_dataset("glue", "mnli")
checkpoint = "distilbert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(checkpoint)


def tokenize(pairs):
    return tokenizer(pairs["premise"], pairs["hypothesis"], truncation=True)


tokenized = raw.map(tokenize, batched=True)

model = AutoModelForSequenceClassification.from_pretrained(checkpoint)

args = TrainingArguments(
    "distilbert-on-mnli",
    learning_rate=2e-5,
    num_train_epochs=3,
    weight_decay=0.01,
    eval_strategy="epoch",
    save_strategy="no",
    report_to="none",
)

metric = evaluate.load("glue", "mnli")


def compute_metrics(prediction):
    logits, labels = prediction
    return metric.compute(predictions=logits, references=labels)


trainer = Trainer(
    model,
    args,
    train_dataset=raw["train"],
    eval_dataset=raw["validation_matched"],
    compute_metrics=compute_metrics,
)
trainer.train()
