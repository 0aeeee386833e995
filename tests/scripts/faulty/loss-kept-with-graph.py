"""The losses of all steps are summed up as they are."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 2)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
total = 0.0
for _step in range(100):
    rows = torch.randn(32, 4)
    loss = nn.functional.cross_entropy(model(rows), (rows[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss
print(float(total) / 100)
