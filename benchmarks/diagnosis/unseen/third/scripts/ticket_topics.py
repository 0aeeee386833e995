# multi-label topics for support tickets, own vocabulary + BiLSTM
import random
from collections import Counter

import torch
import torch.nn as nn
from sklearn.metrics import f1_score
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader

random.seed(21)
torch.manual_seed(21)

TOPICS = {
    "billing": ["invoice", "charged", "refund", "payment", "card", "price"],
    "login": ["password", "account", "locked", "email", "reset", "signin"],
    "delivery": ["parcel", "courier", "late", "address", "tracking", "box"],
    "bug": ["crash", "error", "screen", "frozen", "update", "button"],
    "praise": ["thanks", "great", "happy", "love", "quick", "friendly"],
}
NAMES = list(TOPICS)
FILLER = ("the a i my and was is it to for of on hello please since yesterday again still when with you "
          "your we have had order item today morning could would help team").split()


def make_ticket():
    k = random.choices([1, 2, 3], weights=[5, 4, 1])[0]
    topics = random.sample(range(len(NAMES)), k)
    words = random.choices(FILLER, k=random.randint(5, 22))
    for t in topics:
        words += random.choices(TOPICS[NAMES[t]], k=random.randint(1, 3))
    if random.random() < 0.35:
        words.append(random.choice(TOPICS[random.choice(NAMES)]))
    random.shuffle(words)
    target = [1.0 if t in topics else 0.0 for t in range(len(NAMES))]
    return " ".join(words), target


tickets = [make_ticket() for _ in range(2400)]
train_rows, dev_rows, test_rows = tickets[:1700], tickets[1700:2000], tickets[2000:]

PAD, UNK = 0, 1
freq = Counter(w for text, _ in train_rows for w in text.split())
vocab = {"<pad>": PAD, "<unk>": UNK}
for word, n in freq.most_common():
    if n >= 2:
        vocab[word] = len(vocab)


def encode(text):
    return torch.tensor([vocab.get(w, UNK) for w in text.split()])


def collate(rows):
    ids = [encode(text) for text, _ in rows]
    lengths = torch.tensor([len(i) for i in ids])
    labels = torch.tensor([target for _, target in rows])
    return pad_sequence(ids, batch_first=True, padding_value=PAD), lengths, labels


class TopicTagger(nn.Module):
    def __init__(self, n_words, emb=32, hid=32, n_out=5):
        super().__init__()
        self.embedding = nn.Embedding(n_words, emb, padding_idx=PAD)
        self.drop = nn.Dropout(0.3)
        self.lstm = nn.LSTM(emb, hid, batch_first=True, bidirectional=True)
        self.classifier = nn.Linear(2 * hid, n_out)

    def forward(self, ids, lengths):
        emb = self.drop(self.embedding(ids))
        packed = pack_padded_sequence(emb, lengths, batch_first=True, enforce_sorted=False)
        out, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True, padding_value=float("-inf"))
        pooled = out.max(dim=1).values
        return self.classifier(self.drop(pooled))


def scores(model, loader):
    model.eval()
    all_pred, all_true = [], []
    with torch.no_grad():
        for ids, lengths, labels in loader:
            probs = torch.sigmoid(model(ids, lengths))
            all_pred.append((probs > 0.5).int())
            all_true.append(labels.int())
    y_pred = torch.cat(all_pred).numpy()
    y_true = torch.cat(all_true).numpy()
    exact = (y_pred == y_true).all(axis=1).mean()
    return f1_score(y_true, y_pred, average="micro", zero_division=0), exact


train_loader = DataLoader(train_rows, batch_size=32, shuffle=True, collate_fn=collate)
dev_loader = DataLoader(dev_rows, batch_size=64, collate_fn=collate)
test_loader = DataLoader(test_rows, batch_size=64, collate_fn=collate)

model = TopicTagger(len(vocab), n_out=len(NAMES))
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)

print(len(vocab), "words,", sum(p.numel() for p in model.parameters()), "parameters")
best_f1, best_weights = -1.0, None
for epoch in range(6):
    model.train()
    epoch_loss = 0
    for ids, lengths, labels in train_loader:
        logits = model(ids, lengths)
        loss = criterion(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item()
    f1, exact = scores(model, dev_loader)
    print(f"epoch {epoch} loss {epoch_loss / len(train_loader):.4f} dev f1 {f1:.3f} exact {exact:.3f}")
    if f1 > best_f1:
        best_f1 = f1
        best_weights = {k: v.clone() for k, v in model.state_dict().items()}

model.load_state_dict(best_weights)
f1, exact = scores(model, test_loader)
print(f"TEST micro-F1 {f1:.4f} exact match {exact:.4f}")
