"""An axis too many for an LSTM."""

import torch
from torch import nn

nn.LSTM(3, 4)(torch.randn(2, 5, 3, 1))
