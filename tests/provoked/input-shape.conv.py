"""Images without a channel axis."""

import torch
from torch import nn

images = torch.randn(16, 28, 28, 1, 1)
nn.Conv2d(1, 4, 3)(images)
