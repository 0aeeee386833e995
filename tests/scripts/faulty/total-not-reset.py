"""The sum of the losses goes on from epoch to epoch."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
points = torch.randn(960, 10)
tags = (points @ torch.randn(10, 4) > 1).float()
train = DataLoader(TensorDataset(points[:640], tags[:640]), batch_size=16, shuffle=True)
held_out = DataLoader(TensorDataset(points[640:], tags[640:]), batch_size=80)
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 4))
loss_function = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
total = 0.0
for epoch in range(8):
    for x, y in train:
        loss = loss_function(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    net.eval()
    found = 0
    with torch.no_grad():
        for x, y in held_out:
            found += ((net(x) > 0) == (y == 1)).sum().item()
    net.train()
    print(epoch, total / len(train), found / tags[640:].numel())
