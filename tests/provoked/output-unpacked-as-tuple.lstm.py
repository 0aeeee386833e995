"""An LSTM's pair of outputs and states goes into the next layer as it is."""

import torch
from torch import nn

model = nn.Sequential(nn.LSTM(3, 4, batch_first=True), nn.Linear(4, 2))
model(torch.randn(2, 5, 3))
