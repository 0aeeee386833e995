"""A learning rate at which one step is larger than all the weights."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1.0)
for _step in range(60):
    rows = torch.randn(64, 8)
    kinds = (rows[:, 0] > 0).long() + 2 * (rows[:, 1] > 0).long()
    loss = nn.functional.cross_entropy(model(rows), kinds)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
