"""An attribute of a module freezes nothing."""

import torch
from torch import nn

torch.manual_seed(0)
points = torch.randn(400, 16)
kinds = (points[:, 0] * points[:, 1] > 0).long()
body = nn.Sequential(nn.Linear(16, 64), nn.Tanh())
net = nn.Sequential(body, nn.Linear(64, 2))
body.requires_grad = False
optimizer = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=0.01)
for _ in range(10):
    for batch in torch.randperm(400).split(25):
        loss = nn.functional.cross_entropy(net(points[batch]), kinds[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("loss", loss.item())
