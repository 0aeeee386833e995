"""An average of the weights, without what batch norm has gathered."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
points, others = 5 + 3 * torch.randn(400, 16), 5 + 3 * torch.randn(100, 16)
kinds, truth = (points[:, 0] > 5).long(), (others[:, 0] > 5).long()
net = nn.Sequential(nn.Linear(16, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 2))
average = copy.deepcopy(net).eval().requires_grad_(False)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(15):
    net.train()
    for batch in torch.randperm(400).split(25):
        loss = nn.functional.cross_entropy(net(points[batch]), kinds[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for mean, weight in zip(average.parameters(), net.parameters(), strict=True):
                mean.lerp_(weight, 0.05)
with torch.no_grad():
    print("accuracy", (average(others).argmax(1) == truth).float().mean().item())
