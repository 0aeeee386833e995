"""A generator of parameters is gone through once already."""

import torch
from torch import nn

parameters = nn.Linear(4, 1).parameters()
print(sum(p.numel() for p in parameters))
torch.optim.SGD(parameters, lr=0.1)
