"""A weight is changed where gradients are recorded."""

import torch

weight = torch.randn(3, requires_grad=True)
weight -= 0.1
