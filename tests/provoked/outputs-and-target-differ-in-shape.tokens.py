"""Outputs for each token, and the loss wants the classes on the second axis."""

import torch
from torch import nn

scores, labels = torch.randn(2, 7, 5), torch.randint(0, 5, (2, 7))
nn.CrossEntropyLoss()(scores, labels)
