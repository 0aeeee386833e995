"""Two losses over the same outputs go backward one after the other."""

import torch
from torch import nn

body, one, two = nn.Sequential(nn.Linear(4, 8), nn.Tanh()), nn.Linear(8, 1), nn.Linear(8, 1)
features = body(torch.randn(8, 4))
one(features).mean().backward()
two(features).mean().backward()
