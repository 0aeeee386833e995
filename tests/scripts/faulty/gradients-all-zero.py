"""Each row is compared with itself in the place of another one: the margin is all that is left."""

import torch
from torch import nn

torch.manual_seed(0)
points = torch.randn(640, 10)
others = points + 0.1 * torch.randn(640, 10)
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 8))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
score = nn.TripletMarginLoss(margin=0.5)
for _ in range(4):
    for begin in range(0, 640, 16):
        rows = slice(begin, begin + 16)
        first, second = net(points[rows]), net(others[rows])
        loss = score(first, second, second)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("loss", loss.item())
