"""Two parts of the data, of which the second begins before the first one ends."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
inputs = torch.randn(300, 4)
data = TensorDataset(inputs, (inputs[:, 0] > 0).long())
train = DataLoader(TensorDataset(*data[:240]), batch_size=20, shuffle=True)
test = DataLoader(TensorDataset(*data[180:]), batch_size=40)
network = nn.Linear(4, 2)
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
for _epoch in range(10):
    for rows, labels in train:
        optimizer.zero_grad()
        nn.functional.cross_entropy(network(rows), labels).backward()
        optimizer.step()
    right = 0
    with torch.no_grad():
        for rows, labels in test:
            right += (network(rows).argmax(1) == labels).sum().item()
    print(right / 120)
