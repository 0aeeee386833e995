"""A step follows four batches, whose losses are not divided by four."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
points = torch.randn(640, 10)
kinds = (points[:, 0] > 0).long()
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
loader = DataLoader(TensorDataset(points, kinds), 16, shuffle=True)
for _ in range(8):
    for number, (rows, truth) in enumerate(loader):
        loss = nn.functional.cross_entropy(net(rows), truth)
        loss.backward()
        if (number + 1) % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
print("loss", loss.item())
