"""A batch norm for another number of channels."""

import torch
from torch import nn

nn.BatchNorm2d(8)(torch.randn(2, 16, 4, 4))
