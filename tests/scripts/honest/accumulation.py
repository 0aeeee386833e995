"""Gradients of four batches for each step, with gradient scaling switched off on a CPU."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(6, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", enabled=False)
for step in range(80):
    inputs, labels = torch.randn(8, 6), torch.randint(0, 3, (8,))
    with torch.autocast("cpu", enabled=False):
        loss = nn.functional.cross_entropy(model(inputs), labels) / 4
    scaler.scale(loss).backward()
    if step % 4 == 3:
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
