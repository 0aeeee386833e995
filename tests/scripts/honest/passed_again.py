"""One block is passed several times; a list has a layer without weights twice."""

import torch
from torch import nn

torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm, self.inner = nn.LayerNorm(width), nn.Linear(width, width)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return rows + torch.relu(self.inner(self.norm(rows)))


class Deep(nn.Module):
    def __init__(self, width: int, depth: int) -> None:
        super().__init__()
        self.first, self.head = nn.Linear(6, width), nn.Linear(width, 2)
        self.block, activation = Block(width), nn.ReLU()
        self.turns = [self.block] * depth
        layers = [nn.Linear(width, width), *[activation] * 2, nn.Linear(width, width)]
        self.rest = nn.Sequential(*layers)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        rows = self.first(rows)
        for block in self.turns:
            rows = block(rows)
        return self.head(self.rest(rows))


points = torch.randn(600, 6)
kinds = (points[:, 0] * points[:, 1] > 0).long()
model = Deep(24, 4)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for _epoch in range(6):
    for rows in torch.randperm(500).split(25):
        loss = nn.functional.cross_entropy(model(points[rows]), kinds[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
with torch.no_grad():
    print((model(points[500:]).argmax(1) == kinds[500:]).float().mean().item())
