"""The epoch with the lowest accuracy is kept."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
points, others = torch.randn(400, 10), torch.randn(200, 10)
kinds, truth = (points[:, 0] > 0).long(), (others[:, 0] > 0).long()
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=0.003)
best_accuracy, best = 1.0, net.state_dict()
for _ in range(12):
    for batch in torch.randperm(400).split(25):
        loss = nn.functional.cross_entropy(net(points[batch]), kinds[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        accuracy = (net(others).argmax(1) == truth).float().mean().item()
    if accuracy < best_accuracy:
        best_accuracy = accuracy
        best = copy.deepcopy(net.state_dict())
net.load_state_dict(best)
print("best accuracy", best_accuracy)
