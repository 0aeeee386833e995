"""Topic classification of short made-up messages: bag of embeddings, gradient
accumulation (micro batches of 8, effective batch 32), clipping, one-cycle schedule."""
import math
import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SEED = 77
MICRO_BATCH = 8
ACCUM_STEPS = 4
EPOCHS = 4
MAX_LR = 1.5e-2

random.seed(SEED)
torch.manual_seed(SEED)

TOPICS = ["sport", "food", "travel", "money", "health"]
WORDS = {t: [f"{t}{i}" for i in range(30)] for t in TOPICS}
COMMON = [f"the{i}" for i in range(60)]


def write_message(topic):
    words = []
    for _ in range(random.randint(5, 14)):
        r = random.random()
        if r < 0.25:
            words.append(random.choice(WORDS[topic]))
        elif r < 0.42:
            words.append(random.choice(WORDS[random.choice(TOPICS)]))
        else:
            words.append(random.choice(COMMON))
    return " ".join(words)


def build_vocab(texts):
    vocab = {"<pad>": 0, "<unk>": 1}
    for text in texts:
        for w in text.split():
            vocab.setdefault(w, len(vocab))
    return vocab


class MessageDataset(Dataset):
    def __init__(self, rows, vocab):
        self.rows = rows
        self.vocab = vocab

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        text, topic = self.rows[i]
        ids = [self.vocab.get(w, self.vocab["<unk>"]) for w in text.split()]
        return ids, TOPICS.index(topic)


def collate(batch):
    longest = max(len(ids) for ids, _ in batch)
    ids = torch.tensor([row + [0] * (longest - len(row)) for row, _ in batch])
    labels = torch.tensor([label for _, label in batch])
    return ids, labels


class AttentionBag(nn.Module):
    def __init__(self, n_words, dim, n_out):
        super().__init__()
        self.embed = nn.Embedding(n_words, dim, padding_idx=0)
        self.score = nn.Linear(dim, 1)
        self.drop = nn.Dropout(0.3)
        self.head = nn.Linear(dim, n_out)

    def forward(self, ids):
        e = self.drop(self.embed(ids))
        s = self.score(torch.tanh(e)).squeeze(-1)
        s = s.masked_fill(ids == 0, float("-inf"))
        weights = s.softmax(dim=1).unsqueeze(-1)
        return self.head((weights * e).sum(dim=1))


rows = [(write_message(t), t) for t in random.choices(TOPICS, k=3000)]
train_rows, test_rows = rows[:2400], rows[2400:]
vocab = build_vocab(text for text, _ in train_rows)
train_loader = DataLoader(MessageDataset(train_rows, vocab), batch_size=MICRO_BATCH, shuffle=True, collate_fn=collate)
test_loader = DataLoader(MessageDataset(test_rows, vocab), batch_size=64, collate_fn=collate)

model = AttentionBag(len(vocab), 32, len(TOPICS))
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=MAX_LR, weight_decay=0.01)
updates_per_epoch = math.ceil(len(train_loader) / ACCUM_STEPS)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=MAX_LR, total_steps=EPOCHS * updates_per_epoch)

for epoch in range(EPOCHS):
    model.train()
    running = 0.0
    optimizer.zero_grad()
    for step, (ids, labels) in enumerate(train_loader):
        loss = loss_fn(model(ids), labels)
        running += loss.item()
        (loss / ACCUM_STEPS).backward()
        if (step + 1) % ACCUM_STEPS == 0 or step + 1 == len(train_loader):
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()

    model.eval()
    hits = 0
    per_topic = [[0, 0] for _ in TOPICS]
    with torch.no_grad():
        for ids, labels in test_loader:
            guess = model(ids).argmax(dim=1)
            hits += (guess == labels).sum().item()
            for g, l in zip(guess.tolist(), labels.tolist()):
                per_topic[l][0] += int(g == l)
                per_topic[l][1] += 1
    acc = hits / len(test_rows)
    worst = min(a / b for a, b in per_topic)
    print(f"epoch {epoch} loss {running / len(train_loader):.4f} test accuracy {acc:.4f} worst topic {worst:.3f}")

print(f"RESULT {acc:.4f}")
