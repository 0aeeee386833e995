"""A model has no `forward` at all."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

        def forward(self, inputs):
            return self.layer(inputs)


Net()(torch.randn(2, 4))
