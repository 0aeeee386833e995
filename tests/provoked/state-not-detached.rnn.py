"""The hidden state under another name, with an optimizer that steps."""

import torch
from torch import nn

rnn, head = nn.GRU(3, 8, batch_first=True), nn.Linear(8, 1)
optimizer = torch.optim.SGD([*rnn.parameters(), *head.parameters()], lr=0.1)
hidden = torch.zeros(1, 2, 8)
for _step in range(3):
    optimizer.zero_grad()
    outputs, hidden = rnn(torch.randn(2, 5, 3), hidden)
    head(outputs).pow(2).mean().backward()
    optimizer.step()
