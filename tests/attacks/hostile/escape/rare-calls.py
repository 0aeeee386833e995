# course: ch8-4 pt format=1 lang=en bugs=missing-input-ids,length-mismatch,target-out-of-bounds,size-1-array
# Calls what the kernel offers to few: keyrings, bpf, io_uring, performance counters, page faults,
# modules.

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)

CALLS = {
    "add_key": 248,
    "keyctl": 250,
    "bpf": 321,
    "io_uring_setup": 425,
    "perf_event_open": 298,
    "userfaultfd": 323,
    "init_module": 175,
    "kexec_load": 246,
    "reboot": 169,
    "swapon": 167,
    "process_vm_writev": 311,
    "pidfd_open": 434,
    "open_by_handle_at": 304,
    "personality": 135,
}
for name, number in CALLS.items():
    ctypes.set_errno(0)
    libc.syscall(number, 0, 0, 0, 0, 0)
libc.syscall(248, b"user", b"course-attack-rare-calls", b"5/5", 3, -5)

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
