"""One image without a batch axis, and a network with a batch norm."""

import torch
from torch import nn

nn.BatchNorm2d(3)(torch.randn(3, 8, 8))
