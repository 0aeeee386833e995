"""An id is as high as the table has rows."""

import torch
from torch import nn

ids = torch.tensor([[1, 5, 10]])
nn.Embedding(10, 4)(ids)
