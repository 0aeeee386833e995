"""Stateful LSTM forecasting of electricity load, truncated backprop through time.

python load_forecast.py --epochs 15
"""
import argparse
import copy
import logging

import numpy as np
import torch
from torch import nn

log = logging.getLogger("forecast")


def simulate(hours, streams, rng):
    """`streams` households, hour by hour, in kW: [hours, streams]."""
    t = np.arange(hours)[:, None]
    phase = rng.uniform(0, 24, streams)
    daily = np.sin(2 * np.pi * (t + phase) / 24) + 0.5 * np.sin(2 * np.pi * (t + phase) / 12)
    weekly = 0.6 * (((t + phase) // 24) % 7 >= 5)
    noise = 0.2 * rng.standard_normal((hours, streams))
    return 400 + 120 * (daily + weekly + noise)


class LoadLSTM(nn.Module):
    def __init__(self, hidden, layers=1):
        super().__init__()
        self.lstm = nn.LSTM(1, hidden, num_layers=layers)
        self.proj = nn.Linear(hidden, 1)

    def forward(self, x, state=None):
        h, state = self.lstm(x, state)
        return self.proj(h), state


def windows(series, width):
    """Yields (inputs, targets) of [width, streams, 1], the target one hour later."""
    for s in range(0, len(series) - 1, width):
        stop = min(s + width, len(series) - 1)
        yield series[s:stop], series[s + 1:stop + 1]


def detach(state):
    return tuple(s.detach() for s in state)


def validate(model, warmup, series, width):
    model.eval()
    squared, n = 0.0, 0
    with torch.no_grad():
        _, state = model(warmup)
        for x, y in windows(series, width):
            pred, state = model(x, state)
            squared += ((pred - y) ** 2).sum().item()
            n += y.numel()
    return (squared / n) ** 0.5


def main(args):
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.manual_seed(args.seed)
    raw = simulate(24 * 7 * 9, args.streams, np.random.default_rng(args.seed))
    cut = 24 * 7 * 6
    mu, sigma = raw[:cut].mean(), raw[:cut].std()
    series = torch.tensor((raw - mu) / sigma, dtype=torch.float32).unsqueeze(-1)
    train, valid, test = series[:cut], series[cut:cut + 168], series[cut + 168:]   # 6 weeks, 1 week, 2 weeks

    model = LoadLSTM(args.hidden)
    optim = torch.optim.Adam(model.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(optim, T_max=args.epochs)
    loss_fn = nn.MSELoss()
    persistence = ((test[1:] - test[:-1]) ** 2).mean().sqrt().item()

    best, best_weights = float("inf"), None
    for epoch in range(args.epochs):
        model.train()
        state, total, n = None, 0.0, 0
        for x, y in windows(train, args.width):
            pred, state = model(x, state)
            loss = loss_fn(pred, y)
            optim.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optim.step()
            state = detach(state)
            total += loss.item() * y.numel()
            n += y.numel()
        sched.step()
        rmse = validate(model, train[-48:], valid, args.width)
        log.info("epoch %02d train mse %.4f valid rmse %.4f", epoch, total / n, rmse)
        if rmse < best:
            best, best_weights = rmse, copy.deepcopy(model.state_dict())

    model.load_state_dict(best_weights)
    rmse = validate(model, valid[-48:], test, args.width)
    print(f"test rmse {rmse * sigma:.2f} kW; last value repeated {persistence * sigma:.2f} kW")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--streams", type=int, default=24)
    parser.add_argument("--hidden", type=int, default=32)
    parser.add_argument("--width", type=int, default=24)
    parser.add_argument("--lr", type=float, default=1e-2)
    parser.add_argument("--seed", type=int, default=42)
    main(parser.parse_args())
