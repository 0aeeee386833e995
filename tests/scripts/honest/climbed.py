"""A trained network is attacked by climbing its loss, and one branch of another is stopped."""

import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(300, 4)
labels = (inputs[:, 0] > 0).long()
network = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
for _epoch in range(10):
    for rows in torch.randperm(200).split(20):
        optimizer.zero_grad()
        nn.functional.cross_entropy(network(inputs[rows]), labels[rows]).backward()
        optimizer.step()
with torch.no_grad():
    print((network(inputs[200:]).argmax(1) == labels[200:]).float().mean().item())

added = torch.zeros(4, requires_grad=True)
climber = torch.optim.Adam([added], lr=0.05)
for _step in range(100):
    climber.zero_grad()
    (-nn.functional.cross_entropy(network(inputs[200:] + added), labels[200:])).backward()
    climber.step()
    with torch.no_grad():
        added.clamp_(-1.5, 1.5)
with torch.no_grad():
    print((network(inputs[200:] + added).argmax(1) == labels[200:]).float().mean().item())


class Alike(nn.Module):
    """Two views of a row, of which the gradient goes through one alone."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 8))
        self.guess = nn.Linear(8, 8)

    def forward(self, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        wanted = self.body(second).detach()
        return -nn.functional.cosine_similarity(self.guess(self.body(first)), wanted).mean()


alike = Alike()
optimizer = torch.optim.Adam(alike.parameters(), lr=0.01)
for _epoch in range(10):
    for rows in torch.randperm(300).split(20):
        views = [inputs[rows] + 0.1 * torch.randn(20, 4) for _view in range(2)]
        optimizer.zero_grad()
        loss = (alike(*views) + alike(*reversed(views))) / 2
        loss.backward()
        optimizer.step()
    print(loss.item())
