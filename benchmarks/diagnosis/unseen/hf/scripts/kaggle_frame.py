# Kaggle style: a frame, folds, a Dataset of my own, a loop
import random

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, Dataset
from transformers import AutoModel, AutoTokenizer, get_linear_schedule_with_warmup


class CFG:
    seed = 0
    model = "bert-base-uncased"
    max_len = 40
    batch_size = 16
    epochs = 3
    lr = 5e-4
    n_classes = 3


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


seed_everything(CFG.seed)
TOPICS = [
    ["shares", "investors", "price", "stock", "euros", "company"],
    ["theatre", "museum", "hospital", "school", "library", "stadium"],
    ["storm", "fire", "flood", "earthquake", "accident", "crash"],
]
rows = []
for _ in range(600):
    topic = random.randrange(3)
    one, two = random.sample(TOPICS[topic], 2)
    town = random.choice(["perth", "lisbon", "vienna", "oslo"])
    rows.append({"excerpt": f"officials in {town} said that the {one} and the {two} were announced", "target": topic})
df = pd.DataFrame(rows)
train_df, valid_df = train_test_split(df, test_size=0.2, random_state=CFG.seed, stratify=df["target"])
train_df = train_df.reset_index(drop=True)
valid_df = valid_df.reset_index(drop=True)
tokenizer = AutoTokenizer.from_pretrained(CFG.model)


class TextDataset(Dataset):
    def __init__(self, frame):
        self.texts = frame["excerpt"].tolist()
        self.targets = frame["target"].tolist()

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        enc = tokenizer(
            self.texts[i],
            max_length=CFG.max_len,
            padding="max_length",
            truncation=True,
            return_tensors="pt",
        )
        item = {k: v.squeeze(0) for k, v in enc.items()}
        item["target"] = torch.tensor(self.targets[i], dtype=torch.long)
        return item


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = AutoModel.from_pretrained(CFG.model)
        self.drop = nn.Dropout(0.1)
        self.fc = nn.Linear(self.backbone.config.hidden_size, CFG.n_classes)

    def forward(self, input_ids, attention_mask):
        out = self.backbone(input_ids=input_ids, attention_mask=attention_mask)
        return self.fc(self.drop(out.last_hidden_state[:, 0]))


train_loader = DataLoader(TextDataset(train_df), batch_size=CFG.batch_size, shuffle=True)
valid_loader = DataLoader(TextDataset(valid_df), batch_size=64)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Net().to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=CFG.lr)
total = len(train_loader) * CFG.epochs
scheduler = get_linear_schedule_with_warmup(optimizer, num_warmup_steps=5, num_training_steps=total)

for epoch in range(CFG.epochs):
    model.train()
    losses = []
    for batch in train_loader:
        ids = batch["input_ids"].to(device)
        mask = batch["attention_mask"].to(device)
        y = batch["target"].to(device)
        optimizer.zero_grad()
        loss = criterion(model(ids, mask), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    model.eval()
    preds, truth = [], []
    with torch.no_grad():
        for batch in valid_loader:
            logits = model(batch["input_ids"].to(device), batch["attention_mask"].to(device))
            preds.append(logits.argmax(dim=1).cpu().numpy())
            truth.append(batch["target"].numpy())
    score = f1_score(np.concatenate(truth), np.concatenate(preds), average="macro")
    print(f"epoch {epoch} loss {np.mean(losses):.4f} f1 {score:.4f}")
