# course: ch8-4 pt format=1 lang=en bugs=missing-input-ids,length-mismatch,target-out-of-bounds,size-1-array

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
    return metric.compute(predictions=logits.argmax(axis=-1), references=labels)


import torch


def collate(features):
    longest = max(len(f["input_ids"]) for f in features)
    batch = {"input_ids": [], "attention_mask": [], "labels": []}
    for f in features:
        gap = longest - len(f["input_ids"])
        batch["input_ids"].append(f["input_ids"] + [tokenizer.pad_token_id] * gap)
        batch["attention_mask"].append(f["attention_mask"] + [0] * gap)
        batch["labels"].append(f["label"])
    return {key: torch.tensor(values) for key, values in batch.items()}

trainer = Trainer(
    model,
    args,
    train_dataset=tokenized["train"],
    eval_dataset=tokenized["validation_matched"],
    compute_metrics=compute_metrics,
    data_collator=collate,
)
trainer.train()
