"""The same with probabilities."""

import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
nn.BCELoss()(model(torch.randn(8, 4)), torch.ones(8))
