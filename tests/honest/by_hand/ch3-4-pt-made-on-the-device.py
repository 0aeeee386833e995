# MRPC: everything is created on the device, nothing is moved later
import random

import evaluate
import torch
from datasets import load_dataset
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer, get_cosine_schedule_with_warmup, set_seed

set_seed(42)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
checkpoint = "bert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(checkpoint)
dataset = load_dataset("glue", "mrpc")


def encode(example):
    return tokenizer(example["sentence1"], example["sentence2"], truncation=True, max_length=96)


keep = ["input_ids", "token_type_ids", "attention_mask", "label"]
dataset = dataset.map(encode).select_columns(keep)


def collate(features):
    def column(name, fill=0):
        rows = [torch.tensor(f[name], device=device) for f in features]
        return pad_sequence(rows, batch_first=True, padding_value=fill)

    ids = column("input_ids", tokenizer.pad_token_id)
    return {
        "input_ids": ids,
        "token_type_ids": column("token_type_ids"),
        "attention_mask": (ids != tokenizer.pad_token_id).long(),
        "labels": torch.tensor([f["label"] for f in features], device=device),
    }


train = DataLoader(dataset["train"], batch_size=16, shuffle=True, collate_fn=collate)
valid = DataLoader(dataset["validation"], batch_size=64, collate_fn=collate)

model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=2)
model.to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
num_epochs = 4
total = num_epochs * len(train)
scheduler = get_cosine_schedule_with_warmup(optimizer, int(0.06 * total), total)

history = []
for epoch in range(num_epochs):
    model.train()
    for batch in train:
        optimizer.zero_grad(set_to_none=True)
        out = model(**batch)
        out.loss.backward()
        optimizer.step()
        scheduler.step()
        history.append(out.loss.item())
    print(epoch, sum(history[-len(train):]) / len(train), scheduler.get_last_lr())

model.eval()
metric = evaluate.combine(["accuracy", "f1"])
with torch.no_grad():
    for batch in valid:
        logits = model(**batch).logits
        metric.add_batch(predictions=logits.argmax(-1).tolist(), references=batch["labels"].tolist())
print(metric.compute())
