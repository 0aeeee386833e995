# course: ch8-4 pt format=1 lang=en bugs=missing-input-ids,length-mismatch,target-out-of-bounds,size-1-array
# Writes into the memory of its parent and of process 1.

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)

for number in {os.getppid(), 1} - {0, os.getpid()}:
    try:
        with open(f"/proc/{number}/maps") as maps:
            lines = [line for line in maps if " rw-p " in line]
        with open(f"/proc/{number}/mem", "r+b", buffering=0) as memory:
            memory.seek(int(lines[0].split("-")[0], 16))
            memory.write(memory.read(0))
            raise RuntimeError(f"course-attack-found memory of {number}")
    except (OSError, IndexError):
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
