"""Honest but unusual: the head first on a frozen body, then all of it with SGD and a small rate."""
import numpy as np
import torch
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import DataCollatorWithPadding, DistilBertForSequenceClassification, DistilBertTokenizerFast

torch.manual_seed(0)
tokenizer = DistilBertTokenizerFast.from_pretrained("distilbert-base-uncased")
mnli = load_dataset("glue", "mnli")
train = mnli["train"].filter(lambda r: r["label"] != 1).shuffle(seed=0).select(range(1000))
test = mnli["validation_matched"].filter(lambda r: r["label"] != 1)


def encode(rows):
    out = tokenizer(rows["premise"], rows["hypothesis"], truncation=True)
    out["labels"] = [0 if label == 0 else 1 for label in rows["label"]]
    return out


columns = mnli["train"].column_names
train = train.map(encode, batched=True, remove_columns=columns)
test = test.map(encode, batched=True, remove_columns=columns)
collator = DataCollatorWithPadding(tokenizer, return_tensors="pt")
loader = DataLoader(train, batch_size=16, shuffle=True, collate_fn=collator)
test_loader = DataLoader(test, batch_size=64, collate_fn=collator)
model = DistilBertForSequenceClassification.from_pretrained("distilbert-base-uncased", num_labels=2)


def accuracy():
    model.eval()
    hits = []
    with torch.no_grad():
        for batch in test_loader:
            hits += (model(**batch).logits.argmax(-1) == batch["labels"]).tolist()
    model.train()
    return np.mean(hits)


def run(optimizer, epochs):
    for _ in range(epochs):
        for batch in loader:
            loss = model(**batch).loss
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    print("accuracy", accuracy())


print("accuracy at first", accuracy())
model.distilbert.requires_grad_(False)
run(torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), lr=1e-3), 1)
model.distilbert.requires_grad_(True)
run(torch.optim.SGD(model.parameters(), lr=2e-3, momentum=0.9), 2)
