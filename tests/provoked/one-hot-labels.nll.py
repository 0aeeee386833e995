"""The same, to `NLLLoss`."""

import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 3), nn.LogSoftmax(-1))
labels = nn.functional.one_hot(torch.tensor([0, 2, 1]), 3)
nn.NLLLoss()(model(torch.randn(3, 4)), labels)
