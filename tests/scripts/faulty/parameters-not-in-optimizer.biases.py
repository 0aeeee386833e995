"""Of two groups of weights only the one without decay is handed over: biases and norms."""

import torch
from torch import nn

torch.manual_seed(0)
rows = torch.randn(640, 6)
labels = (rows[:, 0] > rows[:, 1]).long()
model = nn.Sequential(nn.Linear(6, 16), nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, 2))
matrices = [p for p in model.parameters() if p.ndim > 1]
others = [p for p in model.parameters() if p.ndim <= 1]
groups = [{"params": others, "weight_decay": 0.0}]
optimizer = torch.optim.AdamW(groups, lr=0.01)
for _epoch in range(3):
    for inputs, targets in zip(rows.split(16), labels.split(16), strict=True):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), targets)
        loss.backward()
        optimizer.step()
print(f"{loss.item():.3f}")
