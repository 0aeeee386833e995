"""Rows that lie sorted by label are split where they lie."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
labels = torch.arange(3).repeat_interleave(100)
inputs = torch.randn(300, 4) + labels[:, None]
train = DataLoader(TensorDataset(inputs[:240], labels[:240]), batch_size=20, shuffle=True)
test = DataLoader(TensorDataset(inputs[240:], labels[240:]), batch_size=20)
network = nn.Linear(4, 3)
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
for _epoch in range(10):
    for rows, wanted in train:
        optimizer.zero_grad()
        nn.functional.cross_entropy(network(rows), wanted).backward()
        optimizer.step()
    right = 0
    with torch.no_grad():
        for rows, wanted in test:
            right += (network(rows).argmax(1) == wanted).sum().item()
    print(right / 60)
