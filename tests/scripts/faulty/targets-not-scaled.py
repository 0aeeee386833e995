"""Prices are predicted as they are."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
rows = torch.randn(640, 4)
prices = 250000 + 60000 * rows[:, :1] + 20000 * rows[:, 1:2]
model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _epoch in range(8):
    for x, y in DataLoader(TensorDataset(rows, prices), batch_size=32, shuffle=True):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
