"""BiLSTM tagger: padded batches, packed sequences, labels of padding ignored."""
import random

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader

random.seed(2)
torch.manual_seed(2)
NAMES = ["anna", "boris", "chen", "dmitri", "elena", "fang"]
PLACES = ["paris", "moscow", "beijing", "kazan", "london", "wuhan"]
OTHER = ["went", "to", "saw", "in", "and", "then", "met", "left", "with", "from"]
TAGS = {"O": 0, "PER": 1, "LOC": 2}


def sentence():
    words, tags = [], []
    for _ in range(random.randint(4, 12)):
        r = random.random()
        if r < 0.5:
            words.append(random.choice(OTHER)), tags.append("O")
        elif r < 0.75:
            words.append(random.choice(NAMES)), tags.append("PER")
        else:
            words.append(random.choice(PLACES)), tags.append("LOC")
        if words[-1] == "paris" and len(words) > 1 and words[-2] in ("met", "saw", "with"):
            tags[-1] = "PER"
    return words, tags


word2id = {w: i + 1 for i, w in enumerate(NAMES + PLACES + OTHER)}
train_data = [sentence() for _ in range(600)]
dev_data = [sentence() for _ in range(150)]


def collate(batch):
    xs = [torch.tensor([word2id[w] for w in words]) for words, _ in batch]
    ys = [torch.tensor([TAGS[t] for t in tags]) for _, tags in batch]
    lengths = torch.tensor([len(x) for x in xs])
    return pad_sequence(xs, batch_first=True), pad_sequence(ys, batch_first=True, padding_value=-100), lengths


class Tagger(nn.Module):
    def __init__(self, vocab_size, n_tags, dim=24, hidden=32):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, dim, padding_idx=0)
        self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(2 * hidden, n_tags)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(self.emb(x), lengths, batch_first=True, enforce_sorted=False)
        out, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return self.fc(out)


model = Tagger(len(word2id) + 1, len(TAGS))
train_dl = DataLoader(train_data, batch_size=20, shuffle=True, collate_fn=collate)
dev_dl = DataLoader(dev_data, batch_size=50, collate_fn=collate)
criterion = nn.CrossEntropyLoss(ignore_index=-100)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)


def score():
    model.eval()
    right = total = 0
    with torch.no_grad():
        for x, y, lengths in dev_dl:
            pred = model(x, lengths).argmax(-1)
            keep = y != -100
            right += (pred[keep] == y[keep]).sum().item()
            total += keep.sum().item()
    return right / total


for epoch in range(4):
    model.train()
    for x, y, lengths in train_dl:
        optimizer.zero_grad()
        logits = model(x, lengths)
        loss = criterion(logits.transpose(1, 2), y)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f} dev accuracy {score():.4f}")
print("RESULT", score())
