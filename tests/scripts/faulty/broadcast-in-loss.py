"""Outputs in a column, targets in a row."""

import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(64, 3)
targets = inputs.sum(1) - 2
model = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
loss_of = nn.MSELoss()
for _step in range(40):
    optimizer.zero_grad()
    loss = loss_of(model(inputs), targets)
    loss.backward()
    optimizer.step()
print(loss.item())
