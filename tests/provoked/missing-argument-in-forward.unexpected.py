"""A batch has a key that `forward` does not name."""

import torch
from torch import nn


class Net(nn.Module):
    def forward(self, inputs):
        return inputs.sum()


Net()(inputs=torch.randn(2, 4), labels=torch.ones(2))
