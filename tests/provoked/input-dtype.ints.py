"""Pixels as whole numbers reach a convolution."""

import torch
from torch import nn

images = torch.randint(0, 255, (2, 3, 8, 8))
nn.Conv2d(3, 4, 3)(images)
