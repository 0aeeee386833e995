#!/usr/bin/env python
"""CNN on drawn shapes: argparse, early stopping, best checkpoint."""
import argparse
import os
import random
import tempfile

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class ShapesDataset(Dataset):
    CLASSES = ["square", "cross", "diagonal"]

    def __init__(self, size, seed):
        rng = np.random.default_rng(seed)
        self.images, self.labels = [], []
        for _ in range(size):
            img = rng.normal(0, 0.15, (16, 16)).astype(np.float32)
            label = int(rng.integers(0, 3))
            r, c = rng.integers(1, 8, 2)
            if label == 0:
                img[r : r + 7, c] += 1
                img[r : r + 7, c + 6] += 1
                img[r, c : c + 7] += 1
                img[r + 6, c : c + 7] += 1
            elif label == 1:
                img[r : r + 7, c + 3] += 1
                img[r + 3, c : c + 7] += 1
            else:
                for k in range(7):
                    img[r + k, c + k] += 1
            self.images.append(img)
            self.labels.append(label)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, idx):
        image = torch.from_numpy(self.images[idx]).unsqueeze(0)
        label = torch.tensor(self.labels[idx])
        return image, label


class ConvNet(nn.Module):
    def __init__(self, num_classes=3):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, kernel_size=3, padding=1)
        self.bn1 = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 16, kernel_size=3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.dropout = nn.Dropout(0.2)
        self.fc = nn.Linear(16 * 4 * 4, num_classes)

    def forward(self, x):
        x = self.pool(F.relu(self.bn1(self.conv1(x))))
        x = self.pool(F.relu(self.conv2(x)))
        x = torch.flatten(x, 1)
        return self.fc(self.dropout(x))


def validate(model, loader, device):
    model.eval()
    total_loss, hits = 0.0, 0
    with torch.no_grad():
        for images, labels in loader:
            images, labels = images.to(device), labels.to(device)
            outputs = model(images)
            total_loss += F.cross_entropy(outputs, labels, reduction="sum").item()
            hits += (outputs.argmax(1) == labels).sum().item()
    return total_loss / len(loader.dataset), hits / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=0.02)
    parser.add_argument("--patience", type=int, default=3)
    parser.add_argument("--seed", type=int, default=42)
    args = parser.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    train_loader = DataLoader(ShapesDataset(600, seed=0), batch_size=args.batch_size, shuffle=True)
    val_loader = DataLoader(ShapesDataset(200, seed=1), batch_size=100)

    model = ConvNet().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)

    path = os.path.join(tempfile.mkdtemp(), "best.pt")
    best_loss, bad_epochs = float("inf"), 0
    for epoch in range(args.epochs):
        model.train()
        for images, labels in train_loader:
            images, labels = images.to(device), labels.to(device)
            optimizer.zero_grad()
            outputs = model(images)
            loss = F.cross_entropy(outputs, labels)
            loss.backward()
            optimizer.step()
        val_loss, val_acc = validate(model, val_loader, device)
        scheduler.step(val_loss)
        print(f"Epoch {epoch}: val_loss={val_loss:.4f} val_acc={val_acc:.3f}")
        if val_loss < best_loss:
            best_loss, bad_epochs = val_loss, 0
            torch.save(model.state_dict(), path)
        else:
            bad_epochs += 1
            if bad_epochs >= args.patience:
                print("Early stopping")
                break

    model.load_state_dict(torch.load(path))
    val_loss, val_acc = validate(model, val_loader, device)
    print("best:", val_acc)
    print("RESULT", val_acc)
    model.train()


if __name__ == "__main__":
    main()
