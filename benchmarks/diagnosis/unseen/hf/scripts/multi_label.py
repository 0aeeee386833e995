"""Several labels per text."""
import random

import numpy as np
import torch
from sklearn.metrics import f1_score
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments

random.seed(0)
np.random.seed(0)
torch.manual_seed(0)
LABELS = ["cheap", "noisy", "clean", "crowded"]
NOUNS = ["hotel", "beach", "cafe", "street", "market"]


def make(n):
    texts, targets = [], []
    for _ in range(n):
        chosen = [random.random() < 0.4 for _ in LABELS]
        about = [w for w, c in zip(LABELS, chosen) if c] or ["old"]
        random.shuffle(about)
        texts.append(f"the {random.choice(NOUNS)} is " + " and ".join(about))
        targets.append([float(c) for c in chosen])
    return texts, targets


class MultiLabelDataset(torch.utils.data.Dataset):
    def __init__(self, texts, targets, tokenizer):
        self.encodings = tokenizer(texts, truncation=True, padding=True)
        self.labels = targets

    def __getitem__(self, idx):
        item = {key: torch.tensor(val[idx]) for key, val in self.encodings.items()}
        item["labels"] = torch.tensor(self.labels[idx])
        return item

    def __len__(self):
        return len(self.labels)


tokenizer = AutoTokenizer.from_pretrained("distilbert-base-uncased")
train_set = MultiLabelDataset(*make(640), tokenizer)
test_set = MultiLabelDataset(*make(120), tokenizer)
model = AutoModelForSequenceClassification.from_pretrained(
    "distilbert-base-uncased",
    num_labels=len(LABELS),
    problem_type="multi_label_classification",
    id2label=dict(enumerate(LABELS)),
    label2id={name: i for i, name in enumerate(LABELS)},
)


def multi_label_metrics(p):
    logits = p.predictions[0] if isinstance(p.predictions, tuple) else p.predictions
    probabilities = 1 / (1 + np.exp(-logits))
    y_pred = (probabilities >= 0.5).astype(int)
    return {"f1": f1_score(p.label_ids, y_pred, average="micro", zero_division=0)}


training_args = TrainingArguments(
    output_dir="./results",
    num_train_epochs=3,
    per_device_train_batch_size=16,
    per_device_eval_batch_size=60,
    learning_rate=2e-4,
    logging_steps=20,
    eval_strategy="epoch",
    save_strategy="no",
    report_to="none",
)
trainer = Trainer(
    model=model,
    args=training_args,
    train_dataset=train_set,
    eval_dataset=test_set,
    compute_metrics=multi_label_metrics,
)
trainer.train()
