"""One loss goes backward two times."""

import torch
from torch import nn

model = nn.Linear(4, 3)
loss = nn.CrossEntropyLoss()(model(torch.randn(8, 4)), torch.randint(0, 3, (8,)))
for _step in range(2):
    loss.backward()
