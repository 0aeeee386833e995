"""Images in grey reach a convolution for colours."""

import torch
from torch import nn

nn.Conv2d(3, 8, 3)(torch.randn(2, 1, 28, 28))
