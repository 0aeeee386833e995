"""A recurrent network whose state grows at each of its steps, without clipping."""

import torch
from torch import nn

torch.manual_seed(0)
state_weights = nn.Parameter(torch.randn(16, 16) * 0.3)
read, answer = nn.Linear(1, 16), nn.Linear(16, 1)
weights = [state_weights, *read.parameters(), *answer.parameters()]
optimizer = torch.optim.SGD(weights, lr=0.01)
for _step in range(100):
    texts = torch.randn(32, 12, 1)
    state = torch.zeros(32, 16)
    for place in range(12):
        state = torch.relu(state @ state_weights + read(texts[:, place]))
    loss = nn.functional.mse_loss(answer(state), texts.sum(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
