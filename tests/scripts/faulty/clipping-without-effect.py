"""A method makes the whole step, and clips when it is over; the gradients are never large."""

import torch
from torch import nn


class Learner:
    def __init__(self, net: nn.Module) -> None:
        self.net, self.optimizer = net, torch.optim.Adam(net.parameters(), lr=1e-3)

    def step(self, rows: torch.Tensor, kinds: torch.Tensor) -> float:
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.net(rows), kinds)
        loss.backward()
        self.optimizer.step()
        nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        return loss.item()


torch.manual_seed(0)
points = torch.randn(600, 6)
kinds = (points[:, 0] * points[:, 1] > 0).long()
learner = Learner(nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 2)))
for _epoch in range(5):
    for rows in torch.randperm(500).split(25):
        last = learner.step(points[rows], kinds[rows])
    print(last)
