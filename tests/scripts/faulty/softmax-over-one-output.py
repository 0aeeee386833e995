"""A softmax over a single output."""

import torch
from torch import nn

torch.manual_seed(0)
pictures = torch.rand(64, 16)
model = nn.Sequential(nn.Linear(16, 4), nn.ReLU(), nn.Linear(4, 1), nn.Softmax(dim=1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
for _step in range(40):
    loss = nn.functional.mse_loss(model(pictures), pictures[:, :1])
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
