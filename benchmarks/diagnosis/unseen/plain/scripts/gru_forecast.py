"""Forecast of electricity demand: GRU encoder-decoder, 24 hours in, 8 hours out.

The decoder is trained with teacher forcing that fades out; in the evaluation
it lives on its own answers.  Figure: MAE in MW on the last part of the series.
"""
import math
import random

import torch
from torch import nn

HISTORY, HORIZON = 24, 8


def build_series(hours=2400):
    t = torch.arange(hours, dtype=torch.float32)
    day = torch.sin(2 * math.pi * (t - 7) / 24)
    half = 0.5 * torch.sin(4 * math.pi * (t - 3) / 24)
    week = torch.where((t // 24) % 7 >= 5, 0.5, 1.0)
    wander = torch.zeros(hours)
    for k in range(1, hours):
        wander[k] = 0.95 * wander[k - 1] + 0.12 * random.gauss(0, 1)
    return 500 + 120 * week * (day + half) + 40 * wander


def windows(series):
    n = len(series) - HISTORY - HORIZON + 1
    rows = series.unfold(0, HISTORY + HORIZON, 1)[:n]
    return rows[:, :HISTORY].unsqueeze(-1), rows[:, HISTORY:].unsqueeze(-1)


class Seq2Seq(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.encoder = nn.GRU(1, hidden, batch_first=True)
        self.decoder = nn.GRUCell(1, hidden)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(hidden, 1)

    def forward(self, past, future=None, teacher=0.0):
        _, h = self.encoder(past)
        h = h[-1]
        value = past[:, -1]
        answers = []
        for step in range(HORIZON):
            h = self.decoder(value, h)
            guess = value + self.out(self.drop(h))
            answers.append(guess)
            if future is not None and random.random() < teacher:
                value = future[:, step]
            else:
                value = guess
        return torch.stack(answers, dim=1)


def run_epoch(model, past, future, optimizer, teacher, batch_size=64):
    model.train()
    total = 0.0
    for idx in torch.randperm(len(past)).split(batch_size):
        pred = model(past[idx], future[idx], teacher)
        loss = nn.functional.l1_loss(pred, future[idx])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item() * len(idx)
    return total / len(past)


def evaluate(model, past, future):
    model.eval()
    with torch.no_grad():
        pred = model(past)
    return (pred - future).abs().mean().item()


if __name__ == "__main__":
    random.seed(6)
    torch.manual_seed(6)
    series = build_series()
    cut = int(len(series) * 0.75)
    mean, std = series[:cut].mean(), series[:cut].std()
    scaled = (series - mean) / std
    train_past, train_future = windows(scaled[:cut])
    test_past, test_future = windows(scaled[cut:])

    model = Seq2Seq()
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
    n_epochs = 9
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda e: 0.5 * (1 + math.cos(math.pi * e / n_epochs)))
    naive = (test_past[:, -1:] - test_future).abs().mean() * std
    print(f"last value carried on: {naive.item():.1f} MW")
    for epoch in range(n_epochs):
        teacher = max(0.0, 0.6 - 0.1 * epoch)
        loss = run_epoch(model, train_past, train_future, optimizer, teacher)
        scheduler.step()
        mae = evaluate(model, test_past, test_future) * std.item()
        print(f"epoch {epoch:02d} teacher {teacher:.1f} loss {loss:.4f} test MAE {mae:.2f} MW")
    print(f"RESULT {mae:.3f}")
