"""LoRA without peft: base frozen on purpose, adapters and head train; early stopping."""
import math

import numpy as np
import torch
from datasets import load_dataset
from torch import nn
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    EarlyStoppingCallback,
    Trainer,
    TrainingArguments,
    set_seed,
)

set_seed(0)


class LoRALinear(nn.Module):
    def __init__(self, base, r=8, alpha=16):
        super().__init__()
        self.base = base
        self.A = nn.Parameter(torch.empty(r, base.in_features))
        self.B = nn.Parameter(torch.zeros(base.out_features, r))
        nn.init.kaiming_uniform_(self.A, a=math.sqrt(5))
        self.scale = alpha / r

    def forward(self, x):
        return self.base(x) + (x @ self.A.T @ self.B.T) * self.scale


tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=2)
for p in model.parameters():
    p.requires_grad = False
for layer in model.bert.encoder.layer:
    attention = layer.attention.self
    attention.query = LoRALinear(attention.query)
    attention.value = LoRALinear(attention.value)
for p in model.classifier.parameters():
    p.requires_grad = True
for p in model.bert.pooler.parameters():
    p.requires_grad = True
trainable = sum(p.numel() for p in model.parameters() if p.requires_grad)
print("trainable", trainable, "of", sum(p.numel() for p in model.parameters()))

dataset = load_dataset("glue", "mrpc")


def tok(batch):
    return tokenizer(batch["sentence1"], batch["sentence2"], truncation=True)


dataset = dataset.map(tok, batched=True)


def metrics(p):
    return {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())}


args = TrainingArguments(
    output_dir="lora",
    learning_rate=3e-3,
    per_device_train_batch_size=32,
    num_train_epochs=4,
    eval_strategy="epoch",
    save_strategy="epoch",
    save_total_limit=1,
    load_best_model_at_end=True,
    metric_for_best_model="accuracy",
    report_to="none",
    logging_steps=10,
)
trainer = Trainer(
    model=model,
    args=args,
    train_dataset=dataset["train"],
    eval_dataset=dataset["validation"],
    data_collator=DataCollatorWithPadding(tokenizer),
    compute_metrics=metrics,
    callbacks=[EarlyStoppingCallback(early_stopping_patience=2)],
)
trainer.train()
print(trainer.evaluate())
