"""A norm for another number of features."""

import torch
from torch import nn

nn.LayerNorm(8)(torch.randn(2, 16))
