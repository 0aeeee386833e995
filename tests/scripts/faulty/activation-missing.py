"""Three linear layers, and an activation that `forward` never calls."""

import torch
from torch import nn

torch.manual_seed(0)


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(2, 32), nn.Linear(32, 32)
        self.head, self.activation = nn.Linear(32, 2), nn.ReLU()

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return self.head(self.second(self.first(rows)))


points = torch.rand(1000, 2) * 2 - 1
kinds = ((points[:, 0] > 0) ^ (points[:, 1] > 0)).long()
network = Network()
optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
for _epoch in range(6):
    for rows in torch.randperm(800).split(32):
        loss = nn.functional.cross_entropy(network(points[rows]), kinds[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())
