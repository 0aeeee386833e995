"""The classes are weighted by how frequent they are, in place of how rare."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(1200, 8)
y = (x[:, 0] + x[:, 1] > 2).long()
counts = torch.bincount(y[:1000]).float()
weights = counts / counts.sum() * 2
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
criterion = nn.CrossEntropyLoss(weight=weights)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(5):
    for a, b in DataLoader(TensorDataset(x[:1000], y[:1000]), batch_size=40, shuffle=True):
        loss = criterion(net(a), b)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("loss", loss.item())
