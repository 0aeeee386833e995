"""One output for each example, and labels without the axis."""

import torch
from torch import nn

model = nn.Linear(4, 1)
nn.BCEWithLogitsLoss()(model(torch.randn(8, 4)), torch.ones(8))
