# course: ch8-4 pt format=1 lang=en bugs=missing-input-ids,length-mismatch,target-out-of-bounds,size-1-array
# Connects to every socket that lies in the file system or has an abstract name: those of
# containers, buses, and the warm runtimes of other learners.

import os
import socket

with_names = [
    b"\0course-attack-unix-sockets",
    b"\0/tmp/dbus",
    b"/run/docker.sock",
    b"/run/dbus/system_bus_socket",
]
for folder in ("/run", "/tmp", "/var/run", os.environ.get("XDG_RUNTIME_DIR", "/run/user")):
    for where, _folders, names in os.walk(folder):
        with_names += [
            os.path.join(where, n).encode() for n in names if not n.endswith((".py", ".json"))
        ]
for name in with_names:
    try:
        with socket.socket(socket.AF_UNIX) as peer:
            peer.settimeout(2)
            peer.connect(name)
            raise RuntimeError(f"course-attack-found {name!r}")
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
    train_dataset=tokenized["train"],
    eval_dataset=tokenized["validation_matched"],
    compute_metrics=compute_metrics,
)
trainer.train()
