"""Свой цикл обучения: накопление градиента, ReduceLROnPlateau, чекпойнты, ранняя остановка."""
import os
import random

import evaluate
import numpy as np
import torch
from datasets import load_dataset
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader
from tqdm import trange
from transformers import AutoModelForSequenceClassification, AutoTokenizer

os.environ["TOKENIZERS_PARALLELISM"] = "false"
random.seed(42)
np.random.seed(42)
torch.manual_seed(42)
torch.backends.cudnn.deterministic = True

checkpoint = "bert-base-uncased"
raw = load_dataset("glue", "mrpc")
tokenizer = AutoTokenizer.from_pretrained(checkpoint)


def tokenize(pairs):
    return tokenizer(pairs["sentence1"], pairs["sentence2"], truncation=True, max_length=128)


ready = raw.map(tokenize, batched=True)
ready.set_format("torch", columns=["input_ids", "token_type_ids", "attention_mask", "label"])


def collate(rows):
    def pad(name, value):
        return pad_sequence([row[name] for row in rows], batch_first=True, padding_value=value)

    return {
        "input_ids": pad("input_ids", tokenizer.pad_token_id),
        "token_type_ids": pad("token_type_ids", 0),
        "attention_mask": pad("attention_mask", 0),
        "labels": torch.stack([row["label"] for row in rows]),
    }


train_loader = DataLoader(ready["train"], batch_size=4, shuffle=True, collate_fn=collate)
eval_loader = DataLoader(ready["validation"], batch_size=16, collate_fn=collate)

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=2)
model = model.to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=7e-5, weight_decay=0.01)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=0)
накопление = 2


def проверить():
    metric = evaluate.load("glue", "mrpc")
    model.eval()
    потеря = 0.0
    for batch in eval_loader:
        batch = {k: v.to(device) for k, v in batch.items()}
        with torch.no_grad():
            out = model(**batch)
        потеря += out.loss.item()
        metric.add_batch(predictions=out.logits.argmax(dim=-1), references=batch["labels"])
    return потеря / len(eval_loader), metric.compute()


лучшая, терпение = float("inf"), 0
for epoch in trange(3):
    model.train()
    optimizer.zero_grad()
    for i, batch in enumerate(train_loader):
        batch = {k: v.to(device) for k, v in batch.items()}
        loss = model(**batch).loss / накопление
        loss.backward()
        if (i + 1) % накопление == 0 or i + 1 == len(train_loader):
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
    потеря, итог = проверить()
    scheduler.step(потеря)
    print(f"эпоха {epoch + 1}: потеря {потеря:.3f}, {итог}")
    if потеря < лучшая:
        лучшая, терпение = потеря, 0
        torch.save(
            {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, "checkpoint.pth"
        )
    else:
        терпение += 1
        if терпение == 2:
            break

state = torch.load("checkpoint.pth", map_location=device)
model.load_state_dict(state["model"])
print("лучшая модель:", проверить()[1])
