"""A row of a leaf is written over."""

import torch

table = torch.zeros(3, 4, requires_grad=True)
table[0] = 1.0
