"""A series has more features than the LSTM takes."""

import torch
from torch import nn

nn.LSTM(3, 8, batch_first=True)(torch.randn(2, 7, 5))
