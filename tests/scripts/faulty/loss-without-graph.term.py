"""The second term of the loss is computed without gradients."""

import torch
from torch import nn

torch.manual_seed(0)
points = torch.randn(640, 10)
kinds = (points[:, 0] > 0).long()
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(8):
    for begin in range(0, 640, 16):
        rows = slice(begin, begin + 16)
        loss = nn.functional.cross_entropy(net(points[rows]), kinds[rows])
        with torch.no_grad():
            sizes = sum(each.pow(2).sum() for each in net.parameters())
        loss = loss + 0.01 * sizes
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("loss", loss.item())
