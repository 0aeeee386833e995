#!/usr/bin/env python
"""Small CNN that tells shapes in noisy grey pictures apart."""
import argparse
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

CLASSES = ["disk", "ring", "square", "cross"]


def draw(kind, rng, size=20):
    yy, xx = np.mgrid[:size, :size]
    cx, cy = rng.uniform(7, 13, 2)
    r = rng.uniform(4, 6.5)
    d = np.hypot(xx - cx, yy - cy)
    if kind == 0:
        img = d < r
    elif kind == 1:
        img = (d < r) & (d > r - 2)
    elif kind == 2:
        img = (abs(xx - cx) < r * 0.85) & (abs(yy - cy) < r * 0.85)
    else:
        img = ((abs(xx - cx) < 1.5) | (abs(yy - cy) < 1.5)) & (d < r)
    img = img * rng.uniform(70, 150) + rng.uniform(20, 70) + rng.normal(0, 38, (size, size))
    return img.clip(0, 255).astype(np.uint8)


class ToTensor:
    def __call__(self, img):
        return torch.from_numpy(img).float().unsqueeze(0) / 255.0


class Normalize:
    def __init__(self, mean, std):
        self.mean, self.std = mean, std

    def __call__(self, t):
        return (t - self.mean) / self.std


class RandomFlip:
    def __call__(self, t):
        if random.random() < 0.5:
            t = t.flip(-1)
        if random.random() < 0.5:
            t = t.flip(-2)
        return t


class Compose:
    def __init__(self, *ts):
        self.ts = ts

    def __call__(self, x):
        for t in self.ts:
            x = t(x)
        return x


class ShapeDataset(Dataset):
    def __init__(self, images, labels, transform):
        self.images, self.labels, self.transform = images, labels, transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, idx):
        return self.transform(self.images[idx]), int(self.labels[idx])


class ConvBlock(nn.Module):
    def __init__(self, c_in, c_out):
        super().__init__()
        self.conv = nn.Conv2d(c_in, c_out, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(c_out)

    def forward(self, x):
        return F.max_pool2d(F.relu(self.bn(self.conv(x))), 2)


class ShapeNet(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.blocks = nn.ModuleList([ConvBlock(1, 12), ConvBlock(12, 24)])
        self.dropout = nn.Dropout(0.25)
        self.fc = nn.Linear(24 * 5 * 5, n_classes)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        x = torch.flatten(x, 1)
        return self.fc(self.dropout(x))


def run_eval(model, loader):
    model.eval()
    hits, losses, n = 0, 0.0, 0
    confusion = torch.zeros(len(CLASSES), len(CLASSES), dtype=torch.long)
    with torch.no_grad():
        for images, labels in loader:
            logits = model(images)
            losses += F.cross_entropy(logits, labels, reduction="sum").item()
            pred = logits.argmax(dim=1)
            hits += (pred == labels).sum().item()
            n += labels.size(0)
            for t, p in zip(labels, pred):
                confusion[t, p] += 1
    return losses / n, hits / n, confusion


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--max-lr", type=float, default=0.02)
    parser.add_argument("--seed", type=int, default=3)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    random.seed(args.seed)
    rng = np.random.default_rng(args.seed)

    labels = np.repeat(np.arange(len(CLASSES)), 450)
    images = np.stack([draw(k, rng) for k in labels])
    order = rng.permutation(len(labels))
    images, labels = images[order], labels[order]
    n_test = 400
    train_images, train_labels = images[n_test:], labels[n_test:]
    test_images, test_labels = images[:n_test], labels[:n_test]
    mean = train_images.mean() / 255.0
    std = train_images.std() / 255.0

    train_tf = Compose(ToTensor(), RandomFlip(), Normalize(mean, std))
    test_tf = Compose(ToTensor(), Normalize(mean, std))
    train_loader = DataLoader(ShapeDataset(train_images, train_labels, train_tf),
                              batch_size=args.batch_size, shuffle=True)
    test_loader = DataLoader(ShapeDataset(test_images, test_labels, test_tf), batch_size=100)

    model = ShapeNet(len(CLASSES))
    opt = torch.optim.SGD(model.parameters(), lr=args.max_lr, momentum=0.9, weight_decay=5e-4)
    sched = torch.optim.lr_scheduler.OneCycleLR(
        opt, max_lr=args.max_lr, epochs=args.epochs, steps_per_epoch=len(train_loader))

    for epoch in range(args.epochs):
        model.train()
        running = 0.0
        for images_b, labels_b in train_loader:
            opt.zero_grad()
            out = model(images_b)
            loss = F.cross_entropy(out, labels_b)
            loss.backward()
            opt.step()
            sched.step()
            running += loss.item()
        test_loss, acc, _ = run_eval(model, test_loader)
        print(f"[{epoch + 1}/{args.epochs}] train {running / len(train_loader):.3f} "
              f"test {test_loss:.3f} acc {acc:.3f} lr {sched.get_last_lr()[0]:.5f}")

    _, acc, confusion = run_eval(model, test_loader)
    print(confusion.tolist())
    print(f"final accuracy: {acc:.4f}")


if __name__ == "__main__":
    main()
