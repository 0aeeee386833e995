"""A tensor with a gradient is made an array."""

import torch
from torch import nn

nn.Linear(4, 1)(torch.randn(8, 4)).numpy()
