"""Two optimizers, and the gradients of the first are cleared twice."""

import torch
from torch import nn

torch.manual_seed(0)
inputs, targets = torch.randn(64, 4), torch.randn(64, 1)
first, second = nn.Linear(4, 8), nn.Linear(8, 1)
one = torch.optim.SGD(first.parameters(), lr=0.01)
other = torch.optim.SGD(second.parameters(), lr=0.01)
for _step in range(80):
    one.zero_grad()
    one.zero_grad()
    loss = nn.functional.mse_loss(second(first(inputs).relu()), targets)
    loss.backward()
    one.step()
    other.step()
print(loss.item())
