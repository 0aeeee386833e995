"""Bytes reach a convolution with weights of decimals."""

import torch
from torch import nn

images = torch.randint(0, 255, (2, 3, 8, 8), dtype=torch.uint8)
nn.Conv2d(3, 4, 3)(images)
