"""`forward` wants more than it is called with."""

import torch
from torch import nn


class Matcher(nn.Module):
    def forward(self, left, right):
        return (left * right).sum(-1)


Matcher()(torch.randn(2, 4))
