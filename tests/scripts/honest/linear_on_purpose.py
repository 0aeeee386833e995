"""Two linear heads beside each other, and a compression by two linear layers: none is too many."""

import torch
from torch import nn

torch.manual_seed(0)


class Heads(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encode, self.decode, self.kind = nn.Linear(12, 3), nn.Linear(3, 12), nn.Linear(12, 2)

    def forward(self, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.decode(self.encode(rows)), self.kind(rows)


base = torch.randn(4, 12)
points = torch.randn(800, 4) @ base + torch.randn(800, 12)
kinds = (points[:, 0] + torch.randn(800) > 0).long()
network = Heads()
optimizer = torch.optim.Adam(network.parameters(), lr=1e-2)
for _epoch in range(6):
    for rows in torch.randperm(800).split(32):
        made, guess = network(points[rows])
        loss = nn.functional.mse_loss(made, points[rows])
        loss = loss + nn.functional.cross_entropy(guess, kinds[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())
