"""Sentiment with our own Dataset and our own head upon a small encoder."""
import random

import torch
import torch.nn as nn
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, Dataset
from transformers import AutoModel, AutoTokenizer

SEED = 13
MAX_LEN = 24
BATCH_SIZE = 32
EPOCHS = 4
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")

random.seed(SEED)
torch.manual_seed(SEED)

SUBJECTS = ["the hospital", "the old theatre", "the house", "the train", "the new school"]
GOOD = ["great", "good", "very good", "a success"]
NEUTRAL = ["in the centre", "there on sunday", "in vienna"]
BAD = ["bad", "closed", "late", "very old"]
classes = ["negative", "neutral", "positive"]


def make_row():
    label = random.randrange(3)
    words = {0: BAD, 1: NEUTRAL, 2: GOOD}[label]
    text = f"{random.choice(SUBJECTS)} was {random.choice(words)} , said a person in {random.choice(['rome', 'vienna'])}"
    if random.random() < 0.3:
        text = "on monday " + text
    return text, label


texts, labels = zip(*[make_row() for _ in range(1200)])
train_texts, val_texts, train_labels, val_labels = train_test_split(
    list(texts), list(labels), test_size=0.2, random_state=SEED
)
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")


class ReviewDataset(Dataset):
    def __init__(self, texts, labels, tokenizer, max_len):
        self.texts = texts
        self.labels = labels
        self.tokenizer = tokenizer
        self.max_len = max_len

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, idx):
        encoding = self.tokenizer(
            self.texts[idx],
            max_length=self.max_len,
            padding="max_length",
            truncation=True,
            return_tensors="pt",
        )
        return {
            "input_ids": encoding["input_ids"].flatten(),
            "attention_mask": encoding["attention_mask"].flatten(),
            "label": torch.tensor(self.labels[idx], dtype=torch.long),
        }


class SentimentClassifier(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.bert = AutoModel.from_pretrained("bert-base-uncased")
        self.drop = nn.Dropout(0.2)
        self.out = nn.Linear(self.bert.config.hidden_size, n_classes)

    def forward(self, input_ids, attention_mask):
        outputs = self.bert(input_ids=input_ids, attention_mask=attention_mask)
        cls = outputs.last_hidden_state[:, 0]
        return self.out(self.drop(cls))


train_loader = DataLoader(
    ReviewDataset(train_texts, train_labels, tokenizer, MAX_LEN), batch_size=BATCH_SIZE, shuffle=True
)
val_loader = DataLoader(ReviewDataset(val_texts, val_labels, tokenizer, MAX_LEN), batch_size=BATCH_SIZE)

model = SentimentClassifier(len(classes)).to(DEVICE)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)


def train_epoch():
    model.train()
    total = 0.0
    for batch in train_loader:
        input_ids = batch["input_ids"].to(DEVICE)
        attention_mask = batch["attention_mask"].to(DEVICE)
        targets = batch["label"].to(DEVICE)
        optimizer.zero_grad()
        logits = model(input_ids, attention_mask)
        loss = criterion(logits, targets)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        total += loss.item()
    return total / len(train_loader)


def eval_model():
    model.eval()
    preds, trues = [], []
    with torch.no_grad():
        for batch in val_loader:
            logits = model(batch["input_ids"].to(DEVICE), batch["attention_mask"].to(DEVICE))
            preds.extend(logits.argmax(dim=1).cpu().tolist())
            trues.extend(batch["label"].tolist())
    return accuracy_score(trues, preds), f1_score(trues, preds, average="macro")


for epoch in range(EPOCHS):
    loss = train_epoch()
    acc, f1 = eval_model()
    print(f"epoch {epoch + 1}: loss {loss:.4f} acc {acc:.4f} f1 {f1:.4f}")
print(f"RESULT {acc:.4f}")
