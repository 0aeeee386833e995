"""Padding is written as -1, and no row has this number."""

import torch
from torch import nn

ids = torch.tensor([[1, 5, -1]])
nn.Embedding(10, 4)(ids)
