"""`forward` was written without `self`."""

import torch
from torch import nn


class Net(nn.Module):
    def forward(inputs):
        return inputs.sum()


Net()(torch.randn(2, 4))
