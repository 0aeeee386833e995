"""The loss is a number again before it goes backward."""

import torch
from torch import nn

loss = nn.Linear(4, 1)(torch.randn(8, 4)).pow(2).mean()
torch.tensor(loss.item()).backward()
