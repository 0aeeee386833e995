"""The `return` of the evaluation stands within its loop: it knows the first batch and no other."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
inputs = torch.randn(400, 4)
labels = (inputs[:, 0] > 0).long()
train = DataLoader(TensorDataset(inputs[:300], labels[:300]), 20, shuffle=True)
test = DataLoader(TensorDataset(inputs[300:], labels[300:]), 20)
network = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)


def accuracy(loader: DataLoader) -> float:
    right = count = 0
    with torch.no_grad():
        for rows, answers in loader:
            right += (network(rows).argmax(1) == answers).sum().item()
            count += len(rows)
            return right / count
    return 0.0


for _epoch in range(8):
    for rows, answers in train:
        optimizer.zero_grad()
        nn.functional.cross_entropy(network(rows), answers).backward()
        optimizer.step()
    print(accuracy(test))
