"""Quantile regression of travel times: three quantiles, one head each.

train() / validate() with early stopping; the best weights are put back at the end.
"""
import copy
import math

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(21)
QUANTILES = [0.1, 0.5, 0.9]
PATIENCE = 4
MAX_EPOCHS = 25


class RoundStraightThrough(torch.autograd.Function):
    """Rounds the hour to quarters; the gradient goes through as if nothing had happened."""

    @staticmethod
    def forward(ctx, x):
        return torch.round(x * 4) / 4

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


class QuantileNet(nn.Module):
    def __init__(self, n_features, hidden=48):
        super().__init__()
        self.hour_shift = nn.Linear(n_features, 1)
        self.body = nn.Sequential(nn.Linear(n_features + 1, hidden), nn.Tanh(), nn.Dropout(0.1), nn.Linear(hidden, hidden), nn.Tanh())
        self.heads = nn.ModuleList([nn.Linear(hidden, 1) for _ in QUANTILES])

    def forward(self, x):
        h = RoundStraightThrough.apply(self.hour_shift(x))
        z = self.body(torch.cat([x, h], dim=1))
        return torch.cat([head(z) for head in self.heads], dim=1)


def pinball(pred, target):
    loss = 0.0
    for i, q in enumerate(QUANTILES):
        err = target - pred[:, i]
        loss = loss + torch.maximum(q * err, (q - 1) * err).mean()
    return loss


def make_trips(n):
    hour = torch.rand(n) * 24
    km = torch.rand(n) * 30 + 1
    rain = (torch.rand(n) < 0.3).float()
    rush = torch.exp(-(hour - 8) ** 2 / 4) + torch.exp(-(hour - 17.5) ** 2 / 6)
    base = 4 + km * (1.2 + 0.9 * rush + 0.3 * rain)
    minutes = base * torch.exp(0.15 * torch.randn(n) * (1 + rush))
    feats = torch.stack([torch.sin(hour * math.pi / 12), torch.cos(hour * math.pi / 12), (km - 16) / 8.7, rain], dim=1)
    return feats, minutes


def train(model, loader, optimizer):
    model.train()
    total = 0.0
    for x, y in loader:
        loss = pinball(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(x)
    return total / len(loader.dataset)


@torch.no_grad()
def validate(model, loader):
    model.eval()
    total = 0.0
    for x, y in loader:
        total += pinball(model(x), y).item() * len(x)
    return total / len(loader.dataset)


@torch.no_grad()
def report(model, loader, t_mean, t_std):
    model.eval()
    preds, targets = [], []
    for x, y in loader:
        preds.append(model(x))
        targets.append(y)
    preds, targets = torch.cat(preds), torch.cat(targets)
    mae = (preds[:, 1] - targets).abs().mean() * t_std
    coverage = ((targets >= preds[:, 0]) & (targets <= preds[:, 2])).float().mean()
    return mae.item(), coverage.item()


def main():
    x, minutes = make_trips(4500)
    n_train, n_val = 3000, 700
    t_mean, t_std = minutes[:n_train].mean(), minutes[:n_train].std()
    y = (minutes - t_mean) / t_std
    train_ds = TensorDataset(x[:n_train], y[:n_train])
    val_ds = TensorDataset(x[n_train:n_train + n_val], y[n_train:n_train + n_val])
    test_ds = TensorDataset(x[n_train + n_val:], y[n_train + n_val:])
    train_loader = DataLoader(train_ds, batch_size=64, shuffle=True)
    val_loader = DataLoader(val_ds, batch_size=256)
    test_loader = DataLoader(test_ds, batch_size=256)

    model = QuantileNet(x.shape[1])
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.3, patience=2)

    best_loss, best_state, bad_epochs = float("inf"), None, 0
    for epoch in range(MAX_EPOCHS):
        train_loss = train(model, train_loader, optimizer)
        val_loss = validate(model, val_loader)
        scheduler.step(val_loss)
        print(f"epoch {epoch:2d} train {train_loss:.4f} val {val_loss:.4f}")
        if val_loss < best_loss:
            best_loss, bad_epochs = val_loss, 0
            best_state = copy.deepcopy(model.state_dict())
        else:
            bad_epochs += 1
            if bad_epochs >= PATIENCE:
                print("no progress, stop")
                break

    model.load_state_dict(best_state)
    mae, coverage = report(model, test_loader, t_mean, t_std)
    print(f"coverage of the 80% interval: {coverage:.3f}")
    print(f"RESULT {mae:.4f}")


if __name__ == "__main__":
    main()
