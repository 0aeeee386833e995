"""A series of single numbers without an axis for them."""

import torch
from torch import nn

nn.LSTM(1, 4)(torch.randn(7))
