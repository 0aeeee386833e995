"""The weights are halved, the inputs are not."""

import torch
from torch import nn

model = nn.Linear(4, 2).half()
model(torch.randn(3, 4))
