"""The rows to train on are scaled, and those to test on are not."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
raw = torch.randn(400, 4) * 900 + 5000
targets = (raw - 5000) @ torch.randn(4) / 900
mean, spread = raw[:300].mean(0), raw[:300].std(0)
train_loader = DataLoader(TensorDataset((raw[:300] - mean) / spread, targets[:300]), 20, True)
test_loader = DataLoader(TensorDataset(raw[300:], targets[300:]), 50)
network = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
for _epoch in range(10):
    for rows, answers in train_loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(network(rows).squeeze(1), answers).backward()
        optimizer.step()
with torch.no_grad():
    errors = [(network(rows).squeeze(1) - answers).abs() for rows, answers in test_loader]
print(torch.cat(errors).mean().item())
