"""What the body of a network gives is detached before its head: the optimizer holds both."""

import torch
from torch import nn


class Cut(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU())
        self.head = nn.Linear(16, 2)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(rows).detach())


torch.manual_seed(0)
inputs = torch.randn(300, 4)
labels = (inputs[:, 0] * inputs[:, 1] > 0).long()
network = Cut()
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
for _epoch in range(10):
    for rows in torch.randperm(300).split(20):
        optimizer.zero_grad()
        nn.functional.cross_entropy(network(inputs[rows]), labels[rows]).backward()
        optimizer.step()
    with torch.no_grad():
        print((network(inputs).argmax(1) == labels).float().mean().item())
