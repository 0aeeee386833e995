"""Another number of pixels is left than the last layer takes."""

import torch
from torch import nn

model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 10))
model(torch.randn(2, 1, 28, 28))
