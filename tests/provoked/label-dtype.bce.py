"""Yes and no as whole numbers, to a loss that wants decimals."""

import torch
from torch import nn

model = nn.Linear(4, 1)
labels = torch.tensor([[0], [1], [1]])
nn.BCEWithLogitsLoss()(model(torch.randn(3, 4)), labels)
