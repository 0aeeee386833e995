"""The last layer of a network is a tensor that wants gradients, and no parameter."""

import torch
from torch import nn


class ByHand(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 16), nn.ReLU())
        self.weight = torch.randn(16, 2, requires_grad=True)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return self.body(rows) @ self.weight


torch.manual_seed(0)
inputs = torch.randn(300, 4)
labels = (inputs[:, 0] * inputs[:, 1] > 0).long()
network = ByHand()
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
for _epoch in range(10):
    for rows in torch.randperm(300).split(20):
        optimizer.zero_grad()
        nn.functional.cross_entropy(network(inputs[rows]), labels[rows]).backward()
        optimizer.step()
    with torch.no_grad():
        print((network(inputs).argmax(1) == labels).float().mean().item())
