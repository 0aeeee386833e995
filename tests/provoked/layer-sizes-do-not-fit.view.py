"""Sizes that are written by hand in `view`."""

import torch
from torch import nn

features = nn.Conv2d(1, 4, 3)(torch.randn(2, 1, 28, 28))
features.view(-1, 4 * 13 * 13 + 1)
