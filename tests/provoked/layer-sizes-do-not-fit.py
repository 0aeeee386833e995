"""The second layer does not take what the first puts out."""

import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(8, 2))
model(torch.randn(3, 4))
