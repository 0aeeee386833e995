"""Predict a rating between 0 and 5 from a review: a head with one output."""
import random

import numpy as np
import torch
from datasets import Dataset
from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
)

random.seed(8)
torch.manual_seed(8)
SCORES = {"great": 1.0, "good": 0.5, "new": 0.2, "old": -0.2, "bad": -0.6, "late": -1.0}
FILL = "the was and it in of to a".split()


def review():
    words = [random.choice(list(SCORES)) for _ in range(random.randint(1, 4))]
    score = 2.5 + sum(SCORES[w] for w in words)
    for _ in range(random.randint(2, 8)):
        words.insert(random.randrange(len(words) + 1), random.choice(FILL))
    return {"review": " ".join(words), "stars": min(5.0, max(0.0, score))}


data = Dataset.from_list([review() for _ in range(1400)])
data = data.train_test_split(test_size=0.15, seed=8)

name = "distilbert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(name)
data = data.map(lambda row: tokenizer(row["review"], truncation=True, max_length=64), batched=True)
data = data.rename_column("stars", "labels")
data = data.remove_columns(["review"])

config = AutoConfig.from_pretrained(name, num_labels=1, n_layers=2, problem_type="regression")
model = AutoModelForSequenceClassification.from_pretrained(name, config=config)


def metrics(pred):
    guesses = pred.predictions.squeeze(-1)
    truth = pred.label_ids
    mae = np.abs(guesses - truth).mean()
    r2 = 1 - ((guesses - truth) ** 2).sum() / ((truth - truth.mean()) ** 2).sum()
    return {"mae": float(mae), "r2": float(r2)}


args = TrainingArguments(
    "stars",
    learning_rate=5e-4,
    num_train_epochs=4,
    per_device_train_batch_size=16,
    per_device_eval_batch_size=64,
    eval_strategy="epoch",
    save_strategy="epoch",
    load_best_model_at_end=True,
    metric_for_best_model="mae",
    greater_is_better=False,
    save_total_limit=1,
    report_to="none",
    seed=8,
)
trainer = Trainer(
    model,
    args,
    train_dataset=data["train"],
    eval_dataset=data["test"],
    data_collator=DataCollatorWithPadding(tokenizer),
    processing_class=tokenizer,
    compute_metrics=metrics,
)
trainer.train()
print("RESULT", round(trainer.evaluate()["eval_r2"], 4))
