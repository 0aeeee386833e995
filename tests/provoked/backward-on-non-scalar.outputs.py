"""The outputs are sent backward in place of a loss."""

import torch
from torch import nn

nn.Linear(4, 3)(torch.randn(8, 4)).backward()
