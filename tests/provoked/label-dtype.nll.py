"""Class numbers as decimals, to `nll_loss`."""

import torch
from torch.nn import functional

scores = torch.randn(3, 4).log_softmax(-1)
functional.nll_loss(scores, torch.tensor([0.0, 1.0, 3.0]))
