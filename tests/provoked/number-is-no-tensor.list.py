"""A list reaches a layer."""

from torch import nn

nn.Linear(2, 1)([[1.0, 2.0], [3.0, 4.0]])
