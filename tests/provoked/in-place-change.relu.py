"""An activation in place, after an operation that needs its own result."""

import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.Softmax(-1), nn.ReLU(inplace=True), nn.Linear(8, 1))
out = model(torch.randn(8, 4))
out.sum().backward()
