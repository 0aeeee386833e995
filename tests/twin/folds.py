"""Cross-validation whose folds let go of all they had, and a large tensor deleted half-way."""

import gc
import weakref

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(23)
ALIVE = []


def train(net, loader, optimizer):
    for rows, labels in loader:
        loss = nn.functional.cross_entropy(net(rows), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return rows, loss


def validate(net, loader):
    net.eval()
    right = 0
    with torch.no_grad():
        for rows, labels in loader:
            right += int((net(rows).argmax(1) == labels).sum())
    net.train()
    return right


def fold():
    rows = torch.randn(96, 4)
    labels = (rows[:, 0] > 0).long()
    first, second = TensorDataset(rows[:64], labels[:64]), TensorDataset(rows[64:], labels[64:])
    loader = DataLoader(first, batch_size=16, shuffle=True)
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    large = torch.zeros(100_000)
    held = weakref.ref(large)
    for _ in range(2):
        batch, loss = train(net, loader, optimizer)
        right = validate(net, DataLoader(second, batch_size=16))
    del large
    gone = held() is None
    kept = [rows, labels, first, loader, net, net[0].weight, optimizer, batch, loss]
    ALIVE.extend(weakref.ref(each) for each in kept)
    return right, gone


for _ in range(3):
    print(*fold())
gc.collect()
print(sum(each() is not None for each in ALIVE), "of", len(ALIVE))
