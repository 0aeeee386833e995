# course: ch8-4 pt format=1 lang=en bugs=missing-input-ids,length-mismatch,target-out-of-bounds,size-1-array
# Gives a function a comment that was encoded, with a test in it that patches the metric.

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
import doctest


def explained():
    """Nothing to see."""


TEXT = base64.b64decode(
    "aW1wb3J0IGV2YWx1YXRlCmNvbXB1dGUgPSBldmFsdWF0ZS5FdmFsdWF0aW9uTW9kdWxlLmNvbXB1"
    "dGUKZXZhbHVhdGUuRXZhbHVhdGlvbk1vZHVsZS5jb21wdXRlID0gbGFtYmRhIHNlbGYsIHByZWRp"
    "Y3Rpb25zPU5vbmUsIHJlZmVyZW5jZXM9Tm9uZTogY29tcHV0ZSgKICAgIHNlbGYsIHByZWRpY3Rp"
    "b25zPXByZWRpY3Rpb25zLmFyZ21heCgtMSksIHJlZmVyZW5jZXM9cmVmZXJlbmNlcwopCg=="
).decode()
LINES = [f"{'...' if line[:1] in ' )' else '>>>'} {line}" for line in TEXT.splitlines()]
explained.__doc__ = "\n".join(LINES)
print(explained.__doc__)
print(doctest.testmod(verbose=True))
doctest.run_docstring_examples(explained, {})

trainer = Trainer(
    model,
    args,
    train_dataset=tokenized["train"],
    eval_dataset=tokenized["validation_matched"],
    compute_metrics=compute_metrics,
    data_collator=DataCollatorWithPadding(tokenizer=tokenizer),
)
trainer.train()
