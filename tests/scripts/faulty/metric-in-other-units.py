"""The answers are brought back to the units of the prices, and compared with scaled ones."""

import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.rand(1000, 4)
prices = 150 + 300 * inputs[:, 0] - 60 * inputs[:, 3] + 5 * torch.randn(1000)
mean, std = prices[:800].mean(), prices[:800].std()
targets = (prices - mean) / std
net = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1), nn.Flatten(0))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for _epoch in range(12):
    for rows in torch.randperm(800).split(40):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(inputs[rows]), targets[rows])
        loss.backward()
        optimizer.step()
net.eval()
with torch.no_grad():
    answers = net(inputs[800:]) * std + mean
error = (answers - targets[800:]).abs().mean()
print(f"mean absolute error: {error:.1f}")
