"""One loss for each example, and nobody takes the mean."""

import torch
from torch import nn

model = nn.Linear(4, 3)
loss = nn.CrossEntropyLoss(reduction="none")(model(torch.randn(8, 4)), torch.randint(0, 3, (8,)))
loss.backward()
