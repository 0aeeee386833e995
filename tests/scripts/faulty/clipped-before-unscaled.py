"""The gradients are clipped while they are still as large as the scaler makes them."""

import torch
from torch import nn

torch.manual_seed(0)
points = torch.randn(400, 8)
kinds = (points @ torch.randn(8, 3)).argmax(1)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for epoch in range(8):
    for rows in torch.randperm(400).split(20):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = nn.functional.cross_entropy(net(points[rows]), kinds[rows])
        scaler.scale(loss).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    print(epoch, loss.item())
