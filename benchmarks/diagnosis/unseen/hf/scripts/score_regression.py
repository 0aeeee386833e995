"""How full is the street? One output, own optimizer and schedule."""
import random

import numpy as np
import pandas as pd
import torch
from datasets import Dataset
from transformers import (
    BertForSequenceClassification,
    BertTokenizerFast,
    Trainer,
    TrainingArguments,
    get_cosine_schedule_with_warmup,
)

SEED = 0
random.seed(SEED)
torch.manual_seed(SEED)
STRENGTH = {"empty": 0.0, "small": 0.3, "old": 0.5, "large": 0.8, "heavy": 1.0}
rows = []
for _ in range(700):
    a, b = random.choices(list(STRENGTH), k=2)
    value = (STRENGTH[a] + STRENGTH[b]) / 2 + random.gauss(0, 0.02)
    rows.append({"sentence": f"the {a} crowd left the {b} stadium", "score": value})
frame = pd.DataFrame(rows)
tokenizer = BertTokenizerFast.from_pretrained("bert-base-uncased")

ds = Dataset.from_pandas(frame).rename_column("score", "labels")
ds = ds.map(lambda x: tokenizer(x["sentence"], padding="max_length", truncation=True, max_length=16))
ds.set_format("torch", columns=["input_ids", "attention_mask", "token_type_ids", "labels"])
splits = ds.train_test_split(0.2, seed=SEED)
model = BertForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=1)


def compute_metrics(pred):
    y = pred.label_ids.reshape(-1)
    p = pred.predictions.reshape(-1)
    return {"mse": float(((p - y) ** 2).mean()), "pearson": float(np.corrcoef(p, y)[0, 1])}


args = TrainingArguments(
    output_dir="reg",
    per_device_train_batch_size=16,
    num_train_epochs=3,
    eval_strategy="epoch",
    save_strategy="no",
    logging_steps=10,
    report_to="none",
)
steps = len(splits["train"]) // 16 * 3
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
scheduler = get_cosine_schedule_with_warmup(optimizer, 10, steps)
trainer = Trainer(
    model=model,
    args=args,
    train_dataset=splits["train"],
    eval_dataset=splits["test"],
    compute_metrics=compute_metrics,
    optimizers=(optimizer, scheduler),
)
trainer.train()
print(trainer.evaluate())
