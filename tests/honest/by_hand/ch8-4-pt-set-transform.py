# set_transform: tokenized when it is read
from typing import Any, Callable, NamedTuple
import numpy as np
import torch
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments
from transformers import DataCollatorWithPadding


class Parts(NamedTuple):
    tokenizer: Any
    model: torch.nn.Module
    collator: Callable[[list[dict[str, Any]]], dict[str, torch.Tensor]]


def parts(name: str) -> Parts:
    tokenizer = AutoTokenizer.from_pretrained(name)
    return Parts(tokenizer, AutoModelForSequenceClassification.from_pretrained(name, num_labels=3), DataCollatorWithPadding(tokenizer))


tokenizer, model, collator = parts("distilbert-base-uncased")


def transform(rows: dict[str, list[Any]]) -> dict[str, list[Any]]:
    encoded = dict(tokenizer(rows["premise"], rows["hypothesis"], truncation=True))
    encoded["labels"] = rows["label"]
    return encoded


data = load_dataset("glue", "mnli")
data.set_transform(transform)
args = TrainingArguments("here", num_train_epochs=2, learning_rate=3e-5, eval_strategy="epoch", save_strategy="no",
                         report_to="none", remove_unused_columns=False)


def metrics(p) -> dict[str, float]:
    logits, labels = p
    predictions = np.array([row.tolist().index(row.max()) for row in logits])
    return {"accuracy": float((predictions == labels).mean()), "n": len(labels)}


trainer = Trainer(model, args, data_collator=collator, train_dataset=data["train"], eval_dataset=data["validation_matched"], compute_metrics=metrics)
trainer.train()
