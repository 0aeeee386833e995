"""A schedule for ten epochs is called after each batch."""

import torch
from torch import nn

torch.manual_seed(0)
points = torch.randn(400, 8)
kinds = (points @ torch.randn(8, 3)).argmax(1)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=10)
for epoch in range(10):
    for rows in torch.randperm(400).split(20):
        loss = nn.functional.cross_entropy(net(points[rows]), kinds[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    print(epoch, loss.item())
