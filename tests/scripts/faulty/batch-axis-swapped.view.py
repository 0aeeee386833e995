"""Channels that come last are put first by a view, which moves no number."""

import torch
from torch import Tensor, nn


class Net(nn.Module):
    """Reads pictures."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, 3)
        )

    def forward(self, pictures: Tensor) -> Tensor:
        return self.layers(pictures.view(-1, 3, 10, 10))


torch.manual_seed(0)
kinds = torch.randint(0, 3, (400,))
pictures = torch.randn(3, 10, 10, 3)[kinds] + torch.randn(400, 10, 10, 3)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(4):
    for rows in torch.randperm(320).split(20):
        loss = nn.functional.cross_entropy(net(pictures[rows]), kinds[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
with torch.no_grad():
    print((net(pictures[320:]).argmax(1) == kinds[320:]).float().mean().item())
