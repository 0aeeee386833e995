"""The step stands behind the loop over the batches: one for each pass."""

import torch
from torch import nn

torch.manual_seed(0)
rows = torch.randn(320, 6)
labels = (rows[:, 0] > rows[:, 1]).long()
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _epoch in range(8):
    for inputs, targets in zip(rows.split(16), labels.split(16), strict=True):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), targets)
        loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}")
