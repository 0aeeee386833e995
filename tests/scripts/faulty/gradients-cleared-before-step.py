"""Cleared between `backward()` and `step()`."""

import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Sequential(nn.Linear(4, 16), nn.ReLU()), nn.Linear(16, 2)
body.requires_grad_(False)
optimizer = torch.optim.Adam(head.parameters(), lr=1e-2)
for _step in range(40):
    inputs, labels = torch.randn(16, 4), torch.randint(0, 2, (16,))
    nn.functional.cross_entropy(head(body(inputs)), labels).backward()
    optimizer.zero_grad()
    optimizer.step()
