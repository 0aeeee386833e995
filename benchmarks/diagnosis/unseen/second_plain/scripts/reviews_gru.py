"""Is a restaurant review friendly? Own vocabulary, padding per batch, GRU."""
import random
from collections import Counter
from typing import List, Tuple

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader

PAD, UNK = "<pad>", "<unk>"
GOOD = ["tasty", "friendly", "fresh", "lovely", "warm", "crisp"]
BAD = ["bland", "rude", "stale", "awful", "cold", "soggy"]
THINGS = ["soup", "waiter", "bread", "dessert", "pasta", "salad", "coffee", "fish"]
FILLERS = ["honestly", "we", "thought", "yesterday", "again", "with", "friends", "really", "so"]


def write_review(rng: random.Random) -> Tuple[str, int]:
    label = rng.randint(0, 1)
    words: List[str] = []
    for _ in range(rng.randint(2, 5)):
        words += rng.choices(FILLERS, k=rng.randint(0, 3))
        mood = label if rng.random() < 0.9 else 1 - label
        negated = rng.random() < 0.4
        adjective = rng.choice(GOOD if mood != negated else BAD)
        words += ["the", rng.choice(THINGS), "was"] + (["not"] if negated else []) + [adjective]
    return " ".join(words), label


def build_vocab(texts: List[str], min_count: int = 2) -> dict:
    counts = Counter(word for text in texts for word in text.split())
    vocab = {PAD: 0, UNK: 1}
    for word, count in counts.most_common():
        if count >= min_count:
            vocab[word] = len(vocab)
    return vocab


def make_collate(vocab: dict):
    def collate(batch):
        ids = [torch.tensor([vocab.get(w, vocab[UNK]) for w in text.split()]) for text, _ in batch]
        lengths = torch.tensor([len(row) for row in ids])
        padded = pad_sequence(ids, batch_first=True, padding_value=vocab[PAD])
        labels = torch.tensor([label for _, label in batch], dtype=torch.float32)
        return padded, lengths, labels
    return collate


class ReviewGRU(nn.Module):
    def __init__(self, vocab_size: int, emb: int = 24, hidden: int = 32):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb, padding_idx=0)
        self.gru = nn.GRU(emb, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, 1)

    def forward(self, ids, lengths):
        packed = pack_padded_sequence(self.embedding(ids), lengths, batch_first=True, enforce_sorted=False)
        _, last = self.gru(packed)
        return self.out(torch.cat([last[0], last[1]], dim=1)).squeeze(1)


def train(model, loader, criterion, optimizer):
    model.train()
    running, count = 0.0, 0
    for ids, lengths, labels in loader:
        logits = model(ids, lengths)
        loss = criterion(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        running += loss.item() * labels.size(0)
        count += labels.size(0)
    return running / count


def evaluate(model, loader) -> float:
    model.eval()
    right, count = 0, 0
    with torch.no_grad():
        for ids, lengths, labels in loader:
            decided = torch.sigmoid(model(ids, lengths)) > 0.5
            right += (decided == labels.bool()).sum().item()
            count += labels.size(0)
    return right / count


def main():
    rng = random.Random(5)
    torch.manual_seed(5)
    reviews = [write_review(rng) for _ in range(2600)]
    train_part, valid_part = reviews[:2000], reviews[2000:]
    vocab = build_vocab([text for text, _ in train_part])
    collate = make_collate(vocab)
    train_loader = DataLoader(train_part, batch_size=40, shuffle=True, collate_fn=collate)
    valid_loader = DataLoader(valid_part, batch_size=100, collate_fn=collate)

    model = ReviewGRU(len(vocab))
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    for epoch in range(1, 7):
        loss = train(model, train_loader, criterion, optimizer)
        print(f"epoch {epoch}: loss {loss:.4f}, valid accuracy {evaluate(model, valid_loader):.4f}")


if __name__ == "__main__":
    main()
