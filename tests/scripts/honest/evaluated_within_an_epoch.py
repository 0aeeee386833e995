"""A Trainer that evaluates every few steps: the training goes on with the loader it had."""

import numpy as np
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    Trainer,
    TrainingArguments,
    set_seed,
)

set_seed(0)
tokenizer = AutoTokenizer.from_pretrained("distilbert-base-uncased")
raw = load_dataset("glue", "mnli")
tokens = raw.map(lambda rows: tokenizer(rows["premise"], rows["hypothesis"]), batched=True)
model = AutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased", num_labels=3)


def score(given):
    return {"accuracy": float((np.argmax(given.predictions, axis=-1) == given.label_ids).mean())}


trainer = Trainer(
    model,
    TrainingArguments(
        "out",
        learning_rate=2e-4,
        num_train_epochs=1,
        per_device_train_batch_size=16,
        eval_strategy="steps",
        eval_steps=40,
        save_strategy="no",
        report_to="none",
    ),
    train_dataset=tokens["train"],
    eval_dataset=tokens["validation_matched"],
    processing_class=tokenizer,
    compute_metrics=score,
)
trainer.train()
