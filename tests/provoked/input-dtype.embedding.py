"""Token ids as decimals."""

import torch
from torch import nn

ids = torch.tensor([[1.0, 2.0, 3.0]])
nn.Embedding(10, 4)(ids)
