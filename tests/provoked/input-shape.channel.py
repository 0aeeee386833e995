"""Sixteen grey images are taken for one image with sixteen channels."""

import torch
from torch import nn

nn.Conv2d(1, 4, 3)(torch.randn(16, 28, 28))
