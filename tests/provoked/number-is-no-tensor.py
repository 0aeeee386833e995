"""A number is sent backward."""

import torch
from torch import nn

total = 0.0
for _step in range(2):
    total += nn.Linear(4, 1)(torch.randn(8, 4)).mean().item()
total.backward()
