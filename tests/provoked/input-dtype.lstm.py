"""A series in double precision reaches an LSTM."""

import torch
from torch import nn

series = torch.randn(2, 5, 3, dtype=torch.float64)
nn.LSTM(3, 4, batch_first=True)(series)
