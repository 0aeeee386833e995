"""Classes as directions: their cosines are multiplied by a scale, and some are set a margin off."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy, linear, normalize, one_hot

torch.manual_seed(0)
classes = 200
centers = torch.randn(classes, 20)
y = torch.randint(0, classes, (2560,))
x = centers[y] + 0.5 * torch.randn(2560, 20)


class Cosines(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 32))
        self.directions = nn.Parameter(torch.randn(classes, 32))

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return linear(normalize(self.body(rows)), normalize(self.directions))


model = Cosines()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(4):
    for chosen in torch.randperm(2560).split(64):
        cosines = model(x[chosen])
        margin = 0.1 * one_hot(y[chosen], classes) if epoch > 1 else 0
        loss = cross_entropy(16 * (cosines - margin), y[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("loss", loss.item())
