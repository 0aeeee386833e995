# 我用生成器和 IterableDataset 自己写数据流
import random

import evaluate
import torch
from datasets import load_dataset
from torch.utils.data import DataLoader, IterableDataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer, set_seed

set_seed(42)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
checkpoint = "distilbert-base-uncased"
raw = load_dataset("glue", "mnli")
tokenizer = AutoTokenizer.from_pretrained(checkpoint)


class 句对流(IterableDataset):
    def __init__(self, split, shuffle=False):
        self.rows = list(split)
        self.shuffle = shuffle

    def __iter__(self):
        order = list(range(len(self.rows)))
        if self.shuffle:
            random.shuffle(order)
        for i in order:
            yield self.rows[i]


def collate(rows):
    """在拼批次的时候再分词，动态填充"""
    batch = tokenizer(
        [r["premise"] for r in rows],
        [r["hypothesis"] for r in rows],
        truncation=True,
        padding="longest",
        return_tensors="pt",
    )
    batch["labels"] = torch.tensor([r["label"] for r in rows])
    return batch


train_loader = DataLoader(句对流(raw["train"], shuffle=True), batch_size=8, collate_fn=collate)
val_loader = DataLoader(句对流(raw["validation_matched"]), batch_size=16, collate_fn=collate)

model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=3).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5, weight_decay=0.01)
accumulation = 2

for epoch in range(2):
    model.train()
    optimizer.zero_grad()
    for step, batch in enumerate(train_loader, start=1):
        batch = batch.to(device)
        loss = model(**batch).loss / accumulation
        loss.backward()
        if step % accumulation == 0:
            optimizer.step()
            optimizer.zero_grad()
    if step % accumulation:  # 最后不足一组的也要更新
        optimizer.step()
        optimizer.zero_grad()

    metric = evaluate.load("glue", "mnli")
    model.eval()
    with torch.no_grad():
        for batch in val_loader:
            batch = batch.to(device)
            logits = model(**batch).logits
            metric.add_batch(predictions=logits.argmax(dim=-1), references=batch["labels"])
    print(f"第 {epoch + 1} 轮：{metric.compute()}")
