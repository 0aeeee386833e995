"""Spirals with a dataclass for the settings."""
import math
from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split
from tqdm import tqdm


@dataclass
class Config:
    n_per_class: int = 400
    n_classes: int = 3
    hidden: int = 64
    batch_size: int = 32
    lr: float = 3e-3
    epochs: int = 25
    seed: int = 7


def make_spirals(cfg: Config):
    points, targets = [], []
    for c in range(cfg.n_classes):
        r = torch.linspace(0.1, 1.0, cfg.n_per_class)
        t = torch.linspace(c * 4, c * 4 + 4, cfg.n_per_class) + torch.randn(cfg.n_per_class) * 0.15
        points.append(torch.stack([r * torch.sin(t), r * torch.cos(t)], dim=1))
        targets.append(torch.full((cfg.n_per_class,), c))
    return torch.cat(points) * 2, torch.cat(targets)


class SpiralNet(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.fc1 = nn.Linear(2, cfg.hidden)
        self.fc2 = nn.Linear(cfg.hidden, cfg.hidden)
        self.out = nn.Linear(cfg.hidden, cfg.n_classes)
        self.act = nn.ReLU()

    def forward(self, x):
        x = self.act(self.fc1(x))
        x = self.act(self.fc2(x))
        return self.out(x)


def train_one_epoch(model, loader, criterion, optimizer):
    model.train()
    running = 0.0
    for xb, yb in tqdm(loader, leave=False):
        optimizer.zero_grad()
        logits = model(xb)
        loss = criterion(logits, yb)
        loss.backward()
        optimizer.step()
        running += loss.item() * xb.size(0)
    return running / len(loader.dataset)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    correct = total = 0
    for xb, yb in loader:
        pred = model(xb).argmax(dim=1)
        correct += (pred == yb).sum().item()
        total += yb.size(0)
    return correct / total


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    X, y = make_spirals(cfg)
    dataset = TensorDataset(X, y)
    n_val = int(0.2 * len(dataset))
    train_set, val_set = random_split(dataset, [len(dataset) - n_val, n_val])
    train_loader = DataLoader(train_set, batch_size=cfg.batch_size, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=128)

    model = SpiralNet(cfg)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10, gamma=0.5)

    for epoch in range(cfg.epochs):
        train_loss = train_one_epoch(model, train_loader, criterion, optimizer)
        acc = evaluate(model, val_loader)
        scheduler.step()
        if epoch % 5 == 4:
            print(f"epoch {epoch + 1:02d} | loss {train_loss:.4f} | val acc {acc:.3f}")
    print(f"RESULT {acc:.4f}")


if __name__ == "__main__":
    main()
