"""The weights are halved, and a scaler wants to bring their gradients back to size."""

import torch
from torch import nn

model = nn.Linear(4, 1).half()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
scaler.scale(model(torch.randn(8, 4).half()).float().pow(2).mean()).backward()
scaler.unscale_(optimizer)
