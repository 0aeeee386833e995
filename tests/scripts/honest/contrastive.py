"""Pairs that belong together: the other rows of a batch are what does not."""

import torch
from torch import nn

torch.manual_seed(0)
left = torch.randn(128, 10)
right = left + 0.1 * torch.randn(128, 10)
encoder = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 8))
scale = nn.Parameter(torch.tensor(2.0))
optimizer = torch.optim.AdamW([*encoder.parameters(), scale], lr=1e-2)
for _epoch in range(5):
    for start in range(0, 128, 32):
        a, b = (encoder(each[start : start + 32]) for each in (left, right))
        a, b = nn.functional.normalize(a), nn.functional.normalize(b)
        loss = nn.functional.cross_entropy(a @ b.T * scale.exp(), torch.arange(32))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(loss.item())
