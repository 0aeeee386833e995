"""Shapes that can't even be stretched to each other."""

import torch
from torch import nn

nn.MSELoss()(nn.Linear(4, 3)(torch.randn(8, 4)), torch.ones(8, 2))
