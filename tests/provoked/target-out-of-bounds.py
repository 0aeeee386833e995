"""A label has no output."""

import torch
from torch import nn

nn.CrossEntropyLoss()(nn.Linear(4, 2)(torch.randn(3, 4)), torch.tensor([0, 2, 1]))
