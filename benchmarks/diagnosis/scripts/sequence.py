"""Which kind does a text begin with? A tiny BERT and the Trainer."""

import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
from transformers import set_seed

SEED = 0
set_seed(SEED)


class Rows(Dataset):
    def __init__(self, number):
        self.labels = torch.randint(0, 2, (number,))
        self.ids = torch.randint(10, 60, (number, 12))
        self.ids[:, 1] = 4 + self.labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return {"input_ids": self.ids[index], "labels": self.labels[index]}


def compute_metrics(output):
    logits, labels = output
    predictions = np.argmax(logits, axis=-1)
    return {"accuracy": float((predictions == labels).mean())}


config = BertConfig(
    vocab_size=64,
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=64,
    max_position_embeddings=32,
    num_labels=2,
)
model = BertForSequenceClassification(config)
arguments = TrainingArguments(
    output_dir="out",
    learning_rate=1e-3,
    per_device_train_batch_size=16,
    num_train_epochs=3,
    eval_strategy="epoch",
    save_strategy="no",
    report_to="none",
    seed=SEED,
)
train_rows, valid_rows = Rows(640), Rows(128)
trainer = Trainer(
    model=model,
    args=arguments,
    train_dataset=train_rows,
    eval_dataset=valid_rows,
    compute_metrics=compute_metrics,
)
trainer.train()
print(trainer.evaluate())
