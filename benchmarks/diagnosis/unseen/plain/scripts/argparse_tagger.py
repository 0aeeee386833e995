"""BiLSTM tagger on an artificial language.

The tag of a token depends on its word class and on the word before it.
"""
import argparse
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

PAD, PAD_TAG = 0, -100
TAGS = ["DET", "NOUN", "VERB", "ADJ", "OTHER"]


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--vocab", type=int, default=120)
    p.add_argument("--emb", type=int, default=24)
    p.add_argument("--hidden", type=int, default=32)
    p.add_argument("--lr", type=float, default=8e-3)
    p.add_argument("--clip", type=float, default=5.0)
    p.add_argument("--epochs", type=int, default=6)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--n-train", type=int, default=900)
    p.add_argument("--n-dev", type=int, default=250)
    p.add_argument("--seed", type=int, default=5)
    return p.parse_args([])


def make_sentences(n, vocab, rng):
    data = []
    for _ in range(n):
        words = [rng.randrange(1, vocab) for _ in range(rng.randint(4, 22))]
        tags, prev = [], 0
        for w in words:
            base = w % 5
            if base == 4 and prev % 2 == 1:
                base = 1
            elif base == 2 and prev % 5 == 0:
                base = 3
            tags.append(base)
            prev = w
        data.append((torch.tensor(words), torch.tensor(tags)))
    return data


def collate(batch):
    batch = sorted(batch, key=lambda pair: len(pair[0]), reverse=True)
    words, tags = zip(*batch)
    lengths = torch.tensor([len(w) for w in words])
    words = pad_sequence(words, batch_first=True, padding_value=PAD)
    tags = pad_sequence(tags, batch_first=True, padding_value=PAD_TAG)
    return words, tags, lengths


def batches(data, size, rng=None):
    order = list(range(len(data)))
    if rng is not None:
        rng.shuffle(order)
    for start in range(0, len(order), size):
        yield collate([data[j] for j in order[start:start + size]])


class Tagger(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.emb = nn.Embedding(args.vocab, args.emb, padding_idx=PAD)
        self.lstm = nn.LSTM(args.emb, args.hidden, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(0.4)
        self.out = nn.Linear(2 * args.hidden, len(TAGS))

    def forward(self, words, lengths):
        e = self.drop(self.emb(words))
        packed = pack_padded_sequence(e, lengths, batch_first=True)
        h, _ = self.lstm(packed)
        h, _ = pad_packed_sequence(h, batch_first=True)
        return self.out(self.drop(h))


def evaluate(model, data, args):
    model.eval()
    right = total = 0
    with torch.no_grad():
        for words, tags, lengths in batches(data, 100):
            guess = model(words, lengths).argmax(-1)
            mask = tags != PAD_TAG
            right += (guess[mask] == tags[mask]).sum().item()
            total += mask.sum().item()
    return right / total


def main():
    args = get_args()
    rng = random.Random(args.seed)
    torch.manual_seed(args.seed)
    train = make_sentences(args.n_train, args.vocab, rng)
    dev = make_sentences(args.n_dev, args.vocab, rng)

    model = Tagger(args)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        model.train()
        epoch_loss, steps = 0.0, 0
        for words, tags, lengths in batches(train, args.batch_size, rng):
            logits = model(words, lengths)
            loss = F.cross_entropy(logits.view(-1, len(TAGS)), tags.view(-1), ignore_index=PAD_TAG)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), args.clip)
            optimizer.step()
            epoch_loss += loss.item()
            steps += 1
        acc = evaluate(model, dev, args)
        print(f"epoch {epoch} loss {epoch_loss / steps:.4f} dev token acc {acc:.4f}")
    print(f"RESULT {acc:.4f}")


if __name__ == "__main__":
    main()
