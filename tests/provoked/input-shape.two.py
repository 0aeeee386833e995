"""A single table of pixels."""

import torch
from torch import nn

nn.Conv2d(1, 4, 3)(torch.randn(28, 28))
