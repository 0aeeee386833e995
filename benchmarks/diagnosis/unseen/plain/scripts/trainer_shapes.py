"""Tiny image classifier, driven by a Trainer object and a config dict."""
import random

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset

CONFIG = {
    "seed": 11,
    "image_size": 16,
    "num_train": 1500,
    "num_val": 400,
    "batch_size": 50,
    "epochs": 7,
    "optimizer": {"lr": 0.02, "momentum": 0.9, "weight_decay": 1e-4},
    "dropout": 0.3,
    "classes": ["square", "disc", "cross", "stripes"],
}


def draw(label, size, rng):
    yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    cx, cy, r = rng.randint(5, size - 6), rng.randint(5, size - 6), rng.randint(3, 5)
    dx, dy = (xx - cx).abs(), (yy - cy).abs()
    if label == 0:
        mask = (dx <= r - 1) & (dy <= r - 1)
    elif label == 1:
        mask = dx ** 2 + dy ** 2 <= r ** 2
    elif label == 2:
        mask = ((dx <= 1) & (dy <= r)) | ((dy <= 1) & (dx <= r))
    else:
        mask = (dx <= r) & (dy <= r) & ((yy - cy) % 2 == 0)
    img = mask.float() * rng.uniform(0.5, 1.0)
    return img.unsqueeze(0)


class ShapeDataset(Dataset):
    def __init__(self, n, size, n_classes, seed, noise=0.25):
        rng = random.Random(seed)
        gen = torch.Generator().manual_seed(seed)
        self.labels = [i * n_classes // n for i in range(n)]
        self.images = [draw(c, size, rng) for c in self.labels]
        self.images = [im + noise * torch.randn(im.shape, generator=gen) for im in self.images]

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, idx):
        return self.images[idx], self.labels[idx]


class ConvNet(nn.Module):
    def __init__(self, n_classes, dropout):
        super().__init__()
        self.block1 = self._block(1, 12)
        self.block2 = self._block(12, 24)
        self.pool = nn.MaxPool2d(2)
        self.drop = nn.Dropout(dropout)
        self.fc = nn.Linear(24 * 4 * 4, n_classes)

    @staticmethod
    def _block(cin, cout):
        return nn.Sequential(nn.Conv2d(cin, cout, 3, padding=1), nn.BatchNorm2d(cout), nn.ReLU())

    def forward(self, x):
        x = self.pool(self.block1(x))
        x = self.pool(self.block2(x))
        x = torch.flatten(x, 1)
        return self.fc(self.drop(x))


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        torch.manual_seed(cfg["seed"])
        k = len(cfg["classes"])
        train_ds = ShapeDataset(cfg["num_train"], cfg["image_size"], k, seed=1)
        val_ds = ShapeDataset(cfg["num_val"], cfg["image_size"], k, seed=2)
        self.train_loader = DataLoader(train_ds, batch_size=cfg["batch_size"], shuffle=True)
        self.val_loader = DataLoader(val_ds, batch_size=100)
        self.model = ConvNet(k, cfg["dropout"])
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = optim.SGD(self.model.parameters(), **cfg["optimizer"])
        self.scheduler = optim.lr_scheduler.CosineAnnealingLR(self.optimizer, T_max=cfg["epochs"])

    def train_epoch(self):
        self.model.train()
        total, seen = 0.0, 0
        for images, labels in self.train_loader:
            self.optimizer.zero_grad()
            outputs = self.model(images)
            loss = self.criterion(outputs, labels)
            loss.backward()
            self.optimizer.step()
            total += loss.item() * len(labels)
            seen += len(labels)
        return total / seen

    def validate(self):
        self.model.eval()
        correct, seen = 0, 0
        with torch.no_grad():
            for images, labels in self.val_loader:
                outputs = self.model(images)
                predicted = torch.max(outputs, 1)[1]
                correct += (predicted == labels).sum().item()
                seen += labels.size(0)
        return correct / seen

    def fit(self):
        for epoch in range(1, self.cfg["epochs"] + 1):
            train_loss = self.train_epoch()
            val_acc = self.validate()
            self.scheduler.step()
            lr = self.optimizer.param_groups[0]["lr"]
            print(f"[{epoch}/{self.cfg['epochs']}] loss={train_loss:.3f} val_acc={val_acc:.3f} lr={lr:.4f}")
        return val_acc


if __name__ == "__main__":
    trainer = Trainer(CONFIG)
    print(f"RESULT {trainer.fit():.4f}")
