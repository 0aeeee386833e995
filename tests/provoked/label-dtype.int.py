"""Class numbers of 32 bits."""

import torch
from torch import nn

model = nn.Linear(4, 3)
labels = torch.tensor([0, 2, 1], dtype=torch.int32)
nn.CrossEntropyLoss()(model(torch.randn(3, 4)), labels)
