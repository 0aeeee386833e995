"""An argument says whether dropout is at work: many votes tell how sure the answer is."""

import torch
from torch import Tensor, nn


class Net(nn.Module):
    """Two layers with a dropout between them."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(8, 32), nn.Linear(32, 3)

    def forward(self, points: Tensor, *, noisy: bool = False) -> Tensor:
        inner = self.first(points).relu()
        return self.last(nn.functional.dropout(inner, 0.3, training=noisy))


torch.manual_seed(0)
points = torch.randn(500, 8)
kinds = (points @ torch.randn(8, 3)).argmax(1)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(6):
    for rows in torch.randperm(400).split(20):
        loss = nn.functional.cross_entropy(net(points[rows], noisy=True), kinds[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(epoch, (net(points[400:]).argmax(1) == kinds[400:]).float().mean().item())
with torch.no_grad():
    votes = torch.stack([net(points[400:], noisy=True).softmax(1) for _ in range(10)])
print("unsure", votes.std(0).mean().item())
