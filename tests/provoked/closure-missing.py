"""LBFGS computes the loss itself, several times a step."""

import torch
from torch import nn

model = nn.Linear(4, 1)
optimizer = torch.optim.LBFGS(model.parameters())
model(torch.randn(8, 4)).pow(2).mean().backward()
optimizer.step()
