"""A row of zeros and ones where the loss wants the number of a class."""

import torch
from torch import nn

model = nn.Linear(4, 3)
labels = nn.functional.one_hot(torch.tensor([0, 2, 1]), 3)
nn.CrossEntropyLoss()(model(torch.randn(3, 4)), labels)
