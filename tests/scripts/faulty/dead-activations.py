"""Biases so far below 0 that no unit ever passes its ReLU."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 4))
for layer in (model[0], model[2]):
    nn.init.constant_(layer.bias, -8.0)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _step in range(200):
    rows = torch.randn(64, 8)
    kinds = (rows[:, 0] > 0).long() + 2 * (rows[:, 1] > 0).long()
    loss = nn.functional.cross_entropy(model(rows), kinds)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
