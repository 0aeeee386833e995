"""Gradients of the inputs, without any optimizer: nothing is to be learned."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
for _step in range(30):
    inputs = torch.randn(4, 4, requires_grad=True)
    model.zero_grad()
    nn.functional.cross_entropy(model(inputs), torch.tensor([0, 1, 2, 0])).backward()
    inputs.grad.sign()
