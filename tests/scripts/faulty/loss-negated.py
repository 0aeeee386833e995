"""Each step makes the loss larger: it is sent backward with a minus in front."""

import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(300, 4)
targets = inputs @ torch.randn(4)
network = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
for _epoch in range(10):
    for rows in torch.randperm(300).split(20):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(network(inputs[rows]).squeeze(1), targets[rows])
        (-loss).backward()
        optimizer.step()
    print(loss.item())
