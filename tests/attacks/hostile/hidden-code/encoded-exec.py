# course: ch8-4 pt format=1 lang=en bugs=missing-input-ids,length-mismatch,target-out-of-bounds,size-1-array
# Runs a patch of the metric that is encoded in base 64.

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

exec(
    base64.b64decode(
        "aW1wb3J0IGV2YWx1YXRlCmNvbXB1dGUgPSBldmFsdWF0ZS5FdmFsdWF0aW9uTW9kdWxlLmNvbXB1dGUK"
        "ZXZhbHVhdGUuRXZhbHVhdGlvbk1vZHVsZS5jb21wdXRlID0gbGFtYmRhIHNlbGYsIHByZWRpY3Rpb25z"
        "PU5vbmUsIHJlZmVyZW5jZXM9Tm9uZTogY29tcHV0ZSgKICAgIHNlbGYsIHByZWRpY3Rpb25zPXByZWRp"
        "Y3Rpb25zLmFyZ21heCgtMSksIHJlZmVyZW5jZXM9cmVmZXJlbmNlcwopCg=="
    )
)

trainer = Trainer(
    model,
    args,
    train_dataset=tokenized["train"],
    eval_dataset=tokenized["validation_matched"],
    compute_metrics=compute_metrics,
    data_collator=DataCollatorWithPadding(tokenizer=tokenizer),
)
trainer.train()
